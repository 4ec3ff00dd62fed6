import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { isBuilt, root } from '../../scripts/sources-hash.mjs';
import { notRunFile } from './not-run.ts';
import { shrunkFile, testSize } from './sized.ts';

/** Clusters, packages and profiles of browsers take a few hundred megabytes at a time. */
const ROOM_BYTES = 3 * 1024 ** 3;

/**
 * Gives the whole run a temporary folder of its own, and removes it with all that is in it: whatever a test leaves behind, also one that failed or whose
 * process was killed, does not stay on the machine. The name is short because the paths of sockets may have about a hundred characters.
 */
export function setup(project: TestProject): () => void {
  // Each project of a run calls this; the first has made the folder.
  if (basename(tmpdir()).startsWith('hg-')) return () => undefined;
  const place = quickFolder();
  removeLeftovers(place);
  const folder = mkdtempSync(join(place, `hg-${process.pid}-`));
  // What a test starts as another user must get through to its own folder.
  chmodSync(folder, 0o711);
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
  // Programs that tests start take half as long to start when they find what V8 compiled for one before.
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled');
  // Threads of a build start ten times as fast as from source (core/worker-file.ts). While files change, the source counts.
  if (!project.config.watch && isBuilt()) process.env['HEADGATE_TEST_DIST'] = join(root, 'dist');
  return () => {
    sayWhatWasShrunk();
    sayWhatWasNotRun();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
}

/** In memory where there is room and programs may run: tests kill processes, not the machine, so nothing needs to wait for a disk. */
function quickFolder(): string {
  const memory = '/dev/shm';
  if (process.env['TMPDIR'] !== undefined || !existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  const runsPrograms = !/^\S+ \/dev\/shm \S+ \S*noexec/m.test(readFileSync('/proc/mounts', 'utf8'));
  return runsPrograms && bavail * bsize > ROOM_BYTES ? memory : tmpdir();
}

/** The folders of runs that were killed; in memory they would stay until the machine is started again. */
function removeLeftovers(place: string): void {
  for (const name of readdirSync(place)) {
    const pid = /^hg-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const path = join(place, name);
    if (statSync(path).uid === process.getuid?.()) rmSync(path, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The rows of a file that tests have left, each once. */
function rowsOf<Row>(file: string): Row[] {
  if (!existsSync(file)) return [];
  const lines = new Set(readFileSync(file, 'utf8').trim().split('\n'));
  return [...lines].map((line) => JSON.parse(line) as Row);
}

function sayWhatWasNotRun(): void {
  const rows = rowsOf<{ tests: string; needs: string }>(notRunFile());
  if (rows.length > 0) console.log('\nNot run:');
  for (const { tests, needs } of rows) console.log(`  ${tests}: needs ${needs}`);
}

function sayWhatWasShrunk(): void {
  const rows = rowsOf<{ what: string; count: number; full: number }>(shrunkFile());
  if (rows.length === 0) return;
  console.log(`\nShrunk in this run (size ${testSize()}; \`npm run test:long\` runs the full sizes):`);
  for (const { what, count, full } of rows) {
    console.log(`  ${what}: ${count.toLocaleString('en')} of ${full.toLocaleString('en')}`);
  }
}
