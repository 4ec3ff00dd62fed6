import type { Call } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import type { WebTool } from '../core/grant.ts';
import type { Operation } from './operation.ts';

/** The permissions that an operation requires. */
export type Guarded = Pick<Operation, 'scope' | 'webTools'> & { contract: { name: string } };

/**
 * The one permission check, for every surface. Returns the call to run with: steps inside an operation, such
 * as the searches of a research, need no scope of their own.
 */
export function authorise(operation: Guarded, call: Call): Call {
  const { caller } = call;
  const { grant } = caller;
  // A surface that identifies a key or an agent without its permissions has a bug; fail closed.
  if (grant === undefined && (caller.key !== undefined || caller.agent !== undefined))
    throw new HeadgateError('forbidden', 'The caller has no permissions.');
  if (grant === undefined || grant === 'all') return call;
  if (grant.scopes?.includes(operation.scope) === false)
    throw new HeadgateError('forbidden', `This API key may not be used for ${operation.scope}.`, {
      remediation: 'Use a key with that scope.',
    });
  const missing = operation.webTools.find((tool) => grant.tools?.includes(tool) === false);
  if (missing !== undefined)
    throw new HeadgateError(
      'forbidden',
      own`${named(operation.contract.name)} needs the tool ${named(TOOL_NAMES[missing])}, which is switched off for this agent.`,
      {
        remediation: `Switch it on with \`headgate agent set ID --${missing} headgate\`, or use another key.`,
      },
    );
  return { ...call, caller: { ...caller, grant: 'all' } };
}

const TOOL_NAMES: Record<WebTool, string> = { search: 'search_web', fetch: 'fetch_url' };
