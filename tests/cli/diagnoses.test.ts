import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { runHeadgate, type Ran } from '../support/cli.ts';

const home = mkdtempSync(join(tmpdir(), 'headgate-diagnoses-'));
let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
afterAll(async () => {
  await sim.close();
  rmSync(home, { recursive: true, force: true });
});

const headgate = (argv: string[], env: Record<string, string> = {}): Promise<Ran> =>
  runHeadgate(argv, { home, env });

describe('a home that cannot be written', () => {
  const file = join(home, 'a-file');
  const inFile = join(file, 'home');
  beforeAll(() => writeFileSync(file, ''));

  test.each([[['serve']], [['workspace', 'create', 'Team']]])('%j says so in a sentence', async (argv) => {
    const { code, err } = await runHeadgate(argv, { home: inFile });
    expect(code).toBe(1);
    expect(err).toMatch(
      /^headgate: Headgate cannot use .+: a part of the path is not a folder\. Check the path and its permissions\. HEADGATE_HOME sets the data folder\.\n$/,
    );
  });

  test('doctor notices', async () => {
    const { code, out } = await runHeadgate(['doctor', '--offline'], { home: inFile });
    expect(code).toBe(1);
    expect(out).toMatch(/✗ Home +Headgate cannot use .+a-file: a part of the path is not a folder\./);
    expect((await headgate(['doctor', '--offline'])).out).toMatch(/✓ Home +.+ is writable\./);
  });

  // A folder without permission stops everybody but root, so that the program runs as somebody else.
  const isRoot = process.getuid?.() === 0;
  test.skipIf(process.platform === 'win32')('without permission it is a sentence, too', async () => {
    const closed = mkdtempSync(join(tmpdir(), 'headgate-closed-'));
    chmodSync(closed, 0o555);
    const main = resolve(import.meta.dirname, '../../dist/main.cjs');
    const said = await new Promise<string>((done) => {
      execFile(
        process.execPath,
        [main, 'workspace', 'create', 'Team'],
        {
          env: { PATH: process.env['PATH'], HEADGATE_HOME: join(closed, 'home') },
          timeout: 20_000,
          cwd: '/',
          ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
        },
        (_error, out, err) => done(out + err),
      );
    });
    rmSync(closed, { recursive: true, force: true });
    expect(said).toMatch(/^headgate: Headgate cannot use .+: permission is denied\. .+\n$/);
  });
});

describe('a broken configuration', () => {
  const broken = { HEADGATE_SEARCH__STRATEGY: 'bogus', HEADGATE_SEARCH__RETRIES: '1' };

  test('the command that the mistake points to lists every key and says the mistake', async () => {
    const failed = await headgate(['search', 'sluices'], broken);
    expect(failed.err).toContain('`headgate config` lists every key with its rule.');
    const { code, out, err } = await headgate(['config'], broken);
    expect(code).toBe(1);
    expect(err).toContain('HEADGATE_SEARCH__STRATEGY: search.strategy = "bogus": must be one of fallback,');
    expect(err).not.toContain('headgate config');
    expect(out).toContain('search.strategy = "fallback"\n');
    expect(out).toContain('search.retries = 1\n');
  });

  test('doctor reports it and looks at the rest', async () => {
    const { code, out } = await headgate(['doctor', '--offline'], broken);
    expect(code).toBe(1);
    expect(out).toMatch(/✗ Config +The configuration has a mistake:\n +HEADGATE_SEARCH__STRATEGY/);
    expect(out).toMatch(/· DuckDuckGo +set up; not asked\./);
  });

  test('a file that is not TOML does not stop them', async () => {
    const path = join(home, 'broken.toml');
    writeFileSync(path, '[search\nprovider = 1');
    const env = { HEADGATE_CONFIG: path, HEADGATE_SEARCH__RETRIES: '2' };
    const { code, out, err } = await headgate(['config'], env);
    expect(code).toBe(1);
    expect(err).toContain('is not valid TOML');
    expect(out).toContain('search.retries = 2\n');
    expect((await headgate(['doctor', '--offline'], env)).out).toMatch(/✗ Config +.+is not valid TOML/);
  });
});

