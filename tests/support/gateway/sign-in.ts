import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { HeadgateError } from '../../../src/core/errors.ts';
import type { GuardedFetch } from '../../../src/net/fetch.ts';
import { freePorts } from '../proxy.ts';
import { createTestGateway, type TestGateway } from './gateway.ts';
import type { TestProvider } from './identity-provider.ts';

export const REDIRECT = 'http://localhost:7777/callback';
export const PASSWORD = 'correct horse battery';
/** A client that is described by a document at its id. */
export const DOCUMENT = 'https://claude.ai/oauth/mcp-client.json';
/** A client that the operator has configured. */
export const CONFIGURED = 'known-client';

/** A gateway that clients can sign in to, and a person who may decide. */
export interface SignInWorld {
  gateway: TestGateway;
  url: string;
  workspace: string;
  /** Addresses that were fetched. */
  fetched: string[];
  browser(): Promise<Browser>;
  close(): Promise<void>;
}

/** A gateway to which people sign in through an identity provider, and Mira, who is invited. */
export interface SingleSignOnWorld extends SignInWorld {
  provider: TestProvider;
}

export const MIRA = 'mira@team.example';

export async function createSingleSignOnWorld(
  config: Record<string, unknown> | ((issuer: string) => Record<string, unknown>) = {},
): Promise<SingleSignOnWorld> {
  // Only tests that need the provider load it.
  const { CLIENT_ID, CLIENT_SECRET, startIdentityProvider } = await import('./identity-provider.ts');
  const [port = 0] = await freePorts(1);
  const provider = await startIdentityProvider([`http://127.0.0.1:${port}/console/oidc/callback`]);
  const world = await createSignInWorld({
    'server.port': port,
    'server.public_url': `http://127.0.0.1:${port}`,
    'auth.oidc.issuer': provider.url,
    'auth.oidc.client_id': CLIENT_ID,
    'auth.oidc.client_secret': CLIENT_SECRET,
    'server.requests_per_minute': 100_000,
    ...(typeof config === 'function' ? config(provider.url) : config),
  });
  provider.accounts.set('mira', { email: MIRA, email_verified: true, groups: [] });
  provider.person = 'mira';
  await world.gateway.store.sessions.createSetupToken({ name: MIRA, role: 'member' });
  return {
    ...world,
    provider,
    close: async () => {
      await world.close();
      await provider.close();
    },
  };
}

export async function createSignInWorld(
  config: Record<string, unknown> = {},
  documents: Record<string, unknown> = {},
): Promise<SignInWorld> {
  const [free = 0] = await freePorts(1);
  const port = (config['server.port'] as number | undefined) ?? free;
  const url = `http://127.0.0.1:${port}`;
  const fetched: string[] = [];
  const known: Record<string, unknown> = {
    [DOCUMENT]: { client_id: DOCUMENT, client_name: 'Claude', redirect_uris: [REDIRECT] },
    ...documents,
  };
  const web: GuardedFetch = async (address, options) => {
    fetched.push(address);
    const document = known[address];
    if (document === undefined) throw new HeadgateError('page_status', 'The site answered with HTTP 404.');
    const bytes = new TextEncoder().encode(
      typeof document === 'string' ? document : JSON.stringify(document),
    );
    if (bytes.length > (options.bytesMax ?? Infinity))
      throw new HeadgateError('page_too_large', 'This page is too large.');
    return {
      url: address,
      finalUrl: address,
      status: 200,
      headers: {},
      contentType: 'application/json',
      bytes,
      redirects: [],
    };
  };
  const gateway = await createTestGateway({
    web,
    config: {
      'server.port': port,
      'server.public_url': url,
      'auth.registration': true,
      'auth.clients': [`${CONFIGURED}=${REDIRECT}`],
      'search.provider': ['duckduckgo'],
      ...config,
    },
  });
  await gateway.listen();
  const token = await gateway.store.sessions.createSetupToken();
  await gateway.store.sessions.setUp({ token, name: 'alice', password: PASSWORD });
  const { id: workspace } = await gateway.store.accounts.createWorkspace({ name: 'Team', tier: 'pro' });
  return {
    gateway,
    url,
    workspace,
    fetched,
    browser: async () => {
      const browser = new Browser(url);
      await browser.signIn('alice', PASSWORD);
      return browser;
    },
    close: () => gateway.close(),
  };
}

/** How a client makes itself known. */
export const REGISTRATIONS = ['document', 'dynamic', 'configured'] as const;
export type Registration = (typeof REGISTRATIONS)[number];

