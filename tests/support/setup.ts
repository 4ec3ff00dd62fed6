import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { isBuilt, root } from '../../scripts/sources-hash.mjs';
import { shrunkFile, testSize } from './sized.ts';

/**
 * Gives the whole run a temporary folder of its own, and removes it with all that is in it: whatever a test leaves behind, also one that failed or whose
 * process was killed, does not stay on the machine. The name is short because the paths of sockets may have about a hundred characters.
 */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'hg-'));
  // What a test starts as another user must get through to its own folder.
  chmodSync(folder, 0o711);
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
  // Threads of a build start ten times as fast as from source (core/worker-file.ts). While files change, the source counts.
  if (!project.config.watch && isBuilt()) process.env['HEADGATE_TEST_DIST'] = join(root, 'dist');
  return () => {
    sayWhatWasShrunk();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
}

function sayWhatWasShrunk(): void {
  if (!existsSync(shrunkFile())) return;
  const lines = new Set(readFileSync(shrunkFile(), 'utf8').trim().split('\n'));
  const rows = [...lines].map((line) => JSON.parse(line) as { what: string; count: number; full: number });
  console.log(`\nShrunk in this run (size ${testSize()}; \`npm run test:long\` runs the full sizes):`);
  for (const { what, count, full } of rows) {
    console.log(`  ${what}: ${count.toLocaleString('en')} of ${full.toLocaleString('en')}`);
  }
}
