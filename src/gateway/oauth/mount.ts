import type { Context, Hono } from 'hono';
import type { ConsoleAuth } from '../console/auth.ts';
import { keyOf } from '../door/credentials.ts';
import type { GatewayContext } from '../door/context.ts';
import { mountAuthorize } from './authorize.ts';
import { createFindClient } from './clients.ts';
import { mountConsent } from './consent.ts';
import { createIdentityProvider } from './identity-provider.ts';
import { mountMetadata } from './metadata.ts';
import { mountRegistration } from './register.ts';
import { mountSingleSignOn } from './single-sign-on.ts';
import { createProviderStanding } from './provider-standing.ts';
import { challenge, placeOf } from '../door/resource.ts';
import { mountTokens } from './token.ts';

/** Mounts the sign-in of clients (OAuth 2.1), and that of people through an identity provider, when `[server] public_url` is set. */
export function mountSignIn(app: Hono, gateway: GatewayContext, auth: ConsoleAuth): void {
  const { server, auth: settings } = gateway.services.config;
  const publicUrl = server.public_url;
  if (publicUrl === undefined) return;
  const findClient = createFindClient(gateway);
  mountMetadata(app, gateway, publicUrl);
  mountAuthorize(app, gateway, { publicUrl, findClient });
  const { issuer, client_id: clientId, client_secret: clientSecret, scopes } = settings.oidc;
  if (issuer !== undefined && clientId !== undefined) {
    const provider = createIdentityProvider(gateway.services, { issuer, clientId, clientSecret, scopes });
    const standing = createProviderStanding(gateway, provider);
    mountSingleSignOn(app, gateway, auth, { provider, standing, publicUrl });
    mountTokens(app, gateway, { findClient, publicUrl, check: standing.check });
  } else mountTokens(app, gateway, { findClient, publicUrl });
  if (settings.registration) mountRegistration(app, gateway);
  mountConsent(app, gateway, auth, publicUrl);
}

/** Tells who is refused for want of a key or token where they can sign in. */
export const challenges =
  ({ services }: GatewayContext) =>
  async (context: Context, next: () => Promise<void>): Promise<void> => {
    await next();
    const publicUrl = services.config.server.public_url;
    if (publicUrl === undefined || context.res.status !== 401) return;
    const { path } = context.req;
    // A client that was asked for a password cannot sign in.
    if (context.res.headers.get('www-authenticate')?.startsWith('Basic') === true) return;
    if (/^\/(admin|console|oauth|metrics)\b/.test(path)) return;
    const error = keyOf(context.req) === undefined ? {} : { error: 'invalid_token' as const };
    context.header('www-authenticate', challenge({ publicUrl, place: placeOf(path), ...error }));
  };
