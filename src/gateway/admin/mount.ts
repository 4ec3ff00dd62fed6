import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { parseInput } from '../../contract/parse.ts';
import { HeadgateError } from '../../core/errors.ts';
import { includesRole, type Role } from '../../core/roles.ts';
import { keyOf } from '../door/credentials.ts';
import { errorResponse } from '../door/error-response.ts';
import { requireScope } from '../door/identify.ts';
import { createGuessDelay } from '../door/guess-delay.ts';
import { readJsonBody } from '../door/request-body.ts';
import type { GatewayContext } from '../door/context.ts';
import { accountRoutes } from './accounts.ts';
import { agentRoutes } from './agents.ts';
import { keyRoutes } from './keys.ts';
import { peopleRoutes } from './people.ts';
import { libraryRoutes } from './library.ts';
import { reportRoutes } from './reports.ts';
import type { AdminRoute, AnswerOf } from './route.ts';
import { systemRoutes } from './system.ts';

/** The admin API. */
const routes = [
  ...accountRoutes,
  ...agentRoutes,
  ...keyRoutes,
  ...libraryRoutes,
  ...peopleRoutes,
  ...reportRoutes,
  ...systemRoutes,
];
export const adminRoutes: readonly AdminRoute[] = routes;

/** What the admin API answers, as the console's own files are checked against it. */
export type AdminAnswer<Method, Asked> = AnswerOf<(typeof routes)[number], Method, Asked>;

/** The administrator: the operator, or a key for its own workspace. */
export interface Actor {
  name: string;
  workspace?: string;
  /** The role of a person; a key has its scopes instead. */
  role?: Role;
}

/** Authorises an admin request and returns the administrator, or throws. */
export type AdminGate = (context: Context) => Promise<Actor>;

/** Mounts every admin route behind the gate, under `/admin`. */
export function mountAdmin(app: Hono, gateway: GatewayContext, gate: AdminGate): void {
  for (const route of adminRoutes) {
    app.on(route.method, `/admin${route.path}`, async (context) => {
      const request = gateway.openRequests.begin(context);
      try {
        const actor = await gate(context);
        if (actor.workspace !== undefined && route.scopeToWorkspace === undefined) throw operatorOnly();
        if (actor.role !== undefined) requireRole(actor.role, roleFor(route));
        const query = route.query === undefined ? {} : parseInput(route.query, context.req.query());
        const body = route.body === undefined ? {} : parseInput(route.body, await readJsonBody(context.req));
        const asked = { params: context.req.param() as Record<string, string>, query, body } as never;
        const input = await held(asked, route, actor, gateway);
        const answer = await route.run(input as never, gateway);
        if (route.method !== 'GET') {
          const action = `${route.method} ${context.req.path}`;
          gateway.services.log.info('admin_write', { actor: actor.name, action });
          await gateway.store.sessions.note({
            actor: actor.name,
            address: gateway.addressOf(context),
            action,
          });
        }
        return context.json(answer as never);
      } catch (thrown) {
        return errorResponse(thrown);
      } finally {
        request.end();
      }
    });
  }
}

/** Returns the input unchanged for the operator, and limited to its workspace for a workspace key. */
async function held(
  input: never,
  route: AdminRoute,
  actor: Actor,
  gateway: GatewayContext,
): Promise<unknown> {
  if (actor.workspace === undefined || route.scopeToWorkspace === undefined) return input;
  return route.scopeToWorkspace(input, actor.workspace, gateway);
}

/** The role that a route needs. */
export const roleFor = (route: AdminRoute): Role =>
  route.role ?? (route.method === 'GET' ? 'viewer' : 'admin');

/** Throws unless a role includes what is needed. */
export function requireRole(held: Role, needed: Role): void {
  if (includesRole(held, needed)) return;
  throw new HeadgateError('forbidden', `This needs the role ${needed}; yours is ${held}.`, {
    remediation: 'Ask an owner of this gateway.',
  });
}

/** Refuses a workspace key where the whole gateway or money is concerned. */
export const operatorOnly = (): HeadgateError =>
  new HeadgateError('forbidden', 'A workspace key may not do this.', {
    remediation: 'Use the admin token or the console.',
  });

/** Accepts the admin token or a key with an admin scope. Wrong tokens are delayed, per address. */
export function createAdminGate({ adminToken, identify, services, addressOf }: GatewayContext): AdminGate {
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

/** Compares digests, so that neither length nor timing reveals anything about the token. */
export const isSame = (shown: string, token: string): boolean =>
  timingSafeEqual(digest(shown), digest(token));
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
