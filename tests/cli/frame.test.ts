import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/run.ts';
import { runHeadgate } from '../support/cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'headgate-frame-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const names = Object.keys(COMMANDS);
let homes = 0;
const freshHome = (): string => join(folder, `home-${(homes += 1)}`);
/** A home that does not exist stays so: whatever a command writes would make it. */
const written = (home: string): string[] => (existsSync(home) ? readdirSync(home) : []);

describe.each(names)('headgate %s', (name) => {
  const { summary } = COMMANDS[name] as { summary: string };

  test.each([['--help'], ['-h']])('%s prints its help, and does nothing else', async (flag) => {
    const home = freshHome();
    const { code, out, err } = await runHeadgate([name, flag], { home });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(summary);
    expect(out).toContain(`headgate ${name}`);
    expect(out).toContain('--help');
    expect(written(home)).toEqual([]);
  });

  test('help NAME prints the same', async () => {
    const [asked, flagged] = await Promise.all([
      runHeadgate(['help', name], { home: freshHome() }),
      runHeadgate([name, '--help'], { home: freshHome() }),
    ]);
    expect(asked).toEqual(flagged);
  });

  test('an unknown flag is refused, and nothing is done', async () => {
    const home = freshHome();
    const { code, out, err } = await runHeadgate([name, '--nonsense'], { home });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^headgate: Unknown flag --nonsense\./);
    expect(written(home)).toEqual([]);
  });

  test('with --json an unknown flag is a failure in JSON, on stdout', async () => {
    const { code, out } = await runHeadgate([name, '--json', '--nonsense'], { home: freshHome() });
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({
      error: { code: 'invalid_request', message: 'Unknown flag --nonsense.' },
      exit_status: 2,
    });
  });
});

describe('what was probably meant', () => {
  test('a command', async () => {
    const { code, err } = await runHeadgate(['serach', 'tides'], { home: freshHome() });
    expect(code).toBe(2);
    expect(err).toContain('headgate: Unknown command "serach". Did you mean search?');
  });

  test('nothing, where a command is called like a property of every object', async () => {
    const { code, err } = await runHeadgate(['constructor'], { home: freshHome() });
    expect(code).toBe(2);
    expect(err).toContain('Unknown command "constructor".');
  });

  test('a flag', async () => {
    const { err } = await runHeadgate(['search', 'tides', '--max-result', '3'], { home: freshHome() });
    expect(err).toContain('Unknown flag --max-result. Did you mean --max-results?');
  });

  test('a verb', async () => {
    const { code, err } = await runHeadgate(['key', 'crate'], { home: freshHome() });
    expect(code).toBe(2);
    expect(err).toContain('Did you mean create?');
  });

  test('help of an unknown command fails', async () => {
    const { code, err } = await runHeadgate(['help', 'nothing-like-it'], { home: freshHome() });
    expect(code).toBe(2);
    expect(err).toContain('Unknown command "nothing-like-it".');
  });
});

describe('failures', () => {
  const unreachable = {
    HEADGATE_PROVIDERS__DUCKDUCKGO__BASE_URL: 'http://127.0.0.1:1',
    HEADGATE_SEARCH__PROVIDER: 'duckduckgo',
    HEADGATE_SEARCH__RETRIES: '0',
  };

  test('of the work itself are JSON with --json, with the exit status', async () => {
    const ran = await runHeadgate(['search', 'tides', '--json'], { home: freshHome(), env: unreachable });
    const { error, exit_status } = JSON.parse(ran.out) as {
      error: Record<string, unknown>;
      exit_status: number;
    };
    expect(ran.code).toBe(1);
    expect(exit_status).toBe(1);
    expect(error).toMatchObject({
      code: 'network_error',
      type: expect.any(String),
      message: expect.any(String),
    });
  });

  test('of a configuration file that is named and missing', async () => {
    const { code, err } = await runHeadgate(['search', 'tides', '--config', join(folder, 'none.toml')], {
      home: freshHome(),
    });
    expect(code).toBe(1);
    expect(err).toContain('none.toml');
  });
});

describe('headgate serve', () => {
  test.each([
    [['--port', '70000'], '--port: "70000" is not a whole number from 0 to 65535.'],
    [['--port'], "Option '--port <value>' argument missing."],
    [['extra'], 'Unexpected argument "extra".'],
  ])('%j is refused', async (args, message) => {
    const home = freshHome();
    const { code, err } = await runHeadgate(['serve', ...args], { home });
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(written(home)).toEqual([]);
  });
});

describe('headgate completion', () => {
  test.each(['bash', 'zsh', 'fish'])(
    '%s: names every command, and flags and verbs of each',
    async (shell) => {
      const { code, out } = await runHeadgate(['completion', shell], { home: freshHome() });
      expect(code).toBe(0);
      expect(names.filter((name) => !out.includes(name))).toEqual([]);
      expect(out).toContain('max-results');
      expect(out).toContain('top-up');
    },
  );

  test('of an unknown shell is refused', async () => {
    const { code, err } = await runHeadgate(['completion', 'tcsh'], { home: freshHome() });
    expect(code).toBe(2);
    expect(err).toContain('bash, zsh, fish');
  });
});
