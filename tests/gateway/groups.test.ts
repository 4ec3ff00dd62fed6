import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { createSeal } from '../../src/gateway/oauth/seal.ts';
import { challengeOf } from '../../src/store/grants.ts';
import { CLIENT_SECRET } from '../support/gateway/identity-provider.ts';
import { startPostgres } from '../support/postgres.ts';
import { sized } from '../support/sized.ts';
import {
  Browser,
  CONFIGURED,
  createSingleSignOnWorld,
  REDIRECT,
  type SingleSignOnWorld,
} from '../support/gateway/sign-in.ts';

const postgres = await startPostgres();
afterAll(async () => postgres?.stop());
/** Other tests of signing in run on SQLite. */
const STORES = postgres === undefined ? ['SQLite'] : ['PostgreSQL', 'SQLite'];
const stores = sized('stores of people whom a provider vouches for', { small: 1, large: 2, full: 2 });

let world: SingleSignOnWorld;

const ENG = 'cn=eng,ou=x';
let people = 0;

/** Somebody new at the provider, with these groups. */
function hire(...groups: string[]): { name: string; move(...next: string[]): void; leave(): void } {
  const id = `person-${(people += 1)}`;
  const name = `${id}@team.example`;
  const move = (...next: string[]) =>
    void world.provider.accounts.set(id, { email: name, email_verified: true, groups: next });
  move(...groups);
  world.provider.person = id;
  return { name, move, leave: () => void world.provider.accounts.delete(id) };
}
const find = async (wanted: string) =>
  (await world.gateway.store.people.list()).find(({ name }) => name === wanted);

