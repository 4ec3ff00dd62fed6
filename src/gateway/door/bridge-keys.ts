import type { Caller } from '../../core/call.ts';
import type { Clock } from '../../core/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Keys } from '../../store/keys.ts';
import { keyOf } from './credentials.ts';
import { createIdentify, type IdentifyOptions, requireScope } from './identify.ts';

/** Accepts the keys of all workspaces. */
export const ANY_WORKSPACE = '*';

/**
 * Identifies callers of a governed bridge by the gateway's keys. Keys can be revoked by another process, so
 * the store is read for every request.
 */
export function createBridgeKeys(options: {
  keys: Keys;
  clock: Clock;
  shared: IdentifyOptions['shared'];
  requests: IdentifyOptions['requests'];
  workspace: string;
}): (request: Request, address: string) => Promise<Caller> {
  const { workspace, ...rest } = options;
  const identify = createIdentify({ ...rest, keyless: 'never', knownMs: 0 });
  return async (request, address) => {
    const identity = await identify(
      keyOf({ header: (name) => request.headers.get(name) ?? undefined }),
      address,
    );
    requireScope(identity, 'tools');
    if (workspace !== ANY_WORKSPACE && identity.caller.workspace !== workspace)
      throw new HeadgateError('forbidden', 'This API key belongs to another workspace.', {
        remediation: 'Use a key of the workspace that runs this bridge.',
      });
    return identity.caller;
  };
}
