import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { parseInput } from '../../contract/parse.ts';
import { HeadgateError } from '../../core/errors.ts';
import { includesRole, roleIn, workspacesWith } from '../../core/roles.ts';
import type { AuthorizationRequest } from '../../store/grants.ts';
import { requireRole } from '../admin/mount.ts';
import type { ConsoleAuth } from '../console/auth.ts';
import type { GatewayContext } from '../door/context.ts';
import { errorResponse } from '../door/error-response.ts';
import { readJsonBody } from '../door/request-body.ts';
import { withParameters } from './authorize.ts';
import { browserOf } from './browser.ts';
import { agentOf, CLIENT_SCOPES, placeOfResource } from '../door/resource.ts';

const decision = z.strictObject({
  allow: z.boolean(),
  workspace: z.string().trim().min(1).optional(),
  scopes: z
    .array(z.enum(CLIENT_SCOPES as [string, ...string[]]))
    .min(1)
    .optional(),
});

/** Mounts what the consent page reads and writes. Only a signed-in person in the browser that began may decide. */
export function mountConsent(app: Hono, gateway: GatewayContext, auth: ConsoleAuth, publicUrl: string): void {
  const { store } = gateway;
  const requestOf = async (context: Context): Promise<AuthorizationRequest> => {
    const request = await store.grants.request(context.req.param('id') ?? '');
    if (request === undefined || request.browser !== browserOf(context, gateway)) throw isOver();
    return request;
  };
  /** Somebody who may use at least one workspace. */
  const member = async (context: Context) => {
    const { admin } = await auth.require(context);
    if (workspacesWith(admin, 'member').length === 0) requireRole(admin.role, 'member');
    return admin;
  };
  const agentBehind = async ({ resource }: AuthorizationRequest) => {
    const id = agentOf(placeOfResource(resource, publicUrl) ?? '');
    return id === undefined ? undefined : store.agents.get(id);
  };
  const route = (method: 'GET' | 'POST', run: (context: Context) => Promise<object>): void => {
    app.on(method, '/console/consent/:id', async (context) => {
      try {
        return context.json(await run(context), 200, { 'cache-control': 'no-store' });
      } catch (thrown) {
        return errorResponse(thrown);
      }
    });
  };
  route('GET', async (context) => {
    const admin = await member(context);
    const request = await requestOf(context);
    const agent = await agentBehind(request);
    const workspaces = await store.accounts.workspaces();
    return {
      client: { id: request.client, name: request.clientName, returnsTo: originOf(request.redirect) },
      resource: request.resource,
      scopes: request.scopes,
      workspaces: workspaces
        .filter(({ id }) => agent === undefined || id === agent.workspace)
        .filter(({ id }) => includesRole(roleIn(admin, id), 'member'))
        .map(({ id, name }) => ({ id, name })),
      ...(agent === undefined ? {} : { agent: { id: agent.id, name: agent.name } }),
    };
  });
  route('POST', async (context) => {
    const admin = await member(context);
    const request = await requestOf(context);
    const id = context.req.param('id') ?? '';
    const body = parseInput(decision, await readJsonBody(context.req));
    const answer = (parameters: Record<string, string>) => ({
      redirect: withParameters(request.redirect, {
        ...parameters,
        ...(request.state === undefined ? {} : { state: request.state }),
        iss: publicUrl,
      }),
    });
    const note = (action: string) =>
      store.sessions.note({ actor: `console: ${admin.name}`, address: gateway.addressOf(context), action });
    if (!body.allow) {
      await store.grants.deny(id);
      await note(`did not let ${request.clientName} sign in`);
      return answer({ error: 'access_denied', error_description: 'The person refused.' });
    }
    const agent = await agentBehind(request);
    const workspace = await store.accounts.workspace(agent?.workspace ?? body.workspace ?? '');
    requireRole(roleIn(admin, workspace.id), 'member');
    // A person may give less than was asked for, never more.
    const scopes = request.scopes.filter((scope) => body.scopes?.includes(scope) !== false);
    if (scopes.length === 0) throw new HeadgateError('invalid_request', 'scopes: choose at least one.');
    const code = await store.grants.allow(id, {
      person: admin.name,
      workspace: workspace.id,
      scopes,
      ...(agent === undefined ? {} : { agent: agent.id }),
    });
    if (code === undefined) throw isOver();
    await note(`let ${request.clientName} use workspace ${workspace.name}`);
    return answer({ code });
  });
}

const isOver = (): HeadgateError =>
  new HeadgateError('not_found', 'This sign-in has ended, or it was begun in another browser.', {
    remediation: 'Begin again in the client.',
  });

/** Where the browser goes after the decision, in words that a person can check. */
const originOf = (redirect: string): string => {
  const { protocol, host, origin } = new URL(redirect);
  return origin === 'null' ? `${protocol}//${host}` : origin;
};
