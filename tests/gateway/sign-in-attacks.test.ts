import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import type { CorpusLine } from '../../src/net/ssrf-corpus.ts';
import { challengeOf } from '../../src/store/grants.ts';
import { isRegistered } from '../../src/gateway/oauth/redirect.ts';
import { until } from '../support/until.ts';
import {
  Browser,
  CONFIGURED,
  createSignInWorld,
  DOCUMENT,
  PASSWORD,
  REDIRECT,
  type SignInWorld,
} from '../support/gateway/sign-in.ts';

let world: SignInWorld;
const document = (id: string, change: object = {}) => ({
  [id]: { client_id: id, client_name: 'Client', redirect_uris: [REDIRECT], ...change },
});
const at = (name: string) => `https://claude.ai/${name}.json`;

beforeAll(async () => {
  world = await createSignInWorld(
    { 'server.requests_per_minute': 100_000 },
    {
      ...document(at('other'), { client_id: DOCUMENT }),
      ...document(at('script'), { redirect_uris: ['javascript:alert(1)'] }),
      ...document(at('nameless'), { client_name: undefined }),
      ...document(at('large'), { padding: 'x'.repeat(5_000_000) }),
      [at('words')]: 'not JSON',
      ...document('https://evil.example/client.json'),
    },
  );
});
afterAll(() => world.close());

const VERIFIER = randomBytes(32).toString('base64url');
const good = () => ({
  response_type: 'code',
  client_id: CONFIGURED,
  redirect_uri: REDIRECT,
  code_challenge: challengeOf(VERIFIER),
  code_challenge_method: 'S256',
  resource: `${world.url}/mcp`,
  state: 'kept',
});
type Asked = Record<string, string | undefined>;
const authorizeUrl = (change: Asked = {}, extra = ''): string => {
  const asked = Object.entries({ ...good(), ...change }).filter(([, value]) => value !== undefined);
  return `${world.url}/oauth/authorize?${new URLSearchParams(asked).toString()}${extra}`;
};

/** What becomes of a request: `page` (nobody is sent anywhere), the error that is sent back, or `consent`. */
async function outcome(url: string, browser = new Browser(world.url)): Promise<string> {
  const begun = await browser.begin(url);
  if ('id' in begun) return 'consent';
  const location = begun.refused.headers.get('location');
  if (location === null) return `page ${begun.refused.status}`;
  expect(location.startsWith(REDIRECT)).toBe(true);
  const back = new URL(location);
  expect(back.searchParams.get('iss')).toBe(world.url);
  return back.searchParams.get('error') ?? 'nothing';
}

async function codeOf(change: Asked = {}, decision: object = {}): Promise<string> {
  const browser = await world.browser();
  const begun = await browser.begin(authorizeUrl(change));
  if ('refused' in begun) throw new Error(await begun.refused.text());
  const back = await browser.decide(begun.id, { allow: true, workspace: world.workspace, ...decision });
  expect(back.searchParams.get('state')).toBe('kept');
  return back.searchParams.get('code') ?? '';
}

