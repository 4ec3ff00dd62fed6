import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestClock } from '../support/clock.ts';
import { adminRoutes } from '../../src/gateway/admin/mount.ts';
import { codeAt } from '../../src/store/second-factor.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

const PASSWORD = 'correct horse battery';
const OURS = { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1' };
let gateway: TestGateway;
let clock: ReturnType<typeof createTestClock>;
beforeAll(async () => {
  clock = createTestClock(Date.UTC(2026, 5, 1));
  gateway = await createTestGateway({ clock, config: { 'auth.second_factor': 'required' } });
});
afterAll(() => gateway.close());

interface Body {
  secret: string;
  codes: string[];
}
type Ask = (method: string, path: string, body?: object) => Promise<{ status: number; body: Body }>;
const browserOf = async (opened: Response): Promise<Ask> => {
  const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { csrf } = (await opened.json()) as { csrf: string };
  return async (method, path, body) => {
    const answer = await gateway.app.request(`http://127.0.0.1${path}`, {
      method,
      headers: { ...OURS, cookie, 'x-csrf-token': csrf, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Body };
  };
};
const join = async (name: string): Promise<Ask> => {
  const token = await gateway.store.sessions.createSetupToken({ name, role: 'owner' });
  return browserOf(await gateway.post('/console/setup', { token, name, password: PASSWORD }, OURS));
};
const signIn = async (name: string, code?: string) => {
  const shown = { name, password: PASSWORD, ...(code === undefined ? {} : { code }) };
  const answer = await gateway.post('/console/sign-in', shown, OURS);
  return { status: answer.status, answer };
};
const codeNow = (secret: string) => codeAt(secret, Math.floor(clock.now() / 30_000));

async function enable(ask: Ask): Promise<{ secret: string; codes: string[] }> {
  const { secret } = (await ask('GET', '/console/factor')).body;
  const { body } = await ask('POST', '/console/factor', {
    password: PASSWORD,
    secret,
    code: codeNow(secret),
  });
  return { secret, codes: body.codes };
}

describe('the second factor', () => {
  test('codes are those of RFC 6238', () => {
    // The examples of appendix B, for the secret "12345678901234567890", without their first two digits.
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    const cases = { 59: '287082', 1111111109: '081804', 1234567890: '005924', 20000000000: '353130' };
    for (const [seconds, code] of Object.entries(cases))
      expect(codeAt(secret, Math.floor(Number(seconds) / 30))).toBe(code);
  });

  test('where it is required, nothing works before it is set up', async () => {
    const ask = await join('ann');
    expect((await ask('GET', '/console/session')).body).toMatchObject({ isLimited: true });
    for (const { method, path } of adminRoutes) {
      const asked = await ask(method, `/admin${path}`, method === 'GET' ? undefined : {});
      expect([path, asked.status]).toEqual([path, 403]);
    }
    expect((await ask('POST', '/console/run/search', { input: { query: 'x' } })).status).toBe(403);
    expect((await ask('POST', '/console/password', { old: PASSWORD, new: PASSWORD })).status).toBe(403);
    const { secret } = (await ask('GET', '/console/factor')).body;
    const wrong = { password: PASSWORD, secret, code: '000000' };
    expect((await ask('POST', '/console/factor', wrong)).status).toBe(401);
    expect((await ask('GET', '/admin/people')).status).toBe(403);
    const { codes } = await enable(ask);
    expect(codes).toHaveLength(10);
    expect((await ask('GET', '/admin/people')).status).toBe(200);
    // A second set-up would replace the factor of whoever left the browser open.
    const again = { password: PASSWORD, secret, code: codeNow(secret) };
    expect((await ask('POST', '/console/factor', again)).status).toBe(409);
  });

  test('a code or a recovery code is needed beside the password, and each works once', async () => {
    const { secret, codes } = await enable(await join('bea'));
    const without = await signIn('bea');
    expect([without.status, await without.answer.json()]).toMatchObject([
      401,
      { detail: { code: 'second_factor_needed' } },
    ]);
    // The code with which it was set up was used.
    expect((await signIn('bea', codeNow(secret))).status).toBe(401);
    clock.advance(30_000);
    const code = codeNow(secret);
    const statuses = (await Promise.all([signIn('bea', code), signIn('bea', code)])).map(
      ({ status }) => status,
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401]);
    clock.advance(30_000);
    const late = codeNow(secret);
    clock.advance(30_000);
    expect((await signIn('bea', `${late.slice(0, 3)} ${late.slice(3)}`)).status).toBe(200);
    expect((await signIn('bea', codeAt(secret, Math.floor(clock.now() / 30_000) + 2))).status).toBe(401);
    const [recovery = ''] = codes;
    expect((await signIn('bea', recovery.toUpperCase())).status).toBe(200);
    expect((await signIn('bea', recovery)).status).toBe(401);
    const rows = await gateway.store.database.read('SELECT hash FROM recovery_codes');
    expect(JSON.stringify(rows)).not.toContain(recovery.replaceAll('-', ''));
  });

  test('full-width digits, which Japanese keyboards type, are digits, and other letters are a wrong code', async () => {
    const ask = await join('hana');
    const wide = (code: string): string =>
      code.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
    const { secret } = (await ask('GET', '/console/factor')).body;
    const show = (code: string) => ask('POST', '/console/factor', { password: PASSWORD, secret, code });
    expect((await show('あいうえおか')).status).toBe(401);
    expect((await show(wide(codeNow(secret)))).status).toBe(200);
    clock.advance(30_000);
    expect((await signIn('hana', 'あいうえおか')).status).toBe(401);
    expect((await signIn('hana', wide(codeNow(secret)))).status).toBe(200);
  });

  test('a setup link replaces the password, not the second factor', async () => {
    const { codes } = await enable(await join('cem'));
    const token = await gateway.store.sessions.createSetupToken({ name: 'cem', role: 'owner' });
    const set = await gateway.post('/console/setup', { token, name: 'cem', password: PASSWORD }, OURS);
    expect([set.status, set.headers.get('set-cookie'), await set.json()]).toEqual([200, null, {}]);
    expect((await signIn('cem')).status).toBe(401);
    expect((await signIn('cem', codes[0])).status).toBe(200);
  });

  test('guessing codes ends after some, even with the right password; other people sign in meanwhile', async () => {
    const { secret } = await enable(await join('dov'));
    const { codes } = await enable(await join('eve'));
    const statuses: number[] = [];
    for (let at = 0; at < 25; at += 1) {
      const tried = signIn('dov', `wrong ${at}`);
      clock.advance(6_000);
      statuses.push((await tried).status);
    }
    expect(statuses.slice(0, 19)).toEqual(Array.from({ length: 19 }, () => 401));
    expect(statuses.at(-1)).toBe(429);
    expect((await signIn('dov', codeNow(secret))).status).toBe(429);
    expect((await signIn('eve', codes[0])).status).toBe(200);
    clock.advance(3_600_000);
    expect((await signIn('dov', codeNow(secret))).status).toBe(200);
  });

  test('is switched off with password and code, and reset by an owner', async () => {
    const ask = await join('fay');
    const { codes } = await enable(ask);
    const off = (code: string) => ask('POST', '/console/factor/off', { password: PASSWORD, code });
    expect((await off('123456')).status).toBe(401);
    expect((await off(codes[0] ?? '')).status).toBe(200);
    const { status, answer } = await signIn('fay');
    expect([status, await answer.json()]).toMatchObject([200, { isLimited: true }]);
    const other = await join('gus');
    await enable(other);
    await enable(ask);
    expect((await other('DELETE', '/admin/people/fay/factor')).status).toBe(200);
    expect((await gateway.store.people.list()).find(({ name }) => name === 'fay')?.hasFactor).toBe(false);
    expect((await other('DELETE', '/admin/people/nobody/factor')).status).toBe(404);
  });
});
