import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { CLIENT_ID, CLIENT_SECRET, type TokenHeader } from '../support/gateway/identity-provider.ts';
import { until } from '../support/until.ts';
import {
  Browser,
  createClientMemory,
  createSingleSignOnWorld,
  MIRA,
  REDIRECT,
  type SingleSignOnWorld,
} from '../support/gateway/sign-in.ts';

/** Two gateways that trust the same kind of server: one checks signatures, the other asks the server. */
let world: SingleSignOnWorld;
let asking: SingleSignOnWorld;
const settings = (issuer: string) => ({
  'server.behind_proxy': true,
  'auth.issuer': issuer,
  'auth.groups': ['eng=Team:member', 'guests=Team:viewer', 'ops=admin'],
});
beforeAll(async () => {
  world = await createSingleSignOnWorld(settings);
  asking = await createSingleSignOnWorld((issuer) => ({
    ...settings(issuer),
    'auth.introspection_client_id': CLIENT_ID,
    'auth.introspection_client_secret': CLIENT_SECRET,
  }));
});
afterAll(async () => {
  await world.close();
  await asking.close();
});
afterEach(() => {
  world.provider.instead = undefined;
});

type Claims = Record<string, unknown>;
const good = (): Claims => {
  const now = Math.floor(Date.now() / 1_000);
  return {
    iss: world.provider.url,
    aud: `${world.url}/mcp`,
    sub: 'mira',
    client_id: 'some-client',
    jti: randomUUID(),
    iat: now,
    exp: now + 300,
    groups: ['eng'],
  };
};
const tokenWith = (change: Claims = {}, header: TokenHeader = {}) =>
  world.provider.token({ ...good(), ...change }, { typ: 'at+jwt', ...header });

let callers = 0;
/** Each call comes from another address, so that the limit on guesses does not answer for the check. */
const call = (token: string, path = '/mcp', { url } = world, headers: Record<string, string> = {}) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-forwarded-for': `10.1.${Math.floor((callers += 1) / 250)}.${callers % 250}`,
      ...headers,
    },
    body: JSON.stringify(
      path.startsWith('/mcp')
        ? { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
        : { query: 'tidal mills' },
    ),
  });
const statusOf = async (token: string, path?: string) => (await call(token, path)).status;