/** The memory of an MCP client: its registration, tokens and where it sent the person. */
export interface ClientMemory {
  provider: OAuthClientProvider;
  sentTo(): URL;
  tokens(): { access_token: string; refresh_token?: string };
}

export function createClientMemory(registration: Registration, scope?: string): ClientMemory {
  let client: { client_id: string } | undefined =
    registration === 'configured' ? { client_id: CONFIGURED } : undefined;
  let tokens: unknown;
  let verifier = '';
  let discovered: unknown;
  let sentTo: URL | undefined;
  const provider = {
    redirectUrl: REDIRECT,
    ...(registration === 'document' ? { clientMetadataUrl: DOCUMENT } : {}),
    clientMetadata: {
      client_name: 'Test client',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      ...(scope === undefined ? {} : { scope }),
    },
    clientInformation: () => client,
    saveClientInformation: (given: { client_id: string }) => {
      client = given;
    },
    tokens: () => tokens,
    saveTokens: (given: unknown) => {
      tokens = given;
    },
    redirectToAuthorization: (url: URL) => {
      sentTo = url;
    },
    saveCodeVerifier: (given: string) => {
      verifier = given;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (given: unknown) => {
      discovered = given;
    },
    discoveryState: () => discovered,
  };
  return {
    provider: provider as unknown as OAuthClientProvider,
    sentTo: () => {
      if (sentTo === undefined) throw new Error('The client sent nobody anywhere.');
      return sentTo;
    },
    tokens: () => tokens as { access_token: string },
  };
}

let browsers = 0;

/** Follows a client's authorization URL as a browser would: opens it, reads the consent page, decides, and returns. */
export class Browser {
  readonly cookies = new Map<string, string>();
  private readonly others = new Map<string, Map<string, string>>();
  csrf = '';
  /** Each browser has an address of its own, for gateways behind a proxy. */
  private readonly address = `10.0.0.${(browsers += 1) % 250}`;
  private readonly origin: string;
  constructor(origin: string) {
    this.origin = origin;
  }

  async fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url, this.origin);
    const cookies = this.cookiesOf(origin);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(url, this.origin), {
      redirect: 'manual',
      ...init,
      headers: {
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
        'x-csrf-token': this.csrf,
        'x-forwarded-for': this.address,
        ...(cookie === '' ? {} : { cookie }),
        ...(init.headers as Record<string, string>),
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return response;
  }

  /** Signs in through the identity provider; where the console is then. */
  async signInThrough(to = ''): Promise<string> {
    const landed = await this.follow(`/console/oidc?to=${to}`);
    const session = await this.fetch('/console/session');
    this.csrf = ((await session.json()) as { csrf?: string }).csrf ?? '';
    return landed;
  }

  /** Follows redirects, to the provider too, until the console or `stop` is reached. */
  async follow(from: string, stop?: string): Promise<string> {
    let at = from;
    for (let hops = 0; hops < 10; hops += 1) {
      const response = await this.fetch(at, { headers: { 'sec-fetch-site': 'cross-site' } });
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${at}: ${response.status} ${await response.text()}`);
      at = new URL(location, new URL(at, this.origin)).href;
      if (at.startsWith(`${this.origin}/#`)) return at.slice(this.origin.length + 1);
      if (stop !== undefined && at.startsWith(stop)) return at;
    }
    throw new Error('The redirects have no end.');
  }

  private cookiesOf(origin: string): Map<string, string> {
    if (origin === this.origin) return this.cookies;
    const found = this.others.get(origin) ?? new Map<string, string>();
    this.others.set(origin, found);
    return found;
  }

  async post(path: string, body: unknown): Promise<Response> {
    return this.fetch(path, { method: 'POST', body: JSON.stringify(body) });
  }

  async signIn(name: string, password: string): Promise<void> {
    const response = await this.post('/console/sign-in', { name, password });
    if (!response.ok) throw new Error(await response.text());
    this.csrf = ((await response.json()) as { csrf: string }).csrf;
  }

  /** Opens the address that a client sends people to; the id of the consent, or the refusal. */
  async begin(url: string | URL): Promise<{ id: string } | { refused: Response }> {
    const response = await this.fetch(url, { headers: { 'sec-fetch-site': 'cross-site' } });
    const id = /^\/#\/consent\/([\w-]+)$/.exec(response.headers.get('location') ?? '')?.[1];
    return id === undefined ? { refused: response } : { id };
  }

  /** Decides; where the browser is sent then. */
  async decide(id: string, decision: object): Promise<URL> {
    const response = await this.post(`/console/consent/${id}`, decision);
    if (!response.ok) throw new Error(await response.text());
    return new URL(((await response.json()) as { redirect: string }).redirect);
  }
}
