import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sized } from '../support/sized.ts';
import { environment, MAIN, startBuilt, startBuiltSim } from '../support/mcp/built.ts';

/** What a first call loads, told by the loader of Node: time cannot be tested on a shared machine, files can. */
const folder = mkdtempSync(join(tmpdir(), 'headgate-loads-'));
const list = join(folder, 'loaded.json');
const hook = join(folder, 'hook.cjs');
writeFileSync(
  hook,
  `let threads = 0;
  process.on('worker', () => (threads += 1));
  process.on('exit', () => {
    const seen = { files: Object.keys(require.cache), parts: process.moduleLoadList, threads };
    require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(seen));
  });`,
);
let sim: Awaited<ReturnType<typeof startBuiltSim>>;
beforeAll(async () => {
  sim = await startBuiltSim();
});
afterAll(async () => {
  await sim.stop();
  rmSync(folder, { recursive: true, force: true });
});

const hooked = () => ({
  ...environment(sim.url),
  HEADGATE_HOME: folder,
  NODE_COMPILE_CACHE: '',
  NODE_OPTIONS: `--require ${hook}`,
});

/** What the process which has just ended had loaded of ours and of Node, and the threads it had started. */
const seen = () =>
  JSON.parse(readFileSync(list, 'utf8')) as { files: string[]; parts: string[]; threads: number };
const loaded = (): string[] =>
  seen().files.map((file) => basename(file).replace(/(-[A-Z0-9]{8})?\.cjs$/, ''));
/** Parts of Node that take longer to load than all of ours that a search needs. */
const nodeParts = (): string[] =>
  ['undici/undici', 'tls', 'https', 'child_process', 'http2/core'].filter((name) =>
    seen().parts.some((part) => part.endsWith(` ${name}`) || part.endsWith(`/${name}`)),
  );

const run = (...args: string[]): string =>
  execFileSync(process.execPath, [MAIN, ...args], {
    env: hooked(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** Parts that cost more than a search itself. */
const HEAVY = [
  'o200k_base',
  'answered',
  'read-result-pages',
  'sessions',
  'research',
  'crawl',
  'renderer',
  'app',
  'esm',
  'tracer',
];

const heavyLoaded = (...more: string[]) => [...HEAVY, ...more].filter((name) => loaded().includes(name));

test('a search from the command line loads what a search needs', () => {
  expect(run('search', 'rust')).toContain('5 results');
  expect(loaded()).toContain('engine');
  expect(heavyLoaded()).toEqual([]);
  expect(nodeParts()).toEqual([]);
});

test('the same search with an answer loads more, so the names above are those of real files', () => {
  run('search', 'rust', '--include-answer', 'basic', '--include-raw-content', 'text');
  expect(heavyLoaded()).toEqual(['answered', 'read-result-pages']);
});

test('help loads neither the engine nor what a command runs', () => {
  run('--help');
  expect(loaded()).toEqual(['hook', 'main']);
});

test('the first call of a tool loads no tokenizer, no other toolset and no MCP SDK', async () => {
  const server = startBuilt([], hooked());
  await server.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  server.notify('notifications/initialized');
  const { result } = await server.request('tools/call', { name: 'web_search', arguments: { query: 'rust' } });
  expect(JSON.stringify(result)).toContain('"outcome":"ok"');
  server.child.stdin.end();
  await server.ended();
  expect(loaded()).toEqual(expect.arrayContaining(['plain-server', 'default', 'search']));
  expect(heavyLoaded('websearch', 'tavily', 'stdio')).toEqual([]);
  expect(nodeParts()).toEqual([]);
});

const paragraph = '<p>A gate lets water into a canal, and somebody opens it in the morning.</p>';
const pageOf = (name: string, body: string): string => {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, `<title>Gates</title><main><h1>Gates</h1>${paragraph}${body}</main>`);
  return file;
};

test('one small page is read without a thread, a large one or a second one with one', () => {
  const [small, other] = [pageOf('small', paragraph), pageOf('other', paragraph)];
  expect(run('extract', small)).toContain('A gate lets water');
  expect(seen().threads).toBe(0);
  expect(nodeParts()).toEqual([]);
  expect(run('extract', pageOf('large', paragraph.repeat(1_000)))).toContain('A gate lets water');
  expect(seen().threads).toBe(1);
  run('extract', small, other);
  expect(seen().threads).toBe(1);
});

test('a small page that is nested too deep for a stack is read as in a thread', () => {
  const file = pageOf('deep', '<b>'.repeat(20_000));
  const here = run('extract', file, '--json');
  const beside = run('extract', pageOf('small', paragraph), file, '--json');
  const [, second] = (JSON.parse(beside) as { results: unknown[] }).results;
  expect((JSON.parse(here) as { results: unknown[] }).results).toEqual([second]);
});

/** What V8 compiled is kept for the next start of the same command. */
const searchAt = (home: string, more: Record<string, string> = {}): string => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'search', 'rust'], {
    env: { ...environment(sim.url), HEADGATE_HOME: home, NODE_COMPILE_CACHE: '', ...more },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
};
const keptIn = (home: string): string[] => {
  const cache = join(home, 'cache');
  return existsSync(cache) ? readdirSync(cache).map((name) => join(cache, name)) : [];
};

test('the second run of a command finds the compiled code of the first and writes nothing', () => {
  const home = mkdtempSync(join(tmpdir(), 'headgate-code-'));
  searchAt(home);
  const [file = '', ...others] = keptIn(home);
  expect(others).toEqual([]);
  const { ino, size } = statSync(file);
  expect(size).toBeGreaterThan(100_000);
  expect(searchAt(home)).toContain('5 results');
  expect(statSync(file).ino).toBe(ino);
});

test('compiled code that is torn or of another build is replaced', () => {
  const home = mkdtempSync(join(tmpdir(), 'headgate-code-'));
  searchAt(home);
  const [file = ''] = keptIn(home);
  const whole = readFileSync(file);
  writeFileSync(join(home, 'cache', 'search-0123456789abcdef-1-x64.bin'), 'old');
  const ways = [whole.subarray(0, whole.length / 2), Buffer.alloc(whole.length), Buffer.from('x')];
  const count = sized('ways in which compiled code is torn', { small: 1, large: 3, full: 3 });
  for (const torn of ways.slice(0, count)) {
    writeFileSync(file, torn);
    expect(searchAt(home)).toContain('5 results');
    expect(statSync(file).size).toBeGreaterThan(whole.length / 2);
    expect(keptIn(home)).toEqual([file]);
  }
});

test('a command works where no compiled code can be kept, or may be, or where Node keeps its own', () => {
  const home = mkdtempSync(join(tmpdir(), 'headgate-code-'));
  searchAt(home, { NODE_DISABLE_COMPILE_CACHE: '1' });
  expect(readdirSync(home)).toEqual([]);
  const elsewhere = mkdtempSync(join(tmpdir(), 'headgate-code-'));
  searchAt(home, { NODE_COMPILE_CACHE: elsewhere });
  expect([keptIn(home), readdirSync(join(elsewhere, 'headgate')).length]).toEqual([[], 1]);
  writeFileSync(join(home, 'cache'), 'a file where the folder would be');
  expect(searchAt(home)).toContain('5 results');
});