describe('a token of a foreign authorization server', () => {
  test('is found, got and used by an MCP client without any help', async () => {
    const metadata = await fetch(`${world.url}/.well-known/oauth-protected-resource/mcp`);
    expect(await metadata.json()).toMatchObject({
      resource: `${world.url}/mcp`,
      authorization_servers: [world.provider.url, world.url],
    });
    world.provider.accounts.set('mira', { groups: ['eng'] });
    const memory = createClientMemory('dynamic');
    const connect = async () => {
      const client = new Client({ name: 'test', version: '1' });
      const options = { authProvider: memory.provider };
      const transport = new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), options);
      return { client, transport, done: client.connect(transport) };
    };
    const first = await connect();
    await expect(first.done).rejects.toThrow(/Unauthorized/i);
    expect(memory.sentTo().origin).toBe(world.provider.url);
    const back = await new Browser(world.url).follow(memory.sentTo().href, REDIRECT);
    await first.transport.finishAuth(new URL(back).searchParams);
    const { client, done } = await connect();
    await done;
    const result = await client.callTool({ name: 'web_search', arguments: { query: 'tidal mills' } });
    expect(JSON.stringify(result)).toContain('tidal mills');
    await client.close();
  });

  test('is listed as a key of the workspace that the groups name, and ends with it', async () => {
    const token = tokenWith({ client_id: 'listed-client', sub: 'someone' });
    expect(await statusOf(token)).toBe(200);
    expect(await statusOf(tokenWith({ client_id: 'listed-client', sub: 'someone' }))).toBe(200);
    const { keys } = world.gateway.world.store;
    const found = (await keys.list(world.workspace)).filter(({ client }) => client === 'listed-client');
    expect(found).toMatchObject([{ person: 'someone', label: 'listed-client', revoked: null }]);
    await keys.revoke(found[0]?.id ?? '');
    // The gateway remembers a key for a second.
    await until(async () => (await statusOf(token)) === 401);
  });

  test('is refused when its person is archived, also one that was used before they first signed in', async () => {
    const { store } = world.gateway.world;
    world.provider.accounts.set('mira', { email: MIRA, email_verified: true, groups: ['eng'] });
    const early = tokenWith({ client_id: 'early-client' });
    expect(await statusOf(early)).toBe(200);
    await new Browser(world.url).signInThrough();
    await store.life.archive('person', MIRA);
    const late = tokenWith({ client_id: 'late-client' });
    for (const token of [early, late]) {
      const refused = await call(token);
      expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('archived')]);
    }
    // Nothing is made for somebody who is refused.
    expect((await store.keys.list(world.workspace)).map(({ client }) => client)).not.toContain('late-client');
    await store.life.archive('person', MIRA, false);
    expect([await statusOf(early), await statusOf(late)]).toEqual([200, 200]);
  });

  test('is good only at its own resource, and one for the gateway everywhere but in the admin API', async () => {
    expect(await statusOf(tokenWith(), '/search')).toBe(401);
    const whole = tokenWith({ aud: world.url });
    expect([await statusOf(whole), await statusOf(whole, '/search')]).toEqual([200, 200]);
    const admin = await fetch(`${world.url}/admin/keys`, { headers: { authorization: `Bearer ${whole}` } });
    expect([401, 403]).toContain(admin.status);
    const several = tokenWith({ aud: [`${world.url}/mcp`, 'https://other.example'] });
    expect([await statusOf(several), await statusOf(several, '/search')]).toEqual([200, 401]);
  });

  test('has only the scopes that it names', async () => {
    const response = await call(tokenWith({ aud: world.url, scope: 'extract' }), '/search');
    expect(response.status).toBe(403);
  });

  test('gives nothing without a rule for a workspace', async () => {
    for (const groups of [
      undefined,
      [],
      ['other'],
      ['guests'],
      ['ops'],
      'engineering',
      [['eng']],
      { eng: true },
    ])
      expect([groups, await statusOf(tokenWith({ groups }))]).toEqual([groups, 403]);
  });

  test('works beside API keys and the gateway’s own tokens', async () => {
    const { key } = await world.gateway.newKey();
    expect([await statusOf(key), await statusOf(key, '/search')]).toEqual([200, 200]);
    const own = await fetch(`${world.url}/.well-known/oauth-authorization-server`);
    expect(((await own.json()) as Claims)['issuer']).toBe(world.url);
  });
});

