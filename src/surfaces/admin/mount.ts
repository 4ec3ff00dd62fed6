import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { parseInput } from '../../contract/parse.ts';
import { HeadgateError } from '../../core/errors.ts';
import { keyOf } from '../http/credentials.ts';
import { errorResponse } from '../http/error-response.ts';
import { requireScope } from '../http/identify.ts';
import { createGuessDelay } from '../http/guess-delay.ts';
import { readJsonBody } from '../http/request-body.ts';
import type { HttpWorld } from '../http/world.ts';
import { accountRoutes } from './accounts.ts';
import { agentRoutes } from './agents.ts';
import { keyRoutes } from './keys.ts';
import { libraryRoutes } from './library.ts';
import { reportRoutes } from './reports.ts';
import type { AdminRoute } from './route.ts';
import { systemRoutes } from './system.ts';

/** The admin API. */
export const adminRoutes: AdminRoute[] = [
  ...accountRoutes,
  ...agentRoutes,
  ...keyRoutes,
  ...libraryRoutes,
  ...reportRoutes,
  ...systemRoutes,
];

/** Who administrates: the operator, or a key for its own workspace. */
export interface Actor {
  name: string;
  workspace?: string;
}

/** Decides whether a request may administrate, and says who it is; throws when it may not. */
export type AdminGate = (context: Context) => Promise<Actor>;

/** Mounts every admin route behind the gate, under `/admin`. */
export function mountAdmin(app: Hono, world: HttpWorld, gate: AdminGate): void {
  for (const route of adminRoutes) {
    app.on(route.method, `/admin${route.path}`, async (context) => {
      const flight = world.flights.begin(context);
      try {
        const actor = await gate(context);
        if (actor.workspace !== undefined && route.within === undefined) throw operatorOnly();
        const query = route.query === undefined ? {} : parseInput(route.query, context.req.query());
        const body = route.body === undefined ? {} : parseInput(route.body, await readJsonBody(context.req));
        const asked = { params: context.req.param() as Record<string, string>, query, body } as never;
        const input = await held(asked, route, actor, world);
        const answer = await route.run(input as never, world);
        if (route.method !== 'GET') {
          const action = `${route.method} ${context.req.path}`;
          world.services.log.info('admin_write', { actor: actor.name, action });
          await world.store.sessions.note({ actor: actor.name, address: world.addressOf(context), action });
        }
        return context.json(answer as never);
      } catch (thrown) {
        return errorResponse(thrown);
      } finally {
        flight.end();
      }
    });
  }
}

/** The input as it stands for the operator; for the key of a workspace only what is theirs. */
async function held(input: never, route: AdminRoute, actor: Actor, world: HttpWorld): Promise<unknown> {
  if (actor.workspace === undefined || route.within === undefined) return input;
  return route.within(input, actor.workspace, world);
}

/** What is about the whole gateway, or about money, is not for the key of one workspace. */
export const operatorOnly = (): HeadgateError =>
  new HeadgateError('forbidden', 'A workspace key may not do this.', {
    remediation: 'Use the admin token or the console.',
  });

/** The admin token, or a key with the admin scopes. Wrong tokens are refused later and later, per address. */
export function createAdminGate({ adminToken, identify, services, addressOf }: HttpWorld): AdminGate {
  const guesses = createGuessDelay(services.clock);
  return async (context) => {
    const shown = keyOf(context.req);
    const address = addressOf(context);
    if (shown?.startsWith('hg_live_') === true) {
      const isReading = context.req.method === 'GET';
      const identity = await identify(shown, address);
      requireScope(identity, isReading ? 'admin:read' : 'admin:write');
      const { id = '', workspace = '' } = identity.holder ?? {};
      return { name: `key ${id}`, workspace };
    }
    if (shown !== undefined && adminToken !== undefined && isSame(shown, adminToken)) {
      guesses.right([address]);
      return { name: 'admin token' };
    }
    if (shown !== undefined) await guesses.wrong([address], context.req.raw.signal);
    throw new HeadgateError('unauthenticated', 'The admin token is required.');
  };
}

/** Compares digests, so that neither length nor time tells anything about the token. */
export const isSame = (shown: string, token: string): boolean =>
  timingSafeEqual(digest(shown), digest(token));
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
