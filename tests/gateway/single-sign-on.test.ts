import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { CLIENT_ID, CLIENT_SECRET, type TokenHeader } from '../support/gateway/identity-provider.ts';
import {
  Browser,
  createSingleSignOnWorld,
  MIRA,
  type SingleSignOnWorld,
} from '../support/gateway/sign-in.ts';

let world: SingleSignOnWorld;
beforeAll(async () => {
  world = await createSingleSignOnWorld({
    'auth.passwords': false,
    'server.behind_proxy': true,
    'auth.oidc.domains': ['team.example'],
  });
});
afterAll(() => world.close());
afterEach(() => {
  world.provider.instead = undefined;
  world.provider.person = 'mira';
});

const callback = () => `${world.url}/console/oidc/callback`;
const isSignedIn = async (browser: Browser) =>
  'csrf' in ((await (await browser.fetch('/console/session')).json()) as object);

/** A browser that the provider has just sent back, and where to. */
async function begun(): Promise<{ browser: Browser; back: string }> {
  const browser = new Browser(world.url);
  return { browser, back: await browser.follow('/console/oidc', callback()) };
}

const send = (response: ServerResponse, body: object) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
  return true;
};
const isFor = (request: IncomingMessage, path: string) => request.url?.startsWith(path) === true;

describe('signing in through an identity provider', () => {
  test('opens a session for somebody who was invited, again and again', async () => {
    for (let times = 0; times < 2; times += 1) {
      const browser = new Browser(world.url);
      expect(await browser.signInThrough()).toBe('#/');
      const session = (await (await browser.fetch('/console/session')).json()) as object;
      expect(session).toMatchObject({ name: MIRA, role: 'member' });
    }
    const audit = await world.gateway.store.sessions.audit(5);
    expect(audit[0]).toMatchObject({ actor: MIRA, action: 'signed in through the identity provider' });
  });

  test('says on the page which provider there is, and that passwords are off', async () => {
    const page = await new Browser(world.url).fetch('/console/session');
    expect(await page.json()).toEqual({ needsSetup: false, passwords: false, provider: 'localhost' });
  });

  test('returns only to pages of the console', async () => {
    const browser = new Browser(world.url);
    expect(await browser.signInThrough(encodeURIComponent('//evil.example'))).toBe('#/');
  });

  test('an https issuer, or one on this machine, with an ID and an address', () => {
    const load = (flags: Record<string, unknown>) => () =>
      loadConfig({ flags: { 'server.public_url': 'https://gate.example', ...flags } });
    const good = { 'auth.oidc.issuer': 'https://login.example/tenant', 'auth.oidc.client_id': 'x' };
    expect(load(good)).not.toThrow();
    expect(load({ ...good, 'auth.oidc.issuer': 'http://login.example' })).toThrow(/auth.oidc.issuer/);
    expect(load({ 'auth.oidc.issuer': 'https://login.example' })).toThrow(/needs auth.oidc.client_id/);
    expect(load({ ...good, 'server.public_url': undefined })).toThrow(/needs server.public_url/);
    expect(load({ 'auth.passwords': false })).toThrow(/can only be off with auth.oidc.issuer/);
  });
});