describe('tokens that are refused', () => {
  const { privateKey: foreign } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const REFUSED: [name: string, change: () => Claims, header?: TokenHeader][] = [
    ['for another audience', () => ({ aud: 'https://other.example/mcp' })],
    ['for the resource with a slash', () => ({ aud: `${world.url}/mcp/` })],
    ['for the gateway with a slash', () => ({ aud: `${world.url}/` })],
    ['for a resource that only begins like ours', () => ({ aud: `${world.url}.evil.example/mcp` })],
    ['for another case', () => ({ aud: `${world.url}/MCP` })],
    ['for nobody', () => ({ aud: undefined })],
    ['for the client', () => ({ aud: 'some-client' })],
    ['of another issuer', () => ({ iss: 'https://evil.example' })],
    ['of the issuer with a slash', () => ({ iss: `${world.provider.url}/` })],
    ['that has expired', () => ({ exp: Math.floor(Date.now() / 1_000) - 60 })],
    ['without an end', () => ({ exp: undefined })],
    ['that is not valid yet', () => ({ nbf: Math.floor(Date.now() / 1_000) + 600 })],
    ['without a subject', () => ({ sub: undefined })],
    ['without a client', () => ({ client_id: undefined })],
    ['without an ID', () => ({ jti: undefined })],
    ['bound to a key of its client', () => ({ cnf: { jkt: 'x'.repeat(43) } })],
    ['that is an ID token', () => ({}), { typ: 'JWT' }],
    ['without a type', () => ({}), { typ: '' }],
    ['that nobody signed', () => ({}), { alg: 'none' }],
    ['signed with a secret', () => ({}), { alg: 'HS256', key: CLIENT_SECRET }],
    ['signed with the public key as a secret', () => ({}), { alg: 'HS256', key: 'public' }],
    ['signed with another key', () => ({}), { key: foreign }],
    ['of an unknown key', () => ({}), { kid: 'second' }],
    ['of another algorithm than its key', () => ({}), { alg: 'RS256' }],
  ];
  test.each(REFUSED)('one %s', async (_name, change, header = {}) => {
    const key = header.key === 'public' ? await publicKeyText() : header.key;
    const used = key === undefined ? header : { ...header, key };
    const response = await call(tokenWith(change(), used));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(
      /^Bearer error="invalid_token", resource_metadata=/,
    );
  });
  const publicKeyText = async () => (await fetch(`${world.provider.url}/jwks`)).text();

  test('one in the address, and one with something behind it', async () => {
    expect((await call('', `/mcp?access_token=${tokenWith()}`)).status).toBe(401);
    expect(await statusOf(`${tokenWith()}x`)).toBe(401);
    expect(await statusOf(`${tokenWith()}.x`)).toBe(401);
  });

  test('a flood of tokens of unknown keys does not reach the server', async () => {
    await call(tokenWith());
    world.provider.asked.length = 0;
    for (let index = 0; index < 30; index += 1)
      expect(await statusOf(tokenWith({}, { kid: `unknown-${index}` }))).toBe(401);
    expect(world.provider.asked).toEqual([]);
    // One address that guesses has to wait.
    const guesses = [];
    for (let index = 0; index <= LIMITS.keyGuessesPerMinute; index += 1)
      guesses.push(
        (await call(tokenWith({}, { kid: 'x' }), '/mcp', world, { 'x-forwarded-for': '10.9.9.9' })).status,
      );
    expect(guesses.at(-1)).toBe(429);
  });

  test('an issuer that is not https is not accepted in the configuration', () => {
    const load = (flags: Record<string, unknown>) => () =>
      loadConfig({ flags: { 'server.public_url': 'https://gate.example', ...flags } });
    expect(load({ 'auth.issuer': 'https://login.example' })).not.toThrow();
    expect(load({ 'auth.issuer': 'http://login.example' })).toThrow(/auth.issuer/);
    expect(load({ 'auth.issuer': 'https://login.example', 'server.public_url': undefined })).toThrow(
      /needs server.public_url/,
    );
  });
});

describe('a server that is asked about tokens', () => {
  const answer = (claims: Claims | undefined, status = 200) => {
    asking.provider.instead = (request, response) => {
      if (claims === undefined || request.url?.startsWith('/token/introspection') !== true) return false;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(claims));
      return true;
    };
  };
  const active = (): Claims => {
    const { jti: _jti, ...claims } = good();
    return { ...claims, active: true, iss: asking.provider.url, aud: `${asking.url}/mcp` };
  };
  const ask = async (token: string, path?: string) => (await call(token, path, asking)).status;

  test('vouches for opaque tokens', async () => {
    answer(active());
    expect(await ask(randomUUID())).toBe(200);
    answer({ ...active(), aud: asking.url });
    expect(await ask(randomUUID(), '/search')).toBe(200);
  });
  test('really does not know a token that it did not issue', async () => {
    answer(undefined);
    asking.provider.asked.length = 0;
    expect(await ask(randomUUID())).toBe(401);
    expect(asking.provider.asked).toContain('POST /token/introspection');
  });
  test.each<[string, Claims, number, number]>([
    ['that is not active', { active: false }, 200, 401],
    ['that does not say', { active: undefined }, 200, 401],
    ['for another audience', { aud: 'https://other.example' }, 200, 401],
    ['without an audience', { aud: undefined }, 200, 401],
    ['of another issuer', { iss: 'https://evil.example' }, 200, 401],
    ['that has expired', { exp: 1 }, 200, 401],
    ['without a subject', { sub: undefined }, 200, 401],
    ['bound to a key of its client', { cnf: { jkt: 'x' } }, 200, 401],
    ['when it does not know us', {}, 401, 503],
    ['when it fails', {}, 500, 503],
  ])('a token %s', async (_name, change, status, expected) => {
    answer({ ...active(), ...change }, status);
    expect(await ask(randomUUID())).toBe(expected);
  });
});
