import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runHeadgate, type Ran } from '../support/cli.ts';

const home = mkdtempSync(join(tmpdir(), 'headgate-settings-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const headgate = (...argv: string[]): Promise<Ran> => runHeadgate(argv, { home });
const made = async (...argv: string[]): Promise<{ id: string }> =>
  JSON.parse((await headgate(...argv, '--json')).out) as { id: string };

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

  test('a provider that does not exist is refused for an agent', async () => {
    const { id: workspace } = await made('workspace', 'create', 'Other');
    const refused = await headgate('agent', 'create', 'Scout', '--workspace', workspace, '--search', 'gogle');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('searchWebProvider: there is no "gogle". Use one of headgate,');
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
