import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestClock } from '../support/clock.ts';
import type { LibraryDocument } from '../../src/library/document.ts';
import { createLibrary, type Libraries } from '../../src/library/library.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { sized } from '../support/sized.ts';
import { bundled } from '../support/bundled.ts';

const KILLS = sized('kills while a shared library is written', { small: 2, large: 5, full: 20 });
const program = await bundled(resolve(import.meta.dirname, '../support/library/postgres-child.ts'));
afterAll(() => program.dispose());

/** Gateways on one PostgreSQL, each with a folder of its own for copies. */
const postgres: TestPostgres | undefined = await startPostgres();
const folder = mkdtempSync(join(tmpdir(), 'headgate-shared-'));
afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const page = (id: string, content: string): LibraryDocument => ({
  id,
  url: `https://example.com/${id}`,
  title: id,
  content,
  format: 'markdown',
  kind: 'page',
});

describe.skipIf(postgres === undefined)('a library in PostgreSQL', () => {
  let url = '';
  const open: Libraries[] = [];
  let number = 0;
  const gateway = (): Libraries => {
    const library = createLibrary({
      folder: join(folder, String((number += 1))),
      database: url,
      clock: createTestClock(1_000),
    });
    open.push(library);
    return library;
  };
  beforeAll(async () => {
    url = (await postgres?.migratedUrl()) ?? '';
  });
  afterAll(() => Promise.all(open.map((library) => library.close())));
  const ids = async (library: { search: Libraries['search'] }, text: string): Promise<string[]> =>
    (await library.search({ text, resultsMax: 30 })).hits.map(({ id }) => id).toSorted();

  test('what one gateway adds, replaces and removes, the other sees at once', async () => {
    const [one, two] = [gateway(), gateway()];
    expect(await ids(two, 'water')).toEqual([]);
    expect(await one.add([page('a', 'water'), page('b', 'water')])).toMatchObject({ added: 2 });
    expect(await ids(two, 'water')).toEqual(['a', 'b']);
    expect(await two.add([page('a', 'canal'), page('b', 'water')])).toMatchObject({
      replaced: 1,
      unchanged: 1,
    });
    expect(await ids(one, 'water')).toEqual(['b']);
    expect(await one.remove({ ids: ['b'] })).toBe(1);
    expect(await two.stats()).toMatchObject({ documents: 1, damaged: [] });
    expect((await two.list()).map(({ id }) => id)).toEqual(['a']);
  });

  test('additions at the same time are all kept', async () => {
    const [one, two] = [gateway(), gateway()];
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? one : two).add([page(`race${at}`, 'rapids')])),
    );
    const expected = Array.from({ length: 10 }, (_, at) => `race${at}`);
    expect(await ids(one, 'rapids')).toEqual(expected);
    expect(await ids(two, 'rapids')).toEqual(expected);
    expect(await gateway().compact()).toEqual({ removed: 0 });
    expect(await ids(one, 'rapids')).toEqual(expected);
    expect((await one.stats()).segments).toBe(1);
  });

  test('a workspace finds its own and the shared library, on every gateway', async () => {
    const [one, two] = [gateway(), gateway()];
    await one.of('ws_one').add([page('mine', 'lagoon')]);
    await one.add([page('ours', 'lagoon')]);
    expect(await ids(two.of('ws_one'), 'lagoon')).toEqual(['mine', 'ours']);
    expect(await ids(two.of('ws_two'), 'lagoon')).toEqual(['ours']);
  });

  test('a gateway that is killed while it adds loses nothing that it acknowledged, and hinders nobody', async () => {
    const acknowledged: string[] = [];
    for (let run = 0; run < KILLS; run += 1) acknowledged.push(...(await addUntilKilled(run)));
    expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS);
    const found = new Set((await gateway().list({ limit: 1_000 })).map(({ id }) => id));
    expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
    expect(await gateway().add([page('after', 'estuary')])).toMatchObject({ added: 1 });
  }, 120_000);

  test('without its copies a gateway fetches them again', async () => {
    const one = gateway();
    const before = await ids(one, 'rapids');
    const place = join(folder, String(number), 'copies');
    expect(readdirSync(place).some((file) => file.endsWith('.index'))).toBe(true);
    await one.close();
    rmSync(place, { recursive: true });
    const again = createLibrary({
      folder: join(folder, String(number)),
      database: url,
      clock: createTestClock(1_000),
    });
    open.push(again);
    expect(await ids(again, 'rapids')).toEqual(before);
  });

  test.skipIf(postgres?.isOwn !== true)(
    'while the database is away, copies are searched and say so; additions fail and count when it is back',
    async () => {
      const one = gateway();
      expect(await ids(one, 'rapids')).toHaveLength(10);
      postgres?.kill();
      const answer = await one.search({ text: 'rapids', resultsMax: 30 });
      expect(answer.hits).toHaveLength(10);
      expect(answer.warnings[0]).toContain('a copy was searched');
      await expect(one.add([page('lost', 'rapids')])).rejects.toMatchObject({ code: 'storage_unavailable' });
      await postgres?.start();
      expect(await one.add([page('back', 'rapids')])).toMatchObject({ added: 1 });
      expect(await ids(gateway(), 'rapids')).toHaveLength(11);
    },
    120_000,
  );

  /** Adds in another process, one acknowledged line at a time, and kills it with SIGKILL between or within additions. */
  async function addUntilKilled(run: number): Promise<string[]> {
    const argv = [program.file, url, join(folder, `child${run}`), String(run)];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (data: Buffer) => {
      said += data.toString();
      if (said.split('\n').length > 2 + run) child.kill('SIGKILL');
    });
    await new Promise((done) => child.on('close', done));
    return said.split('\n').slice(0, -1);
  }
});
