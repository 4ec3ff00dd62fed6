import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseUsd } from '../../src/cli/accounts/credits.ts';
import { systemClock } from '../../src/core/clock.ts';
import { createAccounts } from '../../src/store/accounts.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import { runHeadgate, type Ran } from '../support/cli.ts';
import { holdOf } from '../support/ledger/workload.ts';

const home = mkdtempSync(join(tmpdir(), 'headgate-cli-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const headgate = (...argv: string[]): Promise<Ran> => runHeadgate(argv, { home });

const json = async <Value>(...argv: string[]): Promise<Value> =>
  JSON.parse((await headgate(...argv, '--json')).out) as Value;

describe('requests in doubt on the command line', () => {
  test('are listed with what they may have cost, and resolved without moving money', async () => {
    const own = mkdtempSync(join(tmpdir(), 'headgate-cli-'));
    const path = join(own, 'headgate.db');
    const database = openSqlite({ path, clock: systemClock, exclusive: false });
    const accounts = createAccounts(database, systemClock);
    const { subscription } = await accounts.createWorkspace({ name: 'Team', tier: 'pro' });
    await accounts.topUp({ subscription, amount: 80_000 });
    await database.book(holdOf('asked-1', subscription));
    await database.book({ kind: 'doubt', id: 'asked-1', subscription, reason: 'Tavily did not answer.' });
    const run = (...argv: string[]): Promise<Ran> =>
      runHeadgate(['ledger', 'in-doubt', ...argv], { home: own });
    expect((await run()).out).toMatch(/asked-1 .*tavily\s+\$0\.008\s.*Tavily did not answer\./);
    expect((await run('resolve', 'asked-1')).err).toContain('--billed is missing');
    expect((await run('resolve', 'asked-1', '--billed', '1')).out).toMatch(/asked-1 .* billed /);
    expect((await run()).out).toContain('Nothing is in doubt.');
    expect((await run('resolve', 'nobody', '--billed', '0')).code).not.toBe(0);
    expect((await accounts.subscription(subscription)).balance).toBe(80_000);
    await database.close();
    rmSync(own, { recursive: true, force: true });
  });
});

describe('budgets on the command line', () => {
  test('are set, listed with what is left, changed and removed', async () => {
    const { id } = await json<{ id: string }>('workspace', 'create', 'Budgets');
    const set = await json<{ id: string }>('budget', 'set', id, '--usd', '2.50', '--per', 'month');
    await headgate('budget', 'set', id, '--credits', '40', '--per', '7d', '--person', 'ada', '--soft');
    const { out } = await headgate('budget', 'list', '--workspace', id);
    expect(out).toMatch(/workspace +\$2\.50 \/ month +\$0\.00 +\$2\.50 +\S+ 00:00 UTC +hard/);
    expect(out).toMatch(/person ada +40 credits \/ 168h +0 credits +40 credits +– +soft/);
    const changed = await json<{ id: string; amount: number }>(
      'budget',
      'set',
      id,
      '--usd',
      '3',
      '--per',
      'month',
    );
    expect(changed).toMatchObject({ id: set.id, amount: 3_000_000 });
    expect((await headgate('budget', 'remove', set.id)).out).toContain('Removed:');
    expect((await headgate('budget', 'remove', set.id)).err).toContain('There is no budget');
    expect((await headgate('budget', 'set', id, '--per', 'day')).err).toContain('--credits or --usd');
  });
});

describe('webhooks on the command line', () => {
  test('are added with a secret that is shown once, tested, replayed, rotated and removed', async () => {
    const { secret, webhook } = await json<{ secret: string; webhook: { id: string } }>(
      'webhook',
      'add',
      'https://example.com/alerts',
      '--kinds',
      'budget.threshold, key.created',
    );
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { out } = await headgate('webhook', 'list');
    expect(out).toMatch(/https:\/\/example\.com\/alerts +all +standard +budget\.threshold key\.created +on/);
    expect(out).not.toContain('whsec_');
    expect((await headgate('webhook', 'test', webhook.id)).out).toMatch(/webhook\.test +waiting +0/);
    expect((await headgate('webhook', 'replay', webhook.id)).out).toMatch(/webhook\.test +waiting/);
    expect((await headgate('webhook', 'rotate', webhook.id)).out).toMatch(/whsec_\S+\n[^]*both secrets/);
    expect((await headgate('webhook', 'remove', webhook.id)).out).toContain('Removed:');
    const wrong = ['ftp://example.com', 'https://me:secret@example.com', 'nonsense'];
    for (const url of wrong) expect((await headgate('webhook', 'add', url)).err).toContain('not an http');
    expect((await headgate('webhook', 'add', 'https://a.example', '--kinds', 'x')).err).toContain(
      'kind of event',
    );
  });
});

describe('accounts on the command line', () => {
  test('a workspace is created, topped up, given an agent and a key, and everything is shown again', async () => {
    const workspace = await json<{ id: string }>('workspace', 'create', 'Team', 'One', '--tier', 'starter');
    await headgate('credits', 'top-up', workspace.id, '5.25', '--note', 'first', '--reference', 'invoice-1');
    await headgate('credits', 'top-up', workspace.id, '5.25', '--reference', 'invoice-1');
    expect((await headgate('workspace')).out).toMatch(/Team One\s+starter\s+\$5\.25/);

    const agent = await json<{ id: string }>(
      'agent',
      'create',
      'Scout',
      '--workspace',
      workspace.id,
      '--search',
      'tavily',
    );
    const changed = await json<{ settings: unknown }>(
      'agent',
      'set',
      agent.id,
      '--search',
      'off',
      '--fetch',
      'headgate',
    );
    expect(changed.settings).toEqual({ searchWebProvider: null, fetchWebProvider: 'headgate' });

    const made = await json<{ key: string; record: { id: string } }>(
      'key',
      'create',
      '--workspace',
      workspace.id,
      '--label',
      'ci',
      '--days',
      '30',
    );
    expect(made.key).toMatch(/^hg_live_/);
    expect((await headgate('key', 'list')).out).toContain('ci');
    expect((await headgate('key', 'list')).out).not.toContain(made.key);
    const revoked = await json<{ revoked: number | null }>('key', 'revoke', made.record.id);
    expect(revoked.revoked).not.toBeNull();

    const ledger = await json<{ amount: number; balance: number }[]>('ledger', 'show');
    expect(ledger).toHaveLength(1);
    expect(ledger[0]).toMatchObject({ amount: 5_250_000, balance: 5_250_000 });
    expect((await headgate('ledger', 'export')).out.split('\n')[0]).toContain(
      'seq,at,subscription,kind,amount,balance',
    );
    expect((await headgate('usage')).out).toBe('No calls yet.\n');
    expect((await headgate('store', 'check')).out).toBe('No problems found.\n');
    expect((await headgate('store', 'backup', join(home, 'copy.db'))).out).toContain('copy.db');
    expect(existsSync(join(home, 'copy.db'))).toBe(true);
  }, 120_000);

  test.each([
    [['workspace', 'create'], 'The name is missing.'],
    [['workspace', 'show', 'nobody'], 'nobody'],
    [['agent', 'create', 'x'], '--workspace is missing.'],
    [['key', 'create', '--workspace', 'w', '--days', '-1'], "Option '--days' argument"],
    [['key', 'create', '--workspace', 'w', '--scopes', 'root'], '"root" is not one of'],
    [['credits', 'top-up', 'w'], 'w'],
    [['usage', '--by', 'colour'], '"colour" is not one of'],
    [['ledger', '--limit', '0'], '"0" is not a whole number from 1 to 10000'],
    [['workspace', 'destroy'], 'Unknown subcommand "destroy".'],
    [['agent', 'list', '--colour'], 'Unknown flag --colour.'],
  ])('%j is refused with what to do', async (argv, expected) => {
    const { code, err } = await headgate(...argv);
    expect(code).not.toBe(0);
    expect(err).toContain(expected);
  });

  test.each([
    ['5', 5_000_000],
    ['$0.008', 8_000],
    ['-1.5', -1_500_000],
    ['0.1', 100_000],
  ])('%s dollars are exact millionths', (text, expected) => {
    expect(parseUsd(text)).toBe(expected);
  });

  test.each(['', '1e3', '1.1234567', 'NaN', '5 dollars'])('%j is not an amount', (text) => {
    expect(() => parseUsd(text)).toThrow('is not an amount');
  });
});
