import type { Context } from 'hono';
import { isAccessToken } from '../../store/key-format.ts';
import type { GatewayContext } from '../door/context.ts';
import { keyOf } from '../door/credentials.ts';
import type { HandshakeStep } from '../door/handshakes.ts';

interface Seen {
  client?: string | undefined;
  name?: string | undefined;
  failed?: { code: string; error: string };
}

/** Notes how far clients get when they sign in. It looks at requests and answers, and changes neither. */
export const watchHandshakes =
  (gateway: GatewayContext) =>
  async (context: Context, next: () => Promise<void>): Promise<void> => {
    const step = stepOf(context, gateway);
    if (step === undefined) return next();
    const consent = step === 'consent' ? await requestOf(context, gateway) : undefined;
    await next();
    const seen = await SEEN[step](context, gateway).catch(() => undefined);
    if (seen === undefined) return;
    const client = consent?.client ?? seen.client;
    const name = consent?.clientName ?? seen.name;
    gateway.handshakes.note({ ...seen, client, name, step, address: gateway.addressOf(context) });
  };

function stepOf({ req }: Context, { handshakes }: GatewayContext): HandshakeStep | undefined {
  const { path, method } = req;
  if (path.startsWith('/.well-known/oauth-')) return 'metadata';
  if (path === '/oauth/register' || path === '/oauth/authorize' || path === '/oauth/token')
    return path.slice('/oauth/'.length) as HandshakeStep;
  if (method === 'POST' && path.startsWith('/console/consent/')) return 'consent';
  if (method === 'POST' && /^\/mcp(\/|$)/.test(path) && handshakes.awaitsCall()) return 'call';
  return undefined;
}

const requestOf = ({ req }: Context, { store }: GatewayContext) =>
  store.grants.request(req.path.slice('/console/consent/'.length)).catch(() => undefined);

/** What each step says about the client; undefined when there is nothing to note. */
const SEEN: Record<HandshakeStep, (context: Context, gateway: GatewayContext) => Promise<Seen | undefined>> =
  {
    metadata: async ({ req }) => ({ name: req.header('user-agent') }),
    register: async (context) => {
      const answer = await bodyOf(context);
      return { client: answer['client_id'], name: answer['client_name'], ...failureIn(answer) };
    },
    authorize: async (context) => {
      const client = context.req.query('client_id');
      const to = context.res.headers.get('location');
      // A refusal that is shown to the person is noted where it is made.
      if (to === null) return undefined;
      if (to.startsWith('/#/')) return { client };
      return { client, ...failureIn(Object.fromEntries(new URLSearchParams(to.split('?').at(-1)))) };
    },
    consent: async (context) => {
      const { redirect } = await bodyOf(context);
      if (redirect === undefined) return undefined;
      return failureIn(Object.fromEntries(new URLSearchParams(redirect.split('?').at(-1)))) ?? {};
    },
    token: async (context) => {
      const form = new URLSearchParams(await context.req.text());
      const failed = failureIn(await bodyOf(context));
      // A refresh that works is no sign-in.
      if (form.get('grant_type') === 'refresh_token' && failed === undefined) return undefined;
      return { client: form.get('client_id') ?? undefined, ...failed };
    },
    call: async (context, { store }) => {
      const key = keyOf(context.req);
      if (key === undefined || !isAccessToken(key) || context.res.status !== 200) return undefined;
      return { client: (await store.keys.authenticate(key)).client ?? undefined };
    },
  };

const bodyOf = async ({ res }: Context): Promise<Record<string, string | undefined>> =>
  (await res.clone().json()) as Record<string, string | undefined>;

function failureIn(answer: Record<string, string | undefined>): Pick<Seen, 'failed'> | undefined {
  const { error: code, error_description: error = '' } = answer;
  return code === undefined ? undefined : { failed: { code, error } };
}
