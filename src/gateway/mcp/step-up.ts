import type { Context } from 'hono';
import { readMessage } from '../../bridge/mcp/http-handler.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Tool } from '../../toolsets/tool.ts';
import { errorResponse } from '../door/error-response.ts';
import type { Identity } from '../door/identify.ts';
import { challenge } from '../door/resource.ts';

/**
 * Refuses the call of a tool that an access token does not cover, with the scopes that it would need: a
 * client then asks the person for more. Keys get an ordinary tool error.
 */
export async function stepUp(
  context: Context,
  options: { publicUrl: string | undefined; place: string; identity: Identity; tools: readonly Tool[] },
): Promise<Response | undefined> {
  const { publicUrl, place, identity, tools } = options;
  const { holder } = identity;
  if (publicUrl === undefined || holder?.resource === undefined) return undefined;
  const uncovered = tools.filter(({ scope }) => scope !== undefined && !holder.scopes.includes(scope));
  if (uncovered.length === 0) return undefined;
  const name = toolIn(await readMessage(context.req.raw));
  const scope = uncovered.find((tool) => tool.name === name)?.scope;
  if (scope === undefined) return undefined;
  const response = errorResponse(
    new HeadgateError('forbidden', `This access token may not be used for ${scope}.`, {
      remediation: 'Sign in again and allow it.',
    }),
  );
  const scopes = [...holder.scopes, scope];
  response.headers.set(
    'www-authenticate',
    challenge({ publicUrl, place, error: 'insufficient_scope', scopes }),
  );
  return response;
}

function toolIn(message: unknown): unknown {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
  return method === 'tools/call' ? params?.name : undefined;
}
