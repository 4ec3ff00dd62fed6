import type { AuthorizationServer } from 'oauth4webapi';
import { LIMITS } from '../../core/limits.ts';
import { challengeOf } from '../../store/grants.ts';
import type { Services } from '../../operations/services.ts';
import { clientAuthentication, createIssuer, loadOAuth, type Issuer } from './issuer.ts';

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
  /** Asks again about somebody. Undefined when the provider refuses; throws when it cannot be asked. */
  refresh(token: string, subject: string): Promise<Identified | undefined>;
}

/** Refusals that are about this gateway or about the moment, not about the person. */
const NOT_ABOUT_PEOPLE = new Set([
  'invalid_client',
  'unauthorized_client',
  'server_error',
  'temporarily_unavailable',
  'slow_down',
]);

/** The error that the token endpoint names, if it names one. */
const errorIn = (thrown: unknown): string | undefined => {
  const error = thrown instanceof Error && 'error' in thrown ? thrown.error : undefined;
  return typeof error === 'string' ? error : undefined;
};

export function createIdentityProvider(
  services: Services,
  settings: { issuer: string; clientId: string; clientSecret: string | undefined; scopes: readonly string[] },
): IdentityProvider {
  const issuer = createIssuer(services, settings.issuer);
  const client = { client_id: settings.clientId };
  /** What every request to the token endpoint needs. */
  const prepare = async (signal: AbortSignal) => {
    const server = await issuer.metadata(signal);
    const authentication = await clientAuthentication(server, settings.clientSecret);
    return { oauth: await loadOAuth(), server, authentication, options: await issuer.options(signal) };
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
      const { oauth, server, authentication, options } = await prepare(signal);
      const parameters = oauth.validateAuthResponse(server, client, back, state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
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
        claims: { ...(await userInfo(issuer, server, token, signal)), ...claims },
        ...(tokens.refresh_token === undefined ? {} : { refresh: tokens.refresh_token }),
      };
    },
    refresh: async (token, subject) => {
      // Not the client's signal: it may hang up, but the next refresh token must not be lost.
      const signal = AbortSignal.timeout(LIMITS.issuerMs);
      const { oauth, server, authentication, options } = await prepare(signal);
      const response = await oauth.refreshTokenGrantRequest(server, client, authentication, token, options);
      try {
        const tokens = await oauth.processRefreshTokenResponse(server, client, response);
        const claims = oauth.getValidatedIdTokenClaims(tokens);
        if (claims !== undefined) await oauth.validateApplicationLevelSignature(server, response, options);
        if (claims !== undefined && claims.sub !== subject) return undefined;
        const told = await userInfo(issuer, server, { access: tokens.access_token, subject }, signal);
        return { subject, claims: { ...told, ...claims }, refresh: tokens.refresh_token ?? token };
      } catch (thrown) {
        const error = errorIn(thrown);
        if (error === undefined || NOT_ABOUT_PEOPLE.has(error)) throw thrown;
        return undefined;
      }
    },
  };
}

/** Many providers send groups and names only from here. */
async function userInfo(
  issuer: Issuer,
  server: AuthorizationServer,
  token: { access: string; subject: string },
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  if (server.userinfo_endpoint === undefined) return {};
  const headers = { authorization: `Bearer ${token.access}`, accept: 'application/json' };
  const response = await issuer.ask(server.userinfo_endpoint, { headers, signal });
  const claims = response.ok ? ((await response.json()) as Record<string, unknown>) : {};
  if (claims['sub'] !== token.subject)
    throw new Error(`The provider does not describe the person (HTTP ${response.status}).`);
  return claims;
}
