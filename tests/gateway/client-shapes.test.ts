import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { createHandshakes, HANDSHAKE_FIXES } from '../../src/gateway/door/handshakes.ts';
import { ADMIN } from '../support/gateway/gateway.ts';
import { createSignInWorld, type SignInWorld } from '../support/gateway/sign-in.ts';

/**
 * How hosted and installed clients ask, by their public documentation and reports: what they are called, where
 * they return to, which documents they read first, and which parameters they send.
 */
interface Shape {
  /** The documents that it reads, in order; the first that is there counts. */
  reads: string[];
  /** The address of its own document; without one it registers. */
  document?: string;
  name: string;
  redirects: string[];
  /** Where it really returns to. */
  redirect: string;
  scope?: string;
  state: string;
  /** Which of its requests name the resource. */
  resource: ('authorize' | 'token' | 'refresh')[];
  extra?: Record<string, string>;
}

const PRM = '/.well-known/oauth-protected-resource';
const SHAPES: Record<string, Shape> = {
  'claude.ai': {
    reads: [`${PRM}/mcp`, PRM],
    document: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
    name: 'Claude',
    redirects: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
    redirect: 'https://claude.ai/api/mcp/auth_callback',
    scope: 'search extract',
    state: 'q-2fV_x1',
    resource: ['authorize', 'token', 'refresh'],
  },
  'claude.ai, registering': {
    reads: [`${PRM}/mcp`],
    name: 'Claude',
    redirects: ['https://claude.ai/api/mcp/auth_callback'],
    redirect: 'https://claude.ai/api/mcp/auth_callback',
    state: 'q-2fV_x1',
    resource: ['authorize', 'token'],
  },
  ChatGPT: {
    reads: [`${PRM}/mcp`, PRM],
    document: 'https://chatgpt.com/oauth/abc123/client.json',
    name: 'ChatGPT',
    redirects: ['https://chatgpt.com/connector/oauth/abc123'],
    redirect: 'https://chatgpt.com/connector/oauth/abc123',
    // Scopes that the gateway does not know are left out, not refused.
    scope: 'search tools offline_access',
    state: 'oauth_s_68f0',
    resource: ['authorize', 'token', 'refresh'],
  },
  'VS Code': {
    reads: [PRM],
    name: 'Visual Studio Code',
    redirects: [
      'https://insiders.vscode.dev/redirect',
      'https://vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://127.0.0.1:33418/',
    ],
    // Its usual port was taken.
    redirect: 'http://127.0.0.1:59656/',
    scope: 'search extract crawl research tools',
    state: 'ey/lnTwSm9FUcQN/Qds+Cg==',
    resource: ['authorize'],
  },
  Cursor: {
    reads: [PRM, `${PRM}/mcp`],
    name: 'Cursor',
    redirects: ['cursor://anysphere.cursor-mcp/oauth/callback'],
    redirect: 'cursor://anysphere.cursor-mcp/oauth/callback',
    state: '{"id":"user-headgate"}',
    resource: [],
    extra: { prompt: 'consent' },
  },
  Zed: {
    reads: [`${PRM}/mcp`],
    document: 'https://zed.dev/oauth/client-metadata.json',
    name: 'Zed',
    redirects: ['http://127.0.0.1/callback', 'http://127.0.0.1:27523/callback'],
    redirect: 'http://127.0.0.1:40111/callback',
    state: 'Zed0',
    resource: ['authorize', 'token', 'refresh'],
  },
};

let world: SignInWorld;
beforeAll(async () => {
  const documents = Object.values(SHAPES).flatMap(({ document, name, redirects }) =>
    document === undefined
      ? []
      : [[document, { client_id: document, client_name: name, redirect_uris: redirects }] as const],
  );
  world = await createSignInWorld({}, Object.fromEntries(documents));
});
afterAll(() => world.close());

const json = async (response: Response) => (await response.json()) as Record<string, string>;

async function found(shape: Shape): Promise<{ resource: string; server: Record<string, string> }> {
  const asked = await fetch(`${world.url}/mcp`, { method: 'POST', body: '{}' });
  expect(asked.status).toBe(401);
  expect(asked.headers.get('www-authenticate')).toContain('resource_metadata=');
  for (const path of shape.reads) {
    const answer = await fetch(`${world.url}${path}`, { headers: { 'user-agent': `${shape.name}/1.0` } });
    if (!answer.ok) continue;
    const { resource = '' } = await json(answer);
    const server = await json(await fetch(`${world.url}/.well-known/oauth-authorization-server`));
    return { resource, server };
  }
  throw new Error('No document was found.');
}

const register = async (shape: Shape, server: Record<string, string>): Promise<string> =>
  shape.document ??
  (
    await json(
      await fetch(server['registration_endpoint'] ?? '', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          client_name: shape.name,
          redirect_uris: shape.redirects,
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
        }),
      }),
    )
  )['client_id'] ??
  '';

const tokenRequest = async (server: Record<string, string>, form: Record<string, string>) =>
  fetch(server['token_endpoint'] ?? '', { method: 'POST', body: new URLSearchParams(form) });

