import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHeadgate } from '../../src/index.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { openSnapshot } from '../../src/snapshot/snapshot.ts';
import { runHeadgate } from '../support/cli.ts';
import { createRecording } from '../support/recording.ts';

const KEY = 'tvly-a-secret-of-ours-0123456789';
const home = mkdtempSync(join(tmpdir(), 'snapshot-'));
const at = (name: string): string => join(home, name);
let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
afterAll(async () => {
  await sim.close();
  rmSync(home, { recursive: true, force: true });
});

/** An engine that records, or replays without anybody to ask. */
const engine = (mode: string, file: string, base = sim.url) =>
  createHeadgate({
    home,
    config: {
      'web.mode': mode,
      'web.snapshot': file,
      'web.exact': true,
      'providers.tavily.api_key': KEY,
      'providers.tavily.base_url': `${base}/tavily`,
      'search.provider': 'tavily',
      'guard.allow': ['127.0.0.1'],
      'guard.ports': [sim.port],
      'cache.enabled': false,
    },
  });

/** The network alone. */
const createOwnRecording = (file: string, isPacked = true) =>
  createRecording(file, [sim.port], [KEY], isPacked);

const told = ({
  response_time: _time,
  request_id: _id,
  attempts: _attempts,
  ...rest
}: Record<string, unknown>) => rest;

/** A page that Headgate reads itself. */
const page = (name: string) => ({ urls: [`${sim.url}/web/${name}`], provider: 'headgate' as const });

test('what is recorded is replayed without the web, and nothing else is', async () => {
  const file = at('first.wacz');
  const live = engine('record', file);
  const searched = await live.search({ query: 'tidal mills' });
  const read = await live.extract(page('river'));
  const lost = await live.extract(page('nowhere'));
  await live.close();
  expect(searched.results.length).toBeGreaterThan(0);

  const before = sim.requests.length;
  const replayed = engine('replay', file);
  expect(told(await replayed.search({ query: 'tidal mills' }))).toEqual(told(searched));
  expect(told(await replayed.extract(page('river')))).toEqual(told(read));
  expect(told(await replayed.extract(page('nowhere')))).toEqual(told(lost));
  // The same words in another case, and with other white space.
  expect((await replayed.search({ query: '  Tidal   MILLS ' })).results).toEqual(searched.results);
  await expect(replayed.search({ query: 'wind mills' })).rejects.toMatchObject({ code: 'not_recorded' });
  const missed = await replayed.extract(page('history'));
  expect(missed.failed_results[0]?.error).toMatch(/The snapshot does not hold this page/);
  await replayed.close();
  expect(sim.requests.length).toBe(before);
});

test('the same recording gives the same bytes, whatever the order', async () => {
  const files = [at('one.wacz'), at('two.wacz')];
  const names = ['river', 'history', 'history'];
  for (const [index, file] of files.entries()) {
    const live = createOwnRecording(file);
    for (const name of index === 0 ? names : names.toReversed()) await live.fetch(`${sim.url}/web/${name}`);
    await live.close();
  }
  const [one, two] = files.map((file) => readFileSync(file));
  expect(one?.equals(two as Buffer)).toBe(true);
});

test('a failure is replayed as one; `once` asks only for what is missing', async () => {
  const file = at('once.wacz');
  const first = engine('once', file);
  sim.script('/web/mill', [{ kind: 'reset' }]);
  const lost = await first.extract(page('mill'));
  await first.close();
  const second = engine('once', file);
  const before = sim.requests.length;
  expect(told(await second.extract(page('mill')))).toEqual(told(lost));
  expect(sim.requests.length).toBe(before);
  await second.extract(page('river'));
  await second.close();
  const snapshot = openSnapshot(file);
  const failed = snapshot.entries.filter((entry) => entry.failed !== undefined);
  expect(failed.map(({ url }) => new URL(url).pathname)).toContain('/web/mill');
  expect(snapshot.entries.map(({ url }) => new URL(url).pathname)).toContain('/web/river');
  snapshot.close();
});

test('a process that is killed loses nothing that was written', async () => {
  const file = at('killed.wacz');
  const live = createOwnRecording(file, false);
  for (const name of ['river', 'history']) await live.fetch(`${sim.url}/web/${name}`);
  await live.close();
  const [name = ''] = readdirSync(`${file}.spool`);
  const spooled = join(`${file}.spool`, name);
  const whole = readFileSync(spooled);
  const second = whole.indexOf('WARC/1.1', whole.indexOf('WARC-Type: response'));
  for (const cut of [whole.length - 1, whole.length - 500, second + 1, second + 100]) {
    mkdirSync(`${file}.spool`, { recursive: true });
    writeFileSync(spooled, whole.subarray(0, cut));
    const { code, out } = await runHeadgate(['snapshot', 'repair', file], { home });
    expect([code, out]).toEqual([0, expect.stringMatching(/^Packed 1 exchange /)]);
    expect((await runHeadgate(['snapshot', 'verify', file], { home })).out).toBe('No problems found.\n');
    rmSync(file);
  }
});

test('a damaged file is told, and never used in part', async () => {
  const file = at('first.wacz');
  const bytes = readFileSync(file);
  const broken = at('broken.wacz');
  bytes[200] = (bytes[200] ?? 0) ^ 0xff;
  writeFileSync(broken, bytes);
  const checked = await runHeadgate(['snapshot', 'verify', broken], { home });
  expect([checked.code, checked.out]).toEqual([
    1,
    expect.stringContaining('archive/data.warc.gz does not fit its sum.'),
  ]);
  for (const text of ['', 'PK', 'x'.repeat(10_000)]) {
    writeFileSync(broken, text);
    const { code, err } = await runHeadgate(['snapshot', 'info', broken], { home });
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('cannot be used, because it is neither a WACZ nor a WARC file'),
    ]);
  }
  truncateSync(broken, 0);
  expect((await runHeadgate(['snapshot', 'info', at('nowhere.wacz')], { home })).err).toContain(
    'it does not exist',
  );
});

test('headgate record and headgate replay wrap any program, with all its processes', async () => {
  const main = join(import.meta.dirname, '../../dist/main.cjs');
  const file = at('wrapped.wacz');
  const env = {
    ...process.env,
    HEADGATE_HOME: home,
    HEADGATE_PROVIDERS__TAVILY__BASE_URL: `${sim.url}/tavily`,
    HEADGATE_SEARCH__PROVIDER: 'tavily',
    TAVILY_API_KEY: KEY,
  };
  const program = `node ${main} search "tidal mills" --json && node ${main} search "wind mills" --json`;
  const run = async (verb: string, script: string, ...flags: string[]) => {
    const child = spawn(process.execPath, [main, verb, file, ...flags, '--', 'sh', '-c', script], { env });
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { stdout, stderr, status: status as number };
  };
  const recorded = await run('record', program);
  expect([recorded.status, recorded.stderr]).toEqual([0, expect.stringMatching(/^Recorded 2 exchanges in /)]);
  expect(existsSync(`${file}.spool`)).toBe(false);
  const replayed = await run('replay', program);
  expect([replayed.status, replayed.stderr]).toEqual([0, '']);
  const titles = (text: string): string[] =>
    Array.from(text.matchAll(/"title": "([^"]*)"/g), ([, title = '']) => title);
  expect(titles(replayed.stdout)).toEqual(titles(recorded.stdout));
  const missed = await run('replay', `node ${main} search "water mills" || true`, '--exact');
  expect([missed.status, missed.stderr]).toEqual([3, expect.stringContaining('1 request was not recorded:')]);
});
