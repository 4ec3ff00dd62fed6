import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createLibraryReader } from '../../src/library/query/reader.ts';
import { createFolderStore } from '../../src/library/segment/store.ts';
import { sized } from '../support/sized.ts';
import { bundled } from '../support/bundled.ts';

const program = await bundled(resolve(import.meta.dirname, '../support/library/crash-child.ts'));
afterAll(() => program.dispose());

const KILLS = sized('kills while the library is written', { small: 2, large: 20, full: 100 });

const folder = mkdtempSync(join(tmpdir(), 'headgate-crash-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the child until it has acknowledged some batches, kills it with SIGKILL, and gives what it had acknowledged. */
async function addUntilKilled(run: number, batches: number): Promise<string[]> {
  const child = spawn(process.execPath, [program.file, folder, String(run)], {
    cwd: resolve(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (data: Buffer) => {
    said += data.toString();
    if (said.split('\n').length > batches) child.kill('SIGKILL');
  });
  await new Promise((done) => child.on('close', done));
  return said
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => line.split(' '));
}

test(
  `kill -9 during an addition, ${KILLS} times: the library opens, answers and has lost nothing that was acknowledged`,
  async () => {
    const acknowledged: string[] = [];
    for (let run = 0; run < KILLS; run += 1) {
      acknowledged.push(...(await addUntilKilled(run, 1 + (run % 7))));
      const reader = createLibraryReader(createFolderStore(folder));
      const { hits, warnings } = reader.search(
        { text: acknowledged.at(-1) ?? '', resultsMax: 1 },
        Date.now(),
      );
      expect(warnings).toEqual([]);
      expect(hits[0]?.id).toBe(acknowledged.at(-1));
      const found = new Set<string>();
      for (let offset = 0; offset < reader.stats().documents; offset += 1_000) {
        for (const { id } of reader.list({ offset, limit: 1_000 })) found.add(id);
      }
      expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
      reader.close();
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS * 3);
  },
  60_000 + KILLS * 12_000,
);
