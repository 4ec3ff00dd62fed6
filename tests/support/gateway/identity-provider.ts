import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import Provider from 'oidc-provider';
import { CLIENT_SCOPES } from '../../../src/gateway/door/resource.ts';

export const CLIENT_ID = 'headgate';
export const CLIENT_SECRET = 'a secret that only the provider and the gateway know';

/** Somebody at the provider. */
export interface TestAccount {
  email?: string;
  email_verified?: boolean;
  groups?: string[];
  [claim: string]: unknown;
}

/** A certified OpenID Connect provider on this machine, at which everybody signs in without being asked. */
export interface TestProvider {
  url: string;
  accounts: Map<string, TestAccount>;
  /** Who sits at the keyboard. */
  person: string;
  /** Every request, as method and path. */
  asked: string[];
  /** Answers instead of the provider when it returns true. */
  instead?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** A token of this provider with these claims. */
  token(claims: object, header?: TokenHeader): string;
  close(): Promise<void>;
}

export interface TokenHeader {
  alg?: string;
  kid?: string;
  typ?: string;
  /** Signed with this instead of the provider's key. */
  key?: KeyObject | string;
}

/** Signs a token with any key: a text for HS256, nothing for `none`. */
function tokenOf(key: KeyObject, claims: object, { key: other, ...header }: TokenHeader): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'ES256', kid: 'first', typ: 'JWT', ...header })}.${part(claims)}`;
  const used = other ?? key;
  if (header.alg === 'none') return `${text}.`;
  const signature =
    typeof used === 'string'
      ? createHmac('sha256', used).update(text).digest()
      : sign('sha256', Buffer.from(text), { key: used, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

export async function startIdentityProvider(redirects: string[]): Promise<TestProvider> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // To a browser this is another site than the gateway at 127.0.0.1.
  const url = `http://localhost:${(server.address() as { port: number }).port}`;
  const test: TestProvider = {
    url,
    accounts: new Map(),
    person: '',
    asked: [],
    token: (claims, header = {}) => tokenOf(privateKey, claims, header),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const provider = createProvider(test, redirects, {
    ...privateKey.export({ format: 'jwk' }),
    use: 'sig',
    alg: 'ES256',
    kid: 'first',
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    test.asked.push(`${request.method} ${request.url?.split('?')[0]}`);
    if (test.instead?.(request, response) === true) return;
    if (request.url?.startsWith('/interaction/') === true)
      void provider.interactionFinished(request, response, {
        login: { accountId: test.person },
        consent: {},
      });
    else void answer(request, response);
  });
  return test;
}

function createProvider(test: TestProvider, redirects: string[], key: object): Provider {
  const provider = new Provider(test.url, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: redirects,
        grant_types: ['authorization_code', 'refresh_token'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [key] },
    // A number for each of them: the defaults say in the log that they are defaults.
    ttl: Object.fromEntries(
      'AccessToken AuthorizationCode Grant IdToken Interaction RefreshToken Session'
        .split(' ')
        .map((name) => [name, 600]),
    ),
    cookies: { keys: ['one key for the cookies of the tests'] },
    scopes: ['openid', 'offline_access', ...CLIENT_SCOPES],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: CLIENT_SCOPES.join(' '),
          audience: resource,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    extraTokenClaims: (_context: unknown, { accountId }: { accountId: string }) => ({
      groups: test.accounts.get(accountId)?.groups,
    }),
    claims: {
      openid: ['sub', 'groups'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username'],
    },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, id: string) =>
      test.accounts.has(id)
        ? { accountId: id, claims: () => ({ ...test.accounts.get(id), sub: id }) }
        : undefined,
    issueRefreshToken: () => true,
    loadExistingGrant: async (context: {
      oidc: {
        client: { clientId: string };
        session: { accountId: string };
        params: { resource?: string };
      };
    }) => {
      const grant = new provider.Grant({
        clientId: context.oidc.client.clientId,
        accountId: context.oidc.session.accountId,
      });
      grant.addOIDCScope(['openid email profile offline_access', ...CLIENT_SCOPES].join(' '));
      const { resource } = context.oidc.params;
      if (resource !== undefined) grant.addResourceScope(resource, CLIENT_SCOPES.join(' '));
      await grant.save();
      return grant;
    },
  });
  return provider;
}
