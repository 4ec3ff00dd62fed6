import { appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where `sayNotRun` leaves a line for the end of the run. */
export const notRunFile = (): string => join(tmpdir(), 'not-run.jsonl');

/** Says at the end of the run which tests it left out, and what they need. */
export function sayNotRun(tests: string, needs: string): void {
  if (process.env['VITEST'] === undefined) process.stderr.write(`\nNot run: ${tests}. Needs ${needs}.\n\n`);
  else appendFileSync(notRunFile(), `${JSON.stringify({ tests, needs })}\n`);
}
