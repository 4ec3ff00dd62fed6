import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { parseInput } from '../../contract/parse.ts';
import { HeadgateError } from '../../core/errors.ts';
import { includesRole, workspacesWith, type HeldRoles, type Role } from '../../core/roles.ts';
import { audited, noteDeed } from '../../store/audit.ts';
import { keyOf } from '../door/credentials.ts';
import { errorResponse } from '../door/error-response.ts';
import { requireScope } from '../door/identify.ts';
import { createGuessDelay } from '../door/guess-delay.ts';
import { readJsonBody } from '../door/request-body.ts';
import type { GatewayContext } from '../door/context.ts';
import { accountRoutes } from './accounts.ts';
import { agentRoutes } from './agents.ts';
import { budgetRoutes } from './budgets.ts';
import { callRoutes } from './calls.ts';
import { keyRoutes } from './keys.ts';
import { peopleRoutes } from './people.ts';
import { lifeRoutes } from './life.ts';
import { libraryRoutes } from './library.ts';
import { snapshotRoutes } from './snapshots.ts';
import { policyRoutes } from './policies.ts';
import { providerKeyRoutes } from './provider-keys.ts';
import { reportRoutes } from './reports.ts';
import type { AdminRoute, AnswerOf, Reach } from './route.ts';
import { settingRoutes } from './settings.ts';
import { systemRoutes } from './system.ts';
import { webhookRoutes } from './webhooks.ts';

/** The admin API. */
const routes = [
  ...accountRoutes,
  ...agentRoutes,
  ...budgetRoutes,
  ...callRoutes,
  ...keyRoutes,
  ...libraryRoutes,
  ...snapshotRoutes,
  ...lifeRoutes,
  ...peopleRoutes,
  ...policyRoutes,
  ...providerKeyRoutes,
  ...reportRoutes,
  ...settingRoutes,
  ...systemRoutes,
  ...webhookRoutes,
];
export const adminRoutes: readonly AdminRoute[] = routes;

/** What the admin API answers, as the console's own files are checked against it. */
export type AdminAnswer<Method, Asked> = AnswerOf<(typeof routes)[number], Method, Asked>;

/** The administrator: the operator, a person, or a key for its own workspace. */
export interface Actor {
  name: string;
  /** The workspace of a key. */
  workspace?: string;
  /** What a person may do; a key has its scopes instead. */
  roles?: HeldRoles;
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
        const reach = reachOf(actor, route);
        const query = route.query === undefined ? {} : parseInput(route.query, context.req.query());
        const body = route.body === undefined ? {} : parseInput(route.body, await readJsonBody(context.req));
        const asked = { params: context.req.param() as Record<string, string>, query, body } as never;
        const input = reach === undefined ? asked : await route.scopeToWorkspace?.(asked, reach, gateway);
        const doer = { actor: actor.name, address: gateway.addressOf(context) };
        const store = route.method === 'GET' ? gateway.store : audited(gateway.store, doer);
        const answer = await route.run(input as never, { ...gateway, store });
        if (route.method !== 'GET') {
          const action = `${route.method} ${context.req.path}`;
          gateway.services.log.info('admin_write', { actor: actor.name, action });
          if (route.deed !== undefined)
            await noteDeed(gateway.store, doer, route.deed(input as never, answer as never));
        }
        return answer instanceof Response ? answer : context.json(answer as never);
      } catch (thrown) {
        return errorResponse(thrown);
      } finally {
        request.end();
      }
    });
  }
}

/** The workspaces that somebody is limited to at a route; undefined for no limit. Throws when they may not use it. */
function reachOf({ workspace, roles }: Actor, route: AdminRoute): Reach | undefined {
  if (workspace !== undefined) {
    if (route.scopeToWorkspace === undefined) throw operatorOnly();
    return { may: [workspace], sees: (other) => other === workspace };
  }
  const needed = roleFor(route);
  if (roles === undefined || includesRole(roles.role, needed)) return undefined;
  const may = workspacesWith(roles, needed);
  if (route.scopeToWorkspace === undefined || may.length === 0) requireRole(roles.role, needed);
  return { may, sees: (other) => roles.role !== null || workspacesWith(roles, 'viewer').includes(other) };
}

/** The role that a route needs. */
export const roleFor = (route: AdminRoute): Role =>
  route.role ?? (route.method === 'GET' ? 'viewer' : 'admin');

/** Throws unless a role includes what is needed. */
export function requireRole(held: Role | null, needed: Role): void {
  if (includesRole(held, needed)) return;
  throw new HeadgateError('forbidden', `This needs the role ${needed}; yours is ${held ?? 'none'}.`, {
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
