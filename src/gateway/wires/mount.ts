import type { Context, Hono } from 'hono';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { GatewayContext } from '../door/context.ts';
import { errorResponse } from '../door/error-response.ts';
import { operationRoute } from '../door/operation-route.ts';
import { wireDoors } from './index.ts';

/** Mounts the APIs beside Tavily's, each over the operation that is behind it. */
export function mountWires(app: Hono, gateway: GatewayContext): void {
  for (const door of wireDoors) {
    const operation = gateway.operations.find(({ contract }) => contract.name === door.name);
    if (operation === undefined) continue;
    const serve = operationRoute(operation, door, gateway);
    const isAllowed = gateway.services.config.server.key_in_path;
    for (const { method, path, contentType, keyInPath = false } of door.routes)
      app.on(method, path, async (context, next) => {
        const type = context.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
        if (contentType !== undefined && (type !== contentType || (await isJson(context)))) return next();
        const refused = isFromAnotherSite(context)
          ? anotherSite()
          : keyInPath && !isAllowed
            ? keysInPathAreOff()
            : undefined;
        if (refused !== undefined) return (door.fail ?? errorResponse)(refused, undefined);
        return serve(context);
      });
  }
}

/** `curl -d '{…}'` sends JSON under the name of a form. */
async function isJson({ req }: Context): Promise<boolean> {
  if (!(Number(req.header('content-length')) <= LIMITS.requestBodyBytesMax)) return false;
  return (await req.text()).trimStart().startsWith('{');
}

/**
 * A page can make a browser load an address of another site, with a password that it knows, and without the
 * Origin header that is checked for all other requests.
 */
const isFromAnotherSite = ({ req }: Context): boolean =>
  req.header('origin') === undefined && /^(cross|same)-site$/.test(req.header('sec-fetch-site') ?? '');

const anotherSite = (): HeadgateError =>
  new HeadgateError('forbidden', 'Pages of other sites may not use this address.');

const keysInPathAreOff = (): HeadgateError =>
  new HeadgateError('forbidden', 'This gateway takes no keys in addresses.', {
    remediation: 'Send it as a header or password, or ask the operator to set [server] key_in_path.',
  });
