import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundled } from '../support/bundled.ts';
import { MAIN } from '../support/mcp/built.ts';
import { sayNotRun } from '../support/not-run.ts';

/** A namespace of its own has no way out: not even names can be looked up. */
const canUnplug = spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up']).status === 0;
if (!canUnplug) sayNotRun('the first start without a network', '`unshare` and `ip` of Linux');

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'headgate-offline-'));
const project = join(folder, 'project');
const driver = await bundled(join(import.meta.dirname, '../support/library/offline-driver.ts'));
afterAll(() => {
  driver.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const put = (path: string, content: string): void => {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), content);
};

interface Seen {
  servedFirst: boolean;
  said: string;
  /** A call that knows only what Tavily's API has, and one that asks for the library. */
  plain: { status: number; body: { code?: string; results?: unknown[] } };
  search: {
    results: unknown[];
    library: { url: string; provider: string }[];
    outcome: string;
    warnings: string[];
  };
  searchMs: number;
  mcp: { text: string }[];
}

function unplugged(env: Record<string, string>): Seen {
  const argv = ['-rn', process.execPath, driver.file, MAIN];
  const out = execFileSync('unshare', [...argv, project, join(folder, 'home')], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, HEADGATE_LOG__LEVEL: 'error', ...env },
    timeout: 50_000,
  });
  return JSON.parse(out) as Seen;
}

describe.skipIf(!canUnplug)('the first start without a network', () => {
  let first: Seen;
  beforeAll(() => {
    put(
      'node_modules/weir/package.json',
      '{"name":"weir","version":"2.1.0","description":"Levels of water"}',
    );
    put('node_modules/weir/README.md', '# weir\n\nRaises the level of a river, slowly.');
    first = unplugged({ EXPECT_INDEXING: 'yes' });
  }, 200_000);

  test('serves at once and indexes what is installed in the background, telling so', () => {
    expect(first.servedFirst).toBe(true);
    expect(first.said).toContain('indexing the documentation of the packages');
    expect(first.said).toMatch(/Library: 1 page of documentation indexed in [\d.]+ s/);
  });

  test('a search that asks for it answers from it without waiting for the web, in a list of its own', () => {
    expect(first.search.library[0]).toMatchObject({ url: 'npm:weir@2.1.0/README.md', provider: 'local' });
    expect(first.search.results).toEqual([]);
    expect(first.search.outcome).toBe('degraded');
    expect(first.search.warnings[0]).toContain('only the local library did');
    expect(first.searchMs).toBeLessThan(5_000);
  });

  test('a client of Tavily’s API is told that the web failed, not that there is nothing', () => {
    expect(first.plain.status).toBeGreaterThanOrEqual(500);
    expect(first.plain.body.results).toBeUndefined();
  });

  test('so does a tool over MCP', () => {
    expect(first.mcp[0]?.text).toContain('npm:weir@2.1.0/README.md');
    expect(first.mcp[0]?.text).toContain('From the local library:');
  });

  test('the second start indexes nothing again; a new version replaces the old one; it can be switched off', () => {
    const second = unplugged({});
    expect(second.said).not.toContain('indexing the documentation');
    expect(second.search.library[0]?.url).toBe('npm:weir@2.1.0/README.md');
    put('node_modules/weir/package.json', '{"name":"weir","version":"2.2.0"}');
    put('node_modules/.package-lock.json', '{"packages":{"node_modules/weir":{"version":"2.2.0"}}}');
    const off = unplugged({ HEADGATE_LIBRARY__INDEX_PROJECT: 'false' });
    expect(off.said).not.toContain('indexing the documentation');
    const third = unplugged({ EXPECT_INDEXING: 'yes' });
    expect(third.search.library.map(({ url }) => url)).toEqual(['npm:weir@2.2.0/README.md']);
  }, 200_000);
});