async function tokenCall(form: Record<string, string>) {
  const response = await fetch(`${world.url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: CONFIGURED, ...form }),
  });
  return { status: response.status, ...((await response.json()) as Record<string, string>) };
}
const refresh = ({ refresh_token: token = '' }: Record<string, unknown>) =>
  tokenCall({ grant_type: 'refresh_token', refresh_token: String(token) });

/** Signs in to a client as whoever sits at the keyboard. */
async function connect() {
  const browser = new Browser(world.url);
  const verifier = randomBytes(32).toString('base64url');
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: CONFIGURED,
    redirect_uri: REDIRECT,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    resource: `${world.url}/mcp`,
  });
  const begun = await browser.begin(`${world.url}/oauth/authorize?${asked.toString()}`);
  const id = 'id' in begun ? begun.id : '';
  await browser.signInThrough(`consent/${id}`);
  const back = await browser.decide(id, { allow: true, workspace: world.workspace });
  const code = back.searchParams.get('code') ?? '';
  const grant = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: verifier };
  return { browser, tokens: await tokenCall(grant) };
}
const works = async ({ access_token: token = '' }: Record<string, unknown>) => {
  const response = await fetch(`${world.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${String(token)}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  return response.status;
};

describe.each(STORES.slice(0, stores))('groups at the provider, people on %s', (where) => {
  beforeAll(async () => {
    world = await createSingleSignOnWorld({
      'server.behind_proxy': true,
      'auth.groups': [
        'leads=admin',
        'staff=viewer',
        'cn=eng,ou=x=Team:member',
        'eng=No such workspace:admin',
      ],
      ...(where === 'PostgreSQL' ? { 'store.url': (await postgres?.migratedUrl()) ?? '' } : {}),
    });
  });
  afterAll(() => world.close());

  test('groups give roles in the gateway and in workspaces, at every sign-in', async () => {
    const noor = hire('staff', ENG, 'unknown');
    expect(await new Browser(world.url).signInThrough()).toBe('#/');
    const team = { workspace: world.workspace, role: 'member' };
    expect(await find(noor.name)).toMatchObject({ role: 'viewer', workspaces: [team] });
    noor.move('leads', 'staff');
    await new Browser(world.url).signInThrough();
    expect(await find(noor.name)).toMatchObject({ role: 'admin', workspaces: [] });
    const changed = (await world.gateway.store.sessions.audit(10)).find(
      ({ actor }) => actor === 'identity provider',
    );
    expect(changed?.action).toBe(`changed the roles of ${noor.name} by their groups to admin`);
    noor.move();
    expect(await new Browser(world.url).signInThrough()).toBe('#/refused/groups');
    expect(await find(noor.name)).toMatchObject({ role: null, workspaces: [], sessions: 0 });
  });

  test('a rule about a workspace that does not exist gives nothing', async () => {
    const sam = hire('eng');
    expect(await new Browser(world.url).signInThrough()).toBe('#/refused/unknown');
    expect(await find(sam.name)).toBeUndefined();
  });

  test('somebody who was invited and is in no group keeps the role of the invitation', async () => {
    world.provider.person = 'mira';
    expect(await new Browser(world.url).signInThrough()).toBe('#/');
    expect(await find('mira@team.example')).toMatchObject({ role: 'member' });
  });

  test('a group that is taken away at the provider takes its workspace away at the next refresh', async () => {
    const kim = hire('staff', ENG);
    const { tokens, browser } = await connect();
    expect(await works(tokens)).toBe(200);
    const second = await refresh(tokens);
    expect(second.status).toBe(200);
    expect(await works(second)).toBe(200);
    kim.move('staff');
    expect(await refresh(second)).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect(await works(second)).toBe(401);
    // What the other group gives is left.
    expect(await find(kim.name)).toMatchObject({ role: 'viewer', workspaces: [], sessions: 1 });
    expect((await browser.fetch('/admin/workspaces')).status).toBe(200);
  });

  test('an account that is closed at the provider ends clients and sessions at the next refresh', async () => {
    const lee = hire('leads');
    const { tokens, browser } = await connect();
    lee.leave();
    expect(await refresh(tokens)).toMatchObject({ status: 400, error: 'invalid_grant' });
    expect(await works(tokens)).toBe(401);
    expect((await browser.fetch('/admin/workspaces')).status).toBe(401);
  });

  test('while the provider cannot be asked, nothing is given and nothing is lost', async () => {
    hire('leads');
    const { tokens } = await connect();
    for (const status of [500, 401]) {
      world.provider.instead = (request, response) => {
        if (request.url !== '/token') return false;
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: status === 401 ? 'invalid_client' : 'server_error' }));
        return true;
      };
      expect(await refresh(tokens)).toMatchObject({ status: 503, error: 'temporarily_unavailable' });
    }
    world.provider.instead = undefined;
    expect((await refresh(tokens)).status).toBe(200);
  });

  test('two clients of a person that refresh at once both go on', async () => {
    hire('leads');
    const [one, two] = [await connect(), await connect()];
    for (let times = 0; times < 2; times += 1) {
      const both = await Promise.all([refresh(one.tokens), refresh(two.tokens)]);
      expect(both.map(({ status }) => status)).toEqual([200, 200]);
      [one.tokens, two.tokens] = both;
    }
  });

  test('without a refresh token of the provider, a client lasts twelve hours', async () => {
    const ada = hire('leads');
    const { tokens } = await connect();
    const { database } = world.gateway.store;
    const since = async (checked: number) =>
      database.write([
        {
          sql: `UPDATE identities SET refresh = NULL, checked = ? WHERE subject = ?`,
          values: [checked, ada.name.split('@')[0] ?? ''],
        },
      ]);
    await since(Date.now() - LIMITS.providerUncheckedMs + 60_000);
    const second = await refresh(tokens);
    expect(second.status).toBe(200);
    await since(Date.now() - LIMITS.providerUncheckedMs - 1);
    expect(await refresh(second)).toMatchObject({ status: 400, error: 'invalid_grant' });
  });

  test('the provider’s refresh token is stored encrypted', async () => {
    const rows = await world.gateway.store.database.read(
      'SELECT refresh FROM identities WHERE refresh IS NOT NULL',
    );
    expect(rows.length).toBeGreaterThan(2);
    for (const { refresh: kept } of rows) {
      expect(createSeal(CLIENT_SECRET).open(String(kept))).toMatch(/^[\w-]{43}$/);
      expect(createSeal('another secret').open(String(kept))).toBeUndefined();
    }
  });

  test('an account that only has the name of somebody with a password does not become them', async () => {
    const { identities } = world.gateway.store;
    const account = { issuer: world.provider.url, subject: 'called-alice' };
    const person = { name: 'alice', mayJoin: true };
    expect(await identities.admit(account, { ...person, isProven: false })).toBeUndefined();
    expect(await identities.admit(account, { ...person, isProven: true })).toMatchObject({ person: 'alice' });
  });

  test('rules that name no role are refused', () => {
    for (const rule of ['staff', 'staff=boss', '=viewer'])
      expect(() => loadConfig({ flags: { 'auth.groups': [rule] } })).toThrow(/auth.groups/);
  });
});
