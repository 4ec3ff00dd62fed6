import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestClock } from '../support/clock.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { signUp, type ConsoleUser } from '../support/console/user.ts';

const PASSWORD = 'correct horse battery';
const clock = createTestClock(Date.now());
let gateway: TestGateway;
let user: ConsoleUser;
beforeAll(async () => {
  gateway = await createTestGateway({ clock });
  user = await signUp(gateway, PASSWORD);
});
beforeEach(() => clock.advance(60_000));
afterAll(() => gateway.close());

const OURS = { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1' };
const signIn = (password: string, headers: Record<string, string> = OURS, name = 'admin') =>
  gateway.post('/console/sign-in', { name, password }, headers);

describe('the setup link', () => {
  test('works once, and not after an hour', async () => {
    const fresh = await createTestGateway({ clock });
    try {
      const session = await fresh.app.request('http://127.0.0.1/console/session');
      expect(await session.json()).toMatchObject({ needsSetup: true });
      const token = await fresh.store.sessions.createSetupToken();
      const setUp = (used: string) =>
        fresh.post('/console/setup', { token: used, name: 'admin', password: PASSWORD }, OURS);
      expect((await setUp(`${token}x`)).status).toBe(403);
      expect((await setUp(token)).status).toBe(200);
      expect((await setUp(token)).status).toBe(403);
      const late = await fresh.store.sessions.createSetupToken();
      clock.advance(LIMITS.setupLinkMs + 1);
      expect((await setUp(late)).status).toBe(403);
    } finally {
      await fresh.close();
    }
  });

  test('of two who use it at the same moment, one gets in', async () => {
    const token = await gateway.store.sessions.createSetupToken();
    const tries = ['one', 'two'].map((name) =>
      gateway.store.sessions
        .setUp({ token, name, password: PASSWORD })
        .then((admin) => (admin === undefined ? 'out' : 'in')),
    );
    expect((await Promise.all(tries)).sort()).toEqual(['in', 'out']);
  });

  test('a short password is refused before the link is used up', async () => {
    const token = await gateway.store.sessions.createSetupToken();
    const setUp = (password: string) =>
      gateway.post('/console/setup', { token, name: 'second', password }, OURS);
    expect((await setUp('short')).status).toBe(400);
    expect((await setUp(PASSWORD)).status).toBe(200);
  });
});

describe('signing in', () => {
  test('gives a cookie that scripts and other sites do not get', async () => {
    const response = await signIn(PASSWORD);
    expect(response.status).toBe(200);
    expect(response.headers.get('set-cookie')).toMatch(
      /^headgate_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const kept = await gateway.store.database.read('SELECT * FROM sessions');
    const token = /=([\w-]{43});/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '-';
    expect(JSON.stringify(kept)).not.toContain(token);
  });

  test('over https the cookie is Secure and bound to the host', async () => {
    const proxied = await createTestGateway({ clock, config: { 'server.behind_proxy': true } });
    try {
      const token = await proxied.store.sessions.createSetupToken();
      const body = { token, name: 'admin', password: PASSWORD };
      const headers = { ...OURS, 'x-forwarded-proto': 'https' };
      const response = await proxied.post('/console/setup', body, headers);
      expect(response.headers.get('set-cookie')).toMatch(
        /^__Host-headgate_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      );
    } finally {
      await proxied.close();
    }
  });

  test('a wrong password and an unknown name get the same answer', async () => {
    const wrong = await signIn('wrong password');
    const unknown = await signIn('wrong password', OURS, 'nobody');
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(await wrong.json()).toEqual(await unknown.json());
  });

  test('wrong passwords never lock out the right one; their refusals come later and later', async () => {
    const before = clock.slept.length;
    const codes = new Set<number>();
    for (let guess = 0; guess < 30; guess += 1) codes.add((await signIn(`guess ${guess}`)).status);
    expect([...codes]).toEqual([401]);
    const delays = clock.slept.slice(before);
    expect(delays.at(-1)).toBe(LIMITS.guessDelayMsMax);
    expect((await signIn(PASSWORD)).status).toBe(200);
    expect(clock.slept.slice(before)).toEqual(delays);
  });

  test('many wrong passwords at once do not keep out the right one from another address', async () => {
    const open = await createTestGateway({ clock, config: { 'server.behind_proxy': true } });
    try {
      const token = await open.store.sessions.createSetupToken();
      await open.store.sessions.setUp({ token, name: 'admin', password: PASSWORD });
      const ask = (address: string, password: string) =>
        open.post('/console/sign-in', { name: 'admin', password }, { ...OURS, 'x-forwarded-for': address });
      const flood = Array.from({ length: 100 }, (_none, guess) => ask('198.51.100.1', `guess ${guess}`));
      expect((await ask('198.51.100.2', PASSWORD)).status).toBe(200);
      await Promise.all(flood);
    } finally {
      await open.close();
    }
  });

  test('F63: another site cannot sign a person in', async () => {
    const foreign = await signIn(PASSWORD, { 'sec-fetch-site': 'cross-site' });
    const form = await signIn(PASSWORD, { ...OURS, 'content-type': 'text/plain' });
    const silent = await signIn(PASSWORD, {});
    expect([foreign.status, form.status, silent.status]).toEqual([403, 403, 403]);
  });

  test('what happened is in the audit', async () => {
    await signIn('wrong password');
    const [latest] = await gateway.store.sessions.audit(1);
    expect(latest).toMatchObject({ actor: 'admin', action: 'sign-in refused', address: 'local' });
  });
});

describe('a session', () => {
  test('opens the admin API, for writes with its token', async () => {
    const read = await user.ask('GET', '/admin/workspaces');
    expect(read.status).toBe(200);
    const write = await user.ask('POST', '/admin/workspaces', { name: 'Made in the console' });
    expect(write.status).toBe(200);
    const [latest] = await gateway.store.sessions.audit(1);
    expect(latest).toMatchObject({
      actor: 'console: admin',
      action: expect.stringMatching(/^created the workspace Made in the console \(ws_/),
    });
  });

  test.each([
    ['without the token', { 'x-csrf-token': '' }],
    ['with another token', { 'x-csrf-token': 'a'.repeat(43) }],
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another host of the same site', { 'sec-fetch-site': 'same-site' }],
    ['from another origin', { origin: 'https://evil.example' }],
    ['from a sandboxed page', { origin: 'null' }],
    ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('F63: a write %s is refused', async (_name, headers) => {
    const before = (await gateway.store.accounts.workspaces()).length;
    const response = await user.ask('POST', '/admin/workspaces', { name: 'Forged' }, headers);
    expect(response.status).toBe(403);
    expect((await gateway.store.accounts.workspaces()).length).toBe(before);
  });

  test('F63: ends when signed out, when idle for twelve hours, after a week, and with a new password', async () => {
    const status = async (one: ConsoleUser) => (await one.ask('GET', '/admin/status')).status;
    const again = async () => {
      clock.advance(60_000);
      return user.another();
    };
    const left = await again();
    expect(await status(left)).toBe(200);
    await left.ask('POST', '/console/sign-out', {});
    expect(await status(left)).toBe(401);

    const idle = await again();
    clock.advance(LIMITS.sessionIdleMs + 1);
    expect(await status(idle)).toBe(401);

    const old = await again();
    for (let spent = 0; spent <= LIMITS.sessionMs; spent += LIMITS.sessionIdleMs - 60_000) {
      clock.advance(LIMITS.sessionIdleMs - 60_000);
      await status(old);
    }
    expect(await status(old)).toBe(401);

    const [changing, other] = [await again(), await again()];
    clock.advance(60_000);
    const next = 'another long password';
    const refused = await changing.ask('POST', '/console/password', { old: 'wrong password', new: next });
    expect(refused.status).toBe(401);
    const changed = await changing.ask('POST', '/console/password', { old: PASSWORD, new: next });
    expect(changed.status).toBe(200);
    expect([await status(changing), await status(other)]).toEqual([401, 401]);
    clock.advance(60_000);
    expect((await signIn(next)).status).toBe(200);
  });

  test('a cookie that nobody gave out opens nothing, also on this machine', async () => {
    const forged = { cookie: `headgate_session=${'a'.repeat(43)}` };
    for (const headers of [{}, forged]) {
      const response = await gateway.app.request('http://127.0.0.1/admin/keys', { headers });
      expect(response.status).toBe(401);
    }
  });
});