const post = async (path: string, form: Asked) => {
  const filled = Object.entries(form).filter(([, value]) => value !== undefined);
  const response = await fetch(`${world.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(filled as [string, string][]),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};
const redeem = (code: string, change: Asked = {}) =>
  post('/oauth/token', {
    grant_type: 'authorization_code',
    code,
    client_id: CONFIGURED,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    ...change,
  });
const refresh = (token: string | undefined, change: Asked = {}) =>
  post('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: CONFIGURED,
    ...change,
  });
const search = (token: string | undefined, path = '/search') =>
  fetch(`${world.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(
      path === '/search' ? { query: 'mills' } : { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    ),
  });
const works = async (token: string | undefined, path = '/mcp') => (await search(token, path)).status;

/** What is revoked elsewhere is refused here within the second that a gateway remembers a key. */
const isEnded = (token: string | undefined) => until(async () => (await works(token)) === 401);

describe('requests that are refused before anybody is asked', () => {
  const REFUSED: [name: string, change: () => Asked, expected: string][] = [
    ['an unknown client', () => ({ client_id: 'nobody' }), 'page 400'],
    ['no client', () => ({ client_id: undefined }), 'page 400'],
    ['no redirect', () => ({ redirect_uri: undefined }), 'page 400'],
    ['a redirect that is not registered', () => ({ redirect_uri: 'https://evil.example/' }), 'page 400'],
    ['a document at another host', () => ({ client_id: 'https://evil.example/client.json' }), 'page 400'],
    ['a document of another client', () => ({ client_id: at('other') }), 'page 400'],
    [
      'a document with a script as redirect',
      () => ({ client_id: at('script'), redirect_uri: 'javascript:alert(1)' }),
      'page 400',
    ],
    ['a document without a name', () => ({ client_id: at('nameless') }), 'page 400'],
    ['a document of 5 MB', () => ({ client_id: at('large') }), 'page 400'],
    ['a document that is not JSON', () => ({ client_id: at('words') }), 'page 400'],
    ['a document that is not there', () => ({ client_id: at('missing') }), 'page 400'],
    ['a document with a user', () => ({ client_id: 'https://a@claude.ai/c.json' }), 'page 400'],
    ['a document with a port', () => ({ client_id: 'https://claude.ai:8443/c.json' }), 'page 400'],
    ['a document over http', () => ({ client_id: 'http://claude.ai/c.json' }), 'page 400'],
    ['a document with dots', () => ({ client_id: 'https://claude.ai/a/../c.json' }), 'page 400'],
    [
      'a document at a look-alike host',
      () => ({ client_id: 'https://claude.ai.evil.example/c.json' }),
      'page 400',
    ],
    ['no challenge', () => ({ code_challenge: undefined }), 'invalid_request'],
    ['a plain challenge', () => ({ code_challenge_method: 'plain' }), 'invalid_request'],
    ['a challenge without its method', () => ({ code_challenge_method: undefined }), 'invalid_request'],
    ['a short challenge', () => ({ code_challenge: 'abc' }), 'invalid_request'],
    ['a token instead of a code', () => ({ response_type: 'token' }), 'unsupported_response_type'],
    ['a foreign resource', () => ({ resource: 'https://other.example/mcp' }), 'invalid_target'],
    ['a resource with a slash', () => ({ resource: `${world.url}/mcp/` }), 'invalid_target'],
    [
      'a resource that only begins like ours',
      () => ({ resource: `${world.url}.evil.example/mcp` }),
      'invalid_target',
    ],
    ['a resource of the admin API', () => ({ resource: `${world.url}/admin` }), 'invalid_target'],
    ['a long state', () => ({ state: 'x'.repeat(4_001) }), 'invalid_request'],
  ];
  test.each(REFUSED)('%s', async (_name, change, expected) => {
    expect(await outcome(authorizeUrl(change()))).toBe(expected);
  });

  test('a parameter that is sent twice', async () => {
    expect(await outcome(authorizeUrl({}, '&client_id=other'))).toBe('page 400');
    expect(
      await outcome(authorizeUrl({}, `&redirect_uri=${encodeURIComponent('https://evil.example/')}`)),
    ).toBe('page 400');
  });

  test('no document is fetched from a host that is not listed', async () => {
    world.fetched.length = 0;
    const corpus = readFileSync(new URL('../../src/net/fixtures/ssrf.jsonl', import.meta.url), 'utf8');
    const lines = corpus.split('\n').filter((line) => line !== '');
    const hosts = lines.map((line) =>
      (JSON.parse(line) as CorpusLine).url.replace(/^[a-z]+:\/*/i, 'https://'),
    );
    expect(hosts.length).toBeGreaterThan(200);
    for (const [index, id] of hosts.entries()) {
      // Fifty from each address, so that the limit on sign-ins does not answer for the check.
      const url = authorizeUrl({ client_id: id });
      const response = await world.gateway.app.request(
        url,
        { headers: { host: new URL(world.url).host } },
        { incoming: { socket: { remoteAddress: `10.0.0.${Math.floor(index / 50)}` } } },
      );
      expect([id, response.status]).toEqual([id, 400]);
    }
    expect(world.fetched).toEqual([]);
  });
});

describe('redirects', () => {
  const REGISTERED = [
    'https://app.example/callback',
    'http://127.0.0.1/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
  ];
  test.each([
    'https://app.example/callback',
    'http://127.0.0.1:9999/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
  ])('%s is accepted', (redirect) => expect(isRegistered(redirect, REGISTERED)).toBe(true));
  test.each([
    'https://app.example/callback/',
    'https://app.example/callback?x=1',
    'https://app.example/callback#x',
    'https://app.example/Callback',
    'https://app.example/callback/../evil',
    'https://app.example/%63allback',
    'https://app.example:443/callback',
    'https://app.example:8443/callback',
    'https://APP.example/callback',
    'https://app.example./callback',
    'https://app.example.evil.example/callback',
    'https://evil.example/https://app.example/callback',
    'https://app.example@evil.example/callback',
    'https://user:password@app.example/callback',
    'https://evil.example#@app.example/callback',
    'https://evil.example\\@app.example/callback',
    'https:app.example/callback',
    'https:/app.example/callback',
    'https://app.example\t/callback',
    ' https://app.example/callback',
    'https://app.example/callback\n',
    'http://app.example/callback',
    '//app.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://127.0.0.1:80@evil.example/callback',
    'http://127.1/callback',
    'http://0x7f.0.0.1/callback',
    'http://[::ffff:127.0.0.1]/callback',
    'http://127.0.0.1/callback/x',
    'http://localhost/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'cursor://other/oauth/callback',
    'https://app.example/*',
    '',
  ])('%j is refused', (redirect) => expect(isRegistered(redirect, REGISTERED)).toBe(false));
});

describe('consent', () => {
  test('is only given by the browser that began, signed in, from the console', async () => {
    const attacker = await world.browser();
    const begun = await attacker.begin(authorizeUrl());
    const id = 'id' in begun ? begun.id : '';
    const decision = { allow: true, workspace: world.workspace };
    // The victim is signed in and opens what the attacker began.
    const victim = await world.browser();
    expect((await victim.fetch(`/console/consent/${id}`)).status).toBe(404);
    expect((await victim.post(`/console/consent/${id}`, decision)).status).toBe(404);
    const signedOut = new Browser(world.url);
    expect((await signedOut.post(`/console/consent/${id}`, decision)).status).toBe(401);
    const { csrf } = attacker;
    attacker.csrf = '';
    expect((await attacker.post(`/console/consent/${id}`, decision)).status).toBe(403);
    attacker.csrf = csrf;
    const crossSite = await attacker.fetch(`/console/consent/${id}`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
      body: JSON.stringify(decision),
    });
    expect(crossSite.status).toBe(403);
    expect((await attacker.post(`/console/consent/${id}`, decision)).status).toBe(200);
    expect((await attacker.post(`/console/consent/${id}`, decision)).status).toBe(404);
  });

  test('is not given by somebody who may only look', async () => {
    const viewer = await world.browser();
    const begun = await viewer.begin(authorizeUrl());
    const path = `/console/consent/${'id' in begun ? begun.id : ''}`;
    const { people, sessions } = world.gateway.store;
    const token = await sessions.createSetupToken({ name: 'owner', role: 'owner' });
    await sessions.setUp({ token, name: 'owner', password: PASSWORD });
    await people.setRole('alice', 'viewer');
    expect((await viewer.fetch(path)).status).toBe(403);
    expect((await viewer.post(path, { allow: true, workspace: world.workspace })).status).toBe(403);
    await people.setRole('alice', 'member');
    expect((await viewer.post(path, { allow: true, workspace: world.workspace })).status).toBe(200);
    await people.setRole('alice', 'owner');
  });

  test('gives less than was asked for, never more', async () => {
    const { body } = await redeem(await codeOf({ scope: 'search' }, { scopes: ['search', 'crawl'] }));
    expect(body['scope']).toBe('search');
    const more = await world.browser();
    const begun = await more.begin(authorizeUrl({ scope: 'search' }));
    const id = 'id' in begun ? begun.id : '';
    const admin = { allow: true, workspace: world.workspace, scopes: ['admin:write'] };
    expect((await more.post(`/console/consent/${id}`, admin)).status).toBe(400);
  });

  test('a refusal is sent back, and nothing is given', async () => {
    const browser = await world.browser();
    const begun = await browser.begin(authorizeUrl());
    const back = await browser.decide('id' in begun ? begun.id : '', { allow: false });
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'access_denied', state: 'kept' });
    expect(back.searchParams.get('code')).toBeNull();
  });
});

describe('codes', () => {
  const WRONG: [name: string, change: Asked, error: string][] = [
    ['no verifier', { code_verifier: undefined }, 'invalid_request'],
    ['another verifier', { code_verifier: 'v'.repeat(43) }, 'invalid_grant'],
    ['the challenge as verifier', { code_verifier: challengeOf(VERIFIER) }, 'invalid_grant'],
    ['another client', { client_id: DOCUMENT }, 'invalid_grant'],
    ['an unknown client', { client_id: 'nobody' }, 'invalid_client'],
    ['another redirect', { redirect_uri: 'http://localhost:7778/callback' }, 'invalid_grant'],
    ['a foreign resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['another grant', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
  ];
  test.each(WRONG)('are not redeemed with %s', async (_name, change, error) => {
    const code = await codeOf();
    expect((await redeem(code, change)).body).toMatchObject({ error });
    expect((await redeem(code)).status).toBe(200);
  });

  test('a resource that was not allowed ends the grant', async () => {
    const code = await codeOf();
    expect((await redeem(code, { resource: world.url })).body['error']).toBe('invalid_target');
    expect((await redeem(code)).body['error']).toBe('invalid_grant');
  });

  test('work once: the second use ends what the first gave', async () => {
    const code = await codeOf();
    const first = await redeem(code);
    expect(await works(first.body['access_token'])).toBe(200);
    expect((await redeem(code)).body['error']).toBe('invalid_grant');
    await isEnded(first.body['access_token']);
    expect((await refresh(first.body['refresh_token'])).body['error']).toBe('invalid_grant');
  });

  test('of many who redeem one at once, at most one succeeds', async () => {
    const code = await codeOf();
    const tries = await Promise.all(Array.from({ length: 8 }, () => redeem(code)));
    expect(tries.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });
});

describe('tokens', () => {
  test('are for one resource', async () => {
    const mcp = await redeem(await codeOf());
    expect(await works(mcp.body['access_token'], '/mcp')).toBe(200);
    expect(await works(mcp.body['access_token'], '/search')).toBe(401);
    expect(await works(mcp.body['access_token'], '/mcp/agents/agent_x')).toBe(401);
    const all = await redeem(await codeOf({ resource: world.url }));
    expect(await works(all.body['access_token'], '/mcp')).toBe(200);
    expect(await works(all.body['access_token'], '/search')).toBe(200);
  });

  test('do not open the admin API or the console, and are not read from the address', async () => {
    const { body } = await redeem(await codeOf({ resource: world.url }));
    const token = body['access_token'] ?? '';
    const admin = await fetch(`${world.url}/admin/keys`, { headers: { authorization: `Bearer ${token}` } });
    expect(admin.status).toBe(401);
    const query = await fetch(`${world.url}/search?access_token=${token}`, { method: 'POST', body: '{}' });
    expect(query.status).toBe(401);
  });

  test('refresh tokens rotate; a used one ends the family', async () => {
    const first = await redeem(await codeOf());
    const second = await refresh(first.body['refresh_token']);
    expect(second.status).toBe(200);
    expect(await works(second.body['access_token'])).toBe(200);
    const other = await refresh(second.body['refresh_token'], { client_id: DOCUMENT });
    expect(other.body['error']).toBe('invalid_grant');
    // A client that sent its refresh twice at once is only refused.
    expect((await refresh(first.body['refresh_token'])).body['error']).toBe('invalid_grant');
    expect((await refresh(second.body['refresh_token'])).status).toBe(200);
    await world.gateway.store.database.write([
      { sql: 'UPDATE oauth_tokens SET used = used - 60000 WHERE used IS NOT NULL' },
    ]);
    expect((await refresh(first.body['refresh_token'])).body['error']).toBe('invalid_grant');
    await isEnded(second.body['access_token']);
  });

  test('end when they are revoked, and when the key is', async () => {
    const one = await redeem(await codeOf());
    const revoke = (client: string) =>
      post('/oauth/revoke', { token: one.body['refresh_token'], client_id: client });
    await revoke(DOCUMENT);
    expect(await works(one.body['access_token'])).toBe(200);
    await revoke(CONFIGURED);
    expect(await works(one.body['access_token'])).toBe(401);
    const two = await redeem(await codeOf());
    expect(await works(two.body['access_token'])).toBe(200);
    const keys = await world.gateway.store.keys.list(world.workspace);
    const last = keys.findLast(({ revoked }) => revoked === null);
    await world.gateway.store.keys.revoke(last?.id ?? '');
    await isEnded(two.body['access_token']);
    expect((await refresh(two.body['refresh_token'])).body['error']).toBe('invalid_grant');
  });

  test('are stored as hashes only', async () => {
    const { body } = await redeem(await codeOf());
    const rows = JSON.stringify(await world.gateway.store.database.read('SELECT * FROM oauth_tokens'));
    expect(rows).not.toContain(body['access_token']);
    expect(rows).not.toContain(body['refresh_token']);
  });
});

describe('challenges', () => {
  test('say where to sign in', async () => {
    const bare = await fetch(`${world.url}/mcp`, { method: 'POST' });
    expect(bare.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${world.url}/.well-known/oauth-protected-resource/mcp", scope="search extract crawl research tools"`,
    );
    const wrong = await search('hg_oat_wrong');
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"');
    const metadata = await fetch(`${world.url}/.well-known/oauth-protected-resource/mcp/agents/agent_1`);
    expect(await metadata.json()).toMatchObject({ resource: `${world.url}/mcp/agents/agent_1` });
    expect((await fetch(`${world.url}/.well-known/oauth-protected-resource/admin`)).status).toBe(404);
  });

  test('ask for more when a tool needs more', async () => {
    const { body } = await redeem(await codeOf({ scope: 'search' }));
    const call = (name: string, input: object) =>
      fetch(`${world.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${body['access_token']}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: input },
        }),
      });
    const refused = await call('fetch_url', { url: 'https://mill.example/' });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toMatch(
      /^Bearer error="insufficient_scope", .*scope="search extract"$/,
    );
    expect((await call('web_search', { query: 'mills' })).status).toBe(200);
  });
});

describe('registration', () => {
  test('is limited, and refuses redirects that nobody may be sent to', async () => {
    const register = async (body: object) =>
      (
        await fetch(`${world.url}/oauth/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).status;
    expect(await register({ redirect_uris: ['javascript:alert(1)'] })).toBe(400);
    expect(await register({})).toBe(400);
    const flood = [];
    for (let index = 0; index < 20; index += 1) flood.push(await register({ redirect_uris: [REDIRECT] }));
    expect(flood.filter((status) => status === 201).length).toBeLessThanOrEqual(
      LIMITS.registrationsPerMinute,
    );
    expect(flood.at(-1)).toBe(429);
  });

  test('is off unless it is switched on', async () => {
    const closed = await createSignInWorld({ 'auth.registration': false });
    try {
      const response = await fetch(`${closed.url}/oauth/register`, { method: 'POST', body: '{}' });
      expect(response.status).toBe(404);
      const metadata = await fetch(`${closed.url}/.well-known/oauth-authorization-server`);
      expect(await metadata.json()).not.toHaveProperty('registration_endpoint');
    } finally {
      await closed.close();
    }
  });
});