describe('what does not exist, or exists already', () => {
  test('a backup does not write over a file', async () => {
    await headgate(['workspace', 'create', 'Team']);
    const path = join(home, 'copy.db');
    expect((await headgate(['store', 'backup', path])).code).toBe(0);
    const again = await headgate(['store', 'backup', path]);
    expect(again.code).toBe(2);
    expect(again.err).toBe(
      `headgate: There is already a file ${path}. Choose another name, or remove it first.\n`,
    );
    const nowhere = await headgate(['store', 'backup', join(home, 'nowhere', 'copy.db')]);
    expect(nowhere.err).toContain(`There is no folder ${join(home, 'nowhere')}.`);
  });

  test.each([
    [['key', 'create', '--workspace', 'ws_nope'], 'There is no workspace ws_nope.'],
    [['agent', 'create', 'Scout', '--workspace', 'ws_nope'], 'There is no workspace ws_nope.'],
    [['extract', '/nonexistent.html'], 'There is no file /nonexistent.html here. Check the path.'],
    [['extract', 'example.com/page'], 'If you mean a page on the web, write https://example.com/page'],
  ])('%j', async (argv, expected) => {
    const { code, err } = await headgate(argv);
    expect(code).not.toBe(0);
    expect(err).toContain(expected);
    expect(err).not.toContain('https:///');
  });

  test('a source of which nothing could be added is a failure', async () => {
    const { code, out } = await headgate(['library', 'add', '/nonexistent']);
    expect(code).toBe(1);
    expect(out).toContain('0 documents added, 0 unchanged, 1 problem.');
  });

  test('a new key stands above a table of its own', async () => {
    const { out } = await headgate(['workspace', 'list', '--json']);
    const [workspace] = JSON.parse(out) as { id: string }[];
    const made = await headgate(['key', 'create', '--workspace', workspace?.id ?? '']);
    expect(made.out).toMatch(/^hg_live_\S+\n\nThis is the only time it is shown\.\n\nkey +label +workspace /);
  });
});

describe('the simulator', () => {
  test('a port that is taken, and one that is none', async () => {
    const taken = createServer();
    await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
    const { port } = taken.address() as AddressInfo;
    expect(await headgate(['sim', '--port', String(port)])).toEqual({
      code: 1,
      out: '',
      err: `headgate: Port ${port} is already in use. Choose another with --port.\n`,
    });
    taken.close();
    expect((await headgate(['sim', '--port', 'abc'])).err).toBe(
      'headgate: --port: "abc" is not a whole number from 0 to 65535.\n',
    );
    const unknown = await headgate(['sim', '--colour']);
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain('Unknown flag --colour.');
  });
});

describe('sentences do not run into each other', () => {
  test('what a provider refused, and what to do', async () => {
    const body = JSON.stringify({ detail: { error: 'Unauthorized' } });
    const headers = { 'content-type': 'application/json' };
    sim.script('/tavily', [{ kind: 'status', status: 401, headers, body, times: 'always' }]);
    const { err } = await headgate(['search', 'sluices', '--provider', 'tavily'], {
      TAVILY_API_KEY: 'tvly-1234567890',
      HEADGATE_PROVIDERS__TAVILY__BASE_URL: `${sim.url}/tavily`,
      HEADGATE_LOG__LEVEL: 'error',
    });
    expect(err).toContain('did not accept the key (HTTP 401). Check TAVILY_API_KEY.');
  });

  test('why a site could not be walked, and what to do', async () => {
    const { err } = await headgate(['map', 'http://10.0.0.1/'], { HEADGATE_LOG__LEVEL: 'error' });
    expect(err).toMatch(/[^.]\. Check the address, or start from another page/);
  });

  test('which session is not there, and what to do', async () => {
    const { err } = await headgate(['research', '--report', 'deepres-nothing']);
    expect(err).toContain("' not found. List the sessions");
  });
});
