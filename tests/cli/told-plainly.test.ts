import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { BARE, MAIN } from '../support/mcp/built.ts';

const home = mkdtempSync(join(tmpdir(), 'headgate-serve-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs the built program until it ends by itself; one that stays is ended, and its code is then null. */
function headgate(
  command: string,
  env: Record<string, string> = {},
): Promise<{ code: unknown; said: string }> {
  const settings = { ...BARE, HEADGATE_HOME: home, HEADGATE_SERVER__PORT: '0', ...env };
  return new Promise((done) => {
    execFile(
      process.execPath,
      [MAIN, ...command.split(' ')],
      { env: settings, timeout: 20_000 },
      (error, out, said) => done({ code: error === null ? 0 : (error.code ?? null), said: out + said }),
    );
  });
}

describe('a store that cannot be opened', () => {
  test('a damaged file ends the gateway with an error, instead of leaving it to listen without a store', async () => {
    writeFileSync(join(home, 'headgate.db'), 'This is not a database. '.repeat(400));
    const { code, said } = await headgate('serve');
    expect(code).toBe(1);
    expect(said).not.toContain('Headgate is ready');
    expect(said).toMatch(/^headgate: .+is damaged.+the last backup/m);
  }, 40_000);

  test('a database that cannot be reached ends it too, and its address is not shown', async () => {
    const { code, said } = await headgate('serve', {
      HEADGATE_STORE__URL: 'postgres://nobody@127.0.0.1:1/none',
    });
    expect(code).toBe(1);
    expect(said).not.toContain('Headgate is ready');
    expect(said).not.toContain('nobody@');
  }, 40_000);

  test('doctor looks at the store that the error sends people to it for', async () => {
    const { code, said } = await headgate('doctor --offline');
    expect(code).toBe(1);
    expect(said).toMatch(/✗ Store +The file of limits and credits is damaged\./);
    rmSync(join(home, 'headgate.db'));
    expect((await headgate('doctor --offline')).said).toMatch(/· Store +none yet/);
    await headgate('workspace create Team');
    expect((await headgate('doctor --offline')).said).toMatch(/✓ Store +.+headgate\.db answers/);
  }, 40_000);
});

describe('a command on a terminal', () => {
  const unreached = {
    HEADGATE_PROVIDERS__DUCKDUCKGO__BASE_URL: 'http://nowhere.invalid',
    HEADGATE_SEARCH__PROVIDER: 'duckduckgo',
    HEADGATE_SEARCH__RETRIES: '0',
  };

  test('says one sentence about a provider that is not reached, and what to do; no log lines', async () => {
    const { code, said } = await headgate('search tides', unreached);
    expect(code).toBe(1);
    expect(said).toMatch(/^headgate: duckduckgo .+ Check the address, and the network .+\n$/);
  }, 40_000);

  test('shows the log to who asks for it', async () => {
    const { said } = await headgate('search tides', { ...unreached, HEADGATE_LOG__LEVEL: 'warn' });
    expect(said).toContain('"event":"provider_failed"');
  }, 40_000);
});
