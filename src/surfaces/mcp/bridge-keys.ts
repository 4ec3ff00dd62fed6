import type { Caller } from '../../core/call.ts';
import type { Clock } from '../../core/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Keys } from '../../store/keys.ts';
import { keyOf } from '../http/credentials.ts';
import { createIdentify, requireScope } from '../http/identify.ts';

/** Every workspace that has a key. */
export const ANY_WORKSPACE = '*';

/**
 * Who calls a governed bridge, by the same keys as the gateway. They may be revoked by another process at any time, so the store is
 * asked for every request.
 */
export function createBridgeKeys(options: {
  keys: Keys;
  clock: Clock;
  requestsPerMinute: number;
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