/** Signs in as a client of this shape does, and returns its tokens. */
async function signIn(shape: Shape, allow = true) {
  const { resource, server } = await found(shape);
  const client = await register(shape, server);
  const verifier = randomBytes(48).toString('base64url');
  const named = (request: 'authorize' | 'token' | 'refresh') =>
    shape.resource.includes(request) ? { resource } : ({} as Record<string, string>);
  const to = new URL(server['authorization_endpoint'] ?? '');
  to.search = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: shape.redirect,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: shape.state,
    ...(shape.scope === undefined ? {} : { scope: shape.scope }),
    ...named('authorize'),
    ...shape.extra,
  }).toString();
  const browser = await world.browser();
  const begun = await browser.begin(to);
  if ('refused' in begun) throw new Error(await begun.refused.text());
  const back = await browser.decide(begun.id, { allow, workspace: world.workspace });
  expect(back.href.startsWith(shape.redirect)).toBe(true);
  expect([back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual([shape.state, world.url]);
  const form = {
    grant_type: 'authorization_code',
    client_id: client,
    redirect_uri: shape.redirect,
    code: back.searchParams.get('code') ?? '',
    code_verifier: verifier,
    ...named('token'),
  };
  return { client, server, form, named };
}

async function callTool(token: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${world.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'web_search', arguments: { query: 'tidal mills' } },
    }),
  });
  return { status: answer.status, text: await answer.text() };
}

const latest = async () => {
  const answer = await fetch(`${world.url}/admin/handshakes`, {
    headers: { authorization: `Bearer ${ADMIN}` },
  });
  return ((await answer.json()) as { handshakes: Record<string, unknown>[] }).handshakes;
};

describe('clients as they really ask', () => {
  test.each(Object.keys(SHAPES))('%s reaches a tool, and again after a refresh', async (name) => {
    const shape = SHAPES[name] as Shape;
    const { client, server, form, named } = await signIn(shape);
    const first = await json(await tokenRequest(server, form));
    expect(first).toMatchObject({ token_type: 'Bearer', expires_in: 600 });
    const called = await callTool(first['access_token'] ?? '');
    expect([called.status, called.text]).toEqual([200, expect.stringContaining('tidal mills')]);
    const [seen] = await latest();
    expect(seen).toMatchObject({ client, step: 'call', failure: null });
    const refresh = {
      grant_type: 'refresh_token',
      client_id: client,
      refresh_token: first['refresh_token'] ?? '',
      ...named('refresh'),
    };
    const second = await json(await tokenRequest(server, refresh));
    expect((await callTool(second['access_token'] ?? '')).status).toBe(200);
    const text = JSON.stringify(await latest());
    for (const secret of [form.code, form.code_verifier, first['access_token'], first['refresh_token']])
      expect(text).not.toContain(secret);
  });
});

describe('the last sign-ins of clients', () => {
  const shape = SHAPES['claude.ai'] as Shape;
  const authorize = async (change: Record<string, string>) => {
    const parameters = {
      response_type: 'code',
      client_id: shape.document ?? '',
      redirect_uri: shape.redirect,
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
      ...change,
    };
    await fetch(`${world.url}/oauth/authorize?${new URLSearchParams(parameters).toString()}`, {
      redirect: 'manual',
    });
  };

  test('say what failed at which step, and what to do', async () => {
    const { server } = await found(shape);
    const failures: [step: string, code: string, fail: () => Promise<unknown>][] = [
      [
        'authorize',
        'invalid_client',
        () => authorize({ client_id: 'https://elsewhere.example/client.json' }),
      ],
      ['authorize', 'invalid_request', () => authorize({ redirect_uri: 'https://claude.ai/elsewhere' })],
      ['authorize', 'invalid_request', () => authorize({ code_challenge_method: 'plain' })],
      ['authorize', 'invalid_target', () => authorize({ resource: 'https://elsewhere.example/mcp' })],
      ['consent', 'access_denied', () => signIn(shape, false)],
      [
        'token',
        'invalid_client',
        () => tokenRequest(server, { grant_type: 'refresh_token', client_id: 'gone' }),
      ],
      [
        'token',
        'invalid_grant',
        () =>
          tokenRequest(server, {
            grant_type: 'refresh_token',
            client_id: shape.document ?? '',
            refresh_token: 'used',
          }),
      ],
      [
        'register',
        'invalid_redirect_uri',
        () =>
          fetch(server['registration_endpoint'] ?? '', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ client_name: 'X', redirect_uris: ['javascript:alert(1)'] }),
          }),
      ],
    ];
    for (const [step, code, fail] of failures) {
      await fail();
      const [entry] = await latest();
      const fix = HANDSHAKE_FIXES[`${step}.${code}`];
      expect(fix).toBeTruthy();
      expect(entry).toMatchObject({ step, failure: { code, fix, error: expect.stringMatching(/\w \w/) } });
    }
  });

  test('are bounded, and what clients call themselves is one short line', () => {
    const handshakes = createHandshakes(systemClock);
    for (let at = 0; at < 60; at += 1)
      handshakes.note({
        address: `10.0.0.${at}`,
        step: 'authorize',
        client: `https://x.example/${at}\n${'y'.repeat(5_000)}`,
        name: `<img src=x onerror=alert(1)>\n${'z'.repeat(5_000)}`,
      });
    const rows = handshakes.latest();
    expect(rows).toHaveLength(50);
    for (const { client, name } of rows) {
      expect([(client ?? '').length <= 201, name.length <= 81]).toEqual([true, true]);
      expect(`${client}${name}`).not.toContain('\n');
    }
  });

  test('every fix is there in Japanese', async () => {
    const file = new URL('../../src/gateway/console/static/deeds.js', import.meta.url).href;
    const { FIXES_JA } = (await import(file)) as { FIXES_JA: Record<string, string> };
    expect(Object.keys(FIXES_JA)).toEqual(Object.keys(HANDSHAKE_FIXES));
  });
});
