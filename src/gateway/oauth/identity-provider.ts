import type { AuthorizationServer, ClientAuth } from 'oauth4webapi';
import { challengeOf } from '../../store/grants.ts';
import type { Services } from '../../operations/services.ts';
import { createIssuer, loadOAuth } from './issuer.ts';

/** Somebody whom the identity provider vouches for. */
export interface Identified {
  subject: string;
  claims: Record<string, unknown>;
  /** With it, the provider can be asked about this person again. */
  refresh?: string;
}

/** Signs people in through the OpenID Connect provider of `[auth.oidc]`. */
export interface IdentityProvider {
  /** Where to send the browser. */
  authorizeUrl(
    login: { state: string; nonce: string; verifier: string; redirect: string },
    signal: AbortSignal,
  ): Promise<string>;
  /** Checks what the browser came back with. Throws unless everything is right. */
  redeem(
    back: URL,
    login: { state: string; nonce: string; verifier: string; redirect: string },
    signal: AbortSignal,
  ): Promise<Identified>;
}

export function createIdentityProvider(
  services: Services,
  settings: { issuer: string; clientId: string; clientSecret: string | undefined; scopes: readonly string[] },
): IdentityProvider {
  const issuer = createIssuer(services, settings.issuer);
  const client = { client_id: settings.clientId };
  const authentication = async (server: AuthorizationServer): Promise<ClientAuth> => {
    const { ClientSecretBasic, ClientSecretPost, None } = await loadOAuth();
    if (settings.clientSecret === undefined) return None();
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? ClientSecretBasic : ClientSecretPost)(
      settings.clientSecret,
    );
  };
  /** Many providers send groups and names only from here. */
  const userInfo = async (
    server: AuthorizationServer,
    token: { access: string; subject: string },
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> => {
    if (server.userinfo_endpoint === undefined) return {};
    const headers = { authorization: `Bearer ${token.access}`, accept: 'application/json' };
    const response = await issuer.ask(server.userinfo_endpoint, { headers, signal });
    const claims = response.ok ? ((await response.json()) as Record<string, unknown>) : {};
    return claims['sub'] === token.subject ? claims : {};
  };
  return {
    authorizeUrl: async ({ state, nonce, verifier, redirect }, signal) => {
      const server = await issuer.metadata(signal);
      const offline = server.scopes_supported?.includes('offline_access') ? ['offline_access'] : [];
      const url = new URL(server.authorization_endpoint ?? '');
      const asked = {
        client_id: client.client_id,
        redirect_uri: redirect,
        response_type: 'code',
        scope: [...new Set(['openid', ...settings.scopes, ...offline])].join(' '),
        state,
        nonce,
        code_challenge: challengeOf(verifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
      return url.href;
    },
    redeem: async (back, { state, nonce, verifier, redirect }, signal) => {
      const oauth = await loadOAuth();
      const server = await issuer.metadata(signal);
      const options = await issuer.options(signal);
      const parameters = oauth.validateAuthResponse(server, client, back, state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        await authentication(server),
        parameters,
        redirect,
        verifier,
        options,
      );
      const expected = { expectedNonce: nonce, requireIdToken: true };
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, expected);
      await oauth.validateApplicationLevelSignature(server, response, options);
      const claims = oauth.getValidatedIdTokenClaims(tokens);
      if (claims === undefined) throw new Error('The provider sent no ID token.');
      const token = { access: tokens.access_token, subject: claims.sub };
      return {
        subject: claims.sub,
        claims: { ...(await userInfo(server, token, signal)), ...claims },
        ...(tokens.refresh_token === undefined ? {} : { refresh: tokens.refresh_token }),
      };
    },
  };
}