describe('who is not let in', () => {
  const NOT_LET_IN: [name: string, account: Record<string, unknown>, why: string][] = [
    ['nobody has invited', { email: 'noor@team.example', email_verified: true }, 'unknown'],
    ['of another domain', { email: 'mira@other.example', email_verified: true }, 'domain'],
    [
      'of a domain that only looks alike',
      { email: 'mira@team.example.evil.example', email_verified: true },
      'domain',
    ],
    ['with an address that is not verified', { email: MIRA, email_verified: false }, 'unverified'],
    ['with an address that says nothing of it', { email: MIRA }, 'unverified'],
    ['with the text true', { email: MIRA, email_verified: 'true' }, 'unverified'],
    ['without an address', {}, 'unverified'],
    // The address was given to somebody else at the provider.
    ['with the address of another account', { email: MIRA, email_verified: true }, 'unknown'],
  ];
  test.each(NOT_LET_IN)('somebody %s', async (name, account, why) => {
    await new Browser(world.url).signInThrough();
    world.provider.accounts.set(name, account);
    world.provider.person = name;
    const browser = new Browser(world.url);
    expect(await browser.signInThrough()).toBe(`#/refused/${why}`);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('somebody who was archived, until they are restored; and nothing of theirs changes', async () => {
    const { store } = world.gateway.world;
    const earlier = new Browser(world.url);
    await earlier.signInThrough();
    const mira = async () => (await store.people.list()).find(({ name }) => name === MIRA);
    const before = await mira();
    await store.life.archive('person', MIRA);
    expect(await isSignedIn(earlier)).toBe(false);
    const browser = new Browser(world.url);
    expect(await browser.signInThrough()).toBe('#/refused/archived');
    expect(await isSignedIn(browser)).toBe(false);
    const [noted] = await store.sessions.audit(1);
    expect(noted).toMatchObject({ action: 'sign-in through the identity provider refused', actor: MIRA });
    await store.life.archive('person', MIRA, false);
    expect(await mira()).toEqual(before);
    expect(await browser.signInThrough()).toBe('#/');
  });

  test('anybody with a password or an invitation, when passwords are off; the link of the machine works', async () => {
    const browser = new Browser(world.url);
    await expect(browser.signIn('alice', 'correct horse battery')).rejects.toThrow(/switched off/);
    const { sessions } = world.gateway.store;
    const password = 'another horse battery';
    const invited = await sessions.createSetupToken({ name: 'noor', role: 'owner' });
    expect((await browser.post('/console/setup', { token: invited, name: 'noor', password })).status).toBe(
      403,
    );
    const rescue = await sessions.createSetupToken();
    expect((await browser.post('/console/setup', { token: rescue, name: 'ops', password })).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(true);
  });
});

describe('attacks on the way back', () => {
  test('somebody else’s sign-in is not taken over: it ends only in the browser that began', async () => {
    const attacker = await begun();
    const victim = new Browser(world.url);
    expect(await victim.follow(attacker.back)).toBe('#/refused/ended');
    expect(await isSignedIn(victim)).toBe(false);
    // The attempt has not used it up.
    expect(await attacker.browser.follow(attacker.back)).toBe('#/');
  });

  test('an address works once', async () => {
    const { browser, back } = await begun();
    expect(await browser.follow(back)).toBe('#/');
    expect(await browser.follow(back)).toBe('#/refused/ended');
  });

  const ADDRESSES: [name: string, change: (search: URLSearchParams) => void, why: string][] = [
    ['without a state', (search) => search.delete('state'), 'ended'],
    ['with another state', (search) => search.set('state', 'x'.repeat(43)), 'ended'],
    [
      'with the issuer of another provider',
      (search) => search.set('iss', 'https://evil.example'),
      'provider',
    ],
    ['without the issuer that was promised', (search) => search.delete('iss'), 'provider'],
    ['with two issuers', (search) => search.append('iss', 'https://evil.example'), 'provider'],
    ['with another code', (search) => search.set('code', 'x'), 'provider'],
    ['without a code', (search) => search.delete('code'), 'provider'],
    ['with an error', (search) => search.set('error', 'access_denied'), 'provider'],
  ];
  test.each(ADDRESSES)('an address %s', async (_name, change, why) => {
    const { browser, back } = await begun();
    const url = new URL(back);
    change(url.searchParams);
    expect(await browser.follow(url.href)).toBe(`#/refused/${why}`);
    expect(await isSignedIn(browser)).toBe(false);
  });

  const { privateKey: foreign } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  type Claims = Record<string, unknown>;
  const TOKENS: [name: string, claims: (good: Claims) => Claims, header?: TokenHeader][] = [
    ['of another sign-in', (good) => ({ ...good, nonce: 'x'.repeat(43) })],
    ['without the nonce', ({ nonce: _nonce, ...good }) => good],
    ['for another client', (good) => ({ ...good, aud: 'another' })],
    ['for several clients without saying which', (good) => ({ ...good, aud: [CLIENT_ID, 'another'] })],
    ['of another issuer', (good) => ({ ...good, iss: 'https://evil.example' })],
    ['of an issuer with a slash', (good) => ({ ...good, iss: `${String(good['iss'])}/` })],
    ['that has expired', (good) => ({ ...good, exp: 1 })],
    ['without a subject', ({ sub: _sub, ...good }) => good],
    ['that nobody signed', (good) => good, { alg: 'none' }],
    ['signed with the client’s secret', (good) => good, { alg: 'HS256', key: CLIENT_SECRET }],
    ['signed with another key', (good) => good, { key: foreign }],
    ['of an unknown key', (good) => good, { kid: 'second' }],
  ];
  const forged = async (make: (good: Claims) => string) => {
    const browser = new Browser(world.url);
    const authorize = await browser.follow('/console/oidc', world.provider.url);
    const nonce = new URL(authorize).searchParams.get('nonce');
    const back = await browser.follow(authorize, callback());
    const now = Math.floor(Date.now() / 1_000);
    const good = { iss: world.provider.url, sub: 'mira', aud: CLIENT_ID, nonce, iat: now, exp: now + 60 };
    world.provider.instead = (request, response) => {
      if (isFor(request, '/me')) return send(response, { sub: 'mira', email: MIRA, email_verified: true });
      if (!isFor(request, '/token')) return false;
      return send(response, { access_token: 'x', token_type: 'Bearer', id_token: make(good) });
    };
    return browser.follow(back);
  };
  test('an ID token as it should be signs in, so that the next ones are refused for their fault', async () => {
    expect(await forged((good) => world.provider.token(good))).toBe('#/');
  });
  test.each(TOKENS)('an ID token %s', async (_name, claims, header = {}) => {
    expect(await forged((good) => world.provider.token(claims(good), header))).toBe('#/refused/provider');
  });
});

test('a flood of sign-ins is limited', async () => {
  const browser = new Browser(world.url);
  const places = [];
  for (let index = 0; index < 80; index += 1)
    places.push((await browser.fetch('/console/oidc')).headers.get('location'));
  expect(places.at(-1)).toBe('/#/refused/busy');
});
