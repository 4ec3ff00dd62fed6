import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createStore } from '../../src/store/store.ts';
import { runHeadgate, type Ran } from '../support/cli.ts';

const home = mkdtempSync(join(tmpdir(), 'headgate-settings-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const headgate = (...argv: string[]): Promise<Ran> => runHeadgate(argv, { home });
const made = async (...argv: string[]): Promise<{ id: string; subscription: string }> =>
  JSON.parse((await headgate(...argv, '--json')).out) as { id: string; subscription: string };

describe('settings on the command line', () => {
  test('a tier that does not exist is refused, and a tier can be changed', async () => {
    const refused = await headgate('workspace', 'create', 'Team', '--tier', 'gold');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toBe('headgate: tier: there is no "gold". Use one of free, starter, pro.\n');
    const { id } = await made('workspace', 'create', 'Team');
    expect((await headgate('workspace', 'set', id, '--tier', 'pro')).out).toMatch(/Team\s+pro\s/);
    expect(await headgate('workspace', 'set', id, '--tier', 'gold')).toMatchObject({ code: 2 });
    expect((await headgate('workspace', 'show', id)).out).toMatch(/Team\s+pro\s/);
  });

  test('a tier that was stored before is found, and mended by the command that is named', async () => {
    const { id, subscription } = await made('workspace', 'create', 'Old');
    const clock = systemClock;
    const location = join(home, 'headgate.db');
    // Without a configuration a store takes anything, as older versions did.
    const store = createStore({ location, clock, log: silentLogger, exclusive: false });
    await store.accounts.setTier(subscription, 'gold');
    await store.close();
    const checked = await headgate('store', 'check');
    expect(checked.code).not.toBe(0);
    expect(checked.err).toContain(`Workspace ${id} has the tier "gold", which does not exist.`);
    expect(checked.err).toContain(`headgate workspace set ${id} --tier TIER`);
    expect((await headgate('doctor', '--offline')).out).toMatch(/✗ Store +Workspace .+ has the tier "gold"/);
    expect((await headgate('workspace', 'set', id, '--tier', 'free')).code).toBe(0);
    expect((await headgate('store', 'check')).out).toBe('No problems found.\n');
  });

  test('a provider that does not exist is refused for an agent', async () => {
    const { id: workspace } = await made('workspace', 'create', 'Other');
    const refused = await headgate('agent', 'create', 'Scout', '--workspace', workspace, '--search', 'gogle');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('searchWebProvider: there is no "gogle". Use one of auto, tavily,');
    const { id } = await made('agent', 'create', 'Scout', '--workspace', workspace, '--search', 'tavily');
    expect((await headgate('agent', 'set', id, '--fetch', 'gogle')).err).toContain(
      'fetchWebProvider: there is no',
    );
  });

  test.each([
    ['HEADGATE_SEARCH__PROVIDER', 'tavily,gogle', 'search.provider'],
    ['HEADGATE_EXTRACT__PROVIDER', 'duckduckgo', 'extract.provider'],
    ['HEADGATE_CRAWL__PROVIDER', 'jina', 'crawl.provider'],
  ])('%s=%s is a mistake in the configuration', async (name, value, key) => {
    const { code, err } = await runHeadgate(['search', 'sluices'], { home, env: { [name]: value } });
    expect(code).toBe(1);
    expect(err).toContain(`${name}: ${key} = "${value}": must be one or more of auto,`);
  });
});
