import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type GatewayProcess } from '../support/gateway/processes.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

/** Gateways as users run them share one library over PostgreSQL; each has only copies in its own folder. */
const postgres: TestPostgres | undefined = await startPostgres();
const ADMIN = 'admin-token-of-the-shared-library';
const folder = mkdtempSync(join(tmpdir(), 'headgate-library-gateways-'));
const notes = join(folder, 'notes');
const members: GatewayProcess[] = [];
let storeUrl = '';

const start = async (home: string): Promise<GatewayProcess> => {
  const member = await startGateway({
    HEADGATE_HOME: join(folder, home),
    HEADGATE_STORE__URL: storeUrl,
    HEADGATE_SERVER__ADMIN_TOKEN: ADMIN,
    HEADGATE_LIBRARY__ROOTS: notes,
    HEADGATE_LIBRARY__INDEX_PROJECT: 'false',
  });
  members.push(member);
  return member;
};

beforeAll(async () => {
  if (postgres === undefined) return;
  storeUrl = await postgres.migratedUrl();
  mkdirSync(notes);
  writeFileSync(join(notes, 'sluice.md'), '# Sluice\n\nThe sluice of the Aldana canal opens at dawn.\n');
}, 60_000);
afterAll(async () => {
  for (const member of members) member.process.kill('SIGKILL');
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const json = async (url: string, body?: object): Promise<Record<string, unknown>> => {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, unknown>;
};

/** The titles that `POST /search` at a gateway finds in the library. */
async function found({ url }: GatewayProcess): Promise<string[]> {
  const response = await fetch(`${url}/search`, {
    method: 'POST',
    body: JSON.stringify({ query: 'When does the sluice open?', provider: 'local' }),
  });
  const { results = [] } = (await response.json()) as { results?: { title: string }[] };
  return results.map(({ title }) => title);
}

describe.skipIf(postgres === undefined)('two gateways on one PostgreSQL', () => {
  test('what one adds, the other finds, also after the first is killed, and so does a new one', async () => {
    const one = await start('one');
    const two = await start('two');
    await json(`${one.url}/admin/library/add`, { source: notes });
    await until(async () => (await found(one)).length > 0, 20_000);
    expect(await found(two)).toEqual(['Sluice']);

    one.process.kill('SIGKILL');
    await once(one.process, 'exit');
    expect(await found(two)).toEqual(['Sluice']);
    expect(await found(await start('three'))).toEqual(['Sluice']);

    await json(`${two.url}/admin/library/remove`, { under: 'file:' });
    expect(await found(two)).toEqual([]);
  }, 120_000);
});
