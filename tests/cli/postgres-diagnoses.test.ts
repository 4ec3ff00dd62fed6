import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
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
    ['a role that does not exist', (url: URL) => (url.username = 'nobody_here'), 'rejects this role'],
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

describe.skipIf(postgres?.isOwn !== true)('a PostgreSQL that asks for a password', () => {
  test.each([
    ['a wrong password', 'wrong'],
    ['no password', ''],
  ])('%s is told as that', async (_name, password) => {
    const url = new URL((await postgres?.freshUrl()) ?? '');
    await askForPassword(url.href);
    url.username = 'guarded';
    url.password = password;
    const env = { HEADGATE_STORE__URL: url.href };
    const { code, err } = await runHeadgate(['workspace', 'list'], { home, env });
    const doctor = await runHeadgate(['doctor', '--offline'], { home, env });
    expect(code).toBe(1);
    for (const told of [err, doctor.out]) {
      expect(told).toContain('PostgreSQL refuses the password of the role.');
      expect(told).toContain('Check the password in [store] url.');
      expect(told).not.toMatch(/cannot be reached|inside Headgate|wrong@/);
    }
  });
});

/** Lets the role `guarded` in with its password only. */
async function askForPassword(admin: string): Promise<void> {
  const client = new Client(admin);
  await client.connect();
  const { rows } = await client.query<{ hba_file: string }>('SHOW hba_file');
  const file = rows[0]?.hba_file ?? '';
  const rules = readFileSync(file, 'utf8');
  const rule = 'local all guarded scram-sha-256\n';
  if (!rules.startsWith(rule)) {
    await client.query("CREATE ROLE guarded LOGIN PASSWORD 'right'");
    writeFileSync(file, `${rule}${rules}`);
    await client.query('SELECT pg_reload_conf()');
  }
  await client.end();
}
