import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runHeadgate } from '../support/cli.ts';
import { startPostgres } from '../support/postgres.ts';

const postgres = await startPostgres();
const home = mkdtempSync(join(tmpdir(), 'headgate-pg-home-'));
afterAll(async () => {
  await postgres?.stop();
  rmSync(home, { recursive: true, force: true });
});

describe.skipIf(postgres === undefined)('a PostgreSQL that lets nobody in', () => {
  test.each([
    ['a role that does not exist', (url: URL) => (url.username = 'nobody_here'), 'does not let this role in'],
    [
      'a database that does not exist',
      (url: URL) => (url.pathname = '/nowhere'),
      'has no database of this name',
    ],
  ])('%s is told as that', async (_name, spoil, expected) => {
    const url = new URL((await postgres?.freshUrl()) ?? '');
    spoil(url);
    const env = { HEADGATE_STORE__URL: url.href };
    const { code, err } = await runHeadgate(['workspace', 'list'], { home, env });
    expect(code).toBe(1);
    expect(err).toContain(`headgate: PostgreSQL ${expected}.`);
    expect(err).toContain('[store] url');
    const doctor = await runHeadgate(['doctor', '--offline'], { home, env });
    expect(doctor.out).toContain(`PostgreSQL ${expected}.`);
    expect(doctor.out + err).not.toMatch(/cannot be reached|see `headgate doctor`/);
  });
});
