import { randomBytes } from 'node:crypto';
import type { Context, Hono } from 'hono';
import type { Config } from '../../config/schema.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { ConsoleAuth } from '../console/auth.ts';
import type { GatewayContext } from '../door/context.ts';
import { perMinute } from '../door/rate-limit.ts';
import { browserOf } from './browser.ts';
import type { Identified, IdentityProvider } from './identity-provider.ts';
import type { ProviderStanding } from './provider-standing.ts';

/** Where the provider sends the browser back to. The operator registers this address there. */
export const redirectOf = (publicUrl: string): string => `${publicUrl}/console/oidc/callback`;

/** Why somebody could not sign in; the console has the words. */
type Why = 'ended' | 'provider' | 'unverified' | 'domain' | 'unknown' | 'groups' | 'archived' | 'busy';

/** Mounts the sign-in of people through an identity provider. */
export function mountSingleSignOn(
  app: Hono,
  gateway: GatewayContext,
  auth: ConsoleAuth,
  options: { provider: IdentityProvider; standing: ProviderStanding; publicUrl: string },
): void {
  const { services, store } = gateway;
  const { provider, standing, publicUrl } = options;
  const { oidc } = services.config.auth;
  const redirect = redirectOf(publicUrl);
  const limit = perMinute(LIMITS.authorizationsPerMinute);
  const get = (path: string, run: (context: Context) => Promise<string | Refused>): void => {
    app.get(path, async (context) => {
      context.header('cache-control', 'no-store');
      context.header('referrer-policy', 'no-referrer');
      const to =
        (await services.shared.take(`sign-in ${gateway.addressOf(context)}`, limit)) === undefined
          ? await run(context).catch((thrown: unknown) => failed(thrown))
          : refused('busy');
      return context.redirect(typeof to === 'string' ? to : `/#/refused/${to.refused}`, 303);
    });
  };
  /** The details are for the operator; the person sees that it did not work. */
  const failed = (thrown: unknown): Refused => {
    services.log.warn('identity_provider_failed', { cause: thrown });
    return refused(HeadgateError.from(thrown).code === 'rate_limited' ? 'busy' : 'provider');
  };
  get('/console/oidc', async (context) => {
    const login = {
      nonce: randomBytes(32).toString('base64url'),
      verifier: randomBytes(32).toString('base64url'),
      browser: browserOf(context, gateway),
      to: /^consent\/[\w-]{1,100}$/.exec(context.req.query('to') ?? '')?.[0] ?? '',
    };
    const state = await store.identities.begin(login);
    return provider.authorizeUrl({ ...login, state, redirect }, context.req.raw.signal);
  });
  get('/console/oidc/callback', async (context) => {
    const back = new URL(context.req.url);
    const state = back.searchParams.get('state') ?? '';
    const login = await store.identities.take(state, browserOf(context, gateway));
    if (login === undefined) return refused('ended');
    const who = await provider.redeem(back, { ...login, state, redirect }, context.req.raw.signal);
    const name = nameOf(who, oidc);
    if (typeof name !== 'string') return name;
    const person = await standing.enter(who, name);
    if (typeof person === 'string') {
      const action = 'sign-in through the identity provider refused';
      const actor = name.slice(0, LIMITS.meterNameCharsMax);
      await store.sessions.note({ actor, address: gateway.addressOf(context), action });
      return refused(person);
    }
    await auth.admit(context, person);
    return `/#/${login.to}`;
  });
}

interface Refused {
  refused: Why;
}

const refused = (why: Why): Refused => ({ refused: why });

/** What the person is called here, unless the provider does not vouch for it. */
function nameOf({ claims }: Identified, oidc: Config['auth']['oidc']): string | Refused {
  const claim = claims[oidc.name_claim];
  const name = typeof claim === 'string' ? claim.trim().toLowerCase() : '';
  // Whoever may write any address into their account could otherwise sign in as anybody.
  if (name === '' || (oidc.name_claim === 'email' && claims['email_verified'] !== true))
    return refused('unverified');
  const domain = name.slice(name.lastIndexOf('@') + 1);
  const isAllowed = oidc.domains.length === 0 || oidc.domains.some((one) => one.toLowerCase() === domain);
  return isAllowed ? name : refused('domain');
}
