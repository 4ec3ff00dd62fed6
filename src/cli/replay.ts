import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { oneLine } from '../core/text.ts';
import { openSnapshot } from '../snapshot/snapshot.ts';
import type { Command } from './command.ts';
import { programOf, runProgram } from './wrapped.ts';

const USAGE = 'FILE[,FILE…] -- PROGRAM [ARGUMENT…]';
/** The exit status when the program asked for what was not recorded. */
const MISSED = 3;
const SHOWN = 10;

/** Runs a program against what was recorded. Nothing of it that uses Headgate reaches the web. */
export const command: Command = {
  usage: USAGE,
  flags: [],
  words: Number.POSITIVE_INFINITY,
  run: async (context) => {
    const [file, ...program] = programOf(context.args.words, `headgate replay ${USAGE}`);
    const paths = file.split(',').map((path) => resolve(path));
    for (const path of paths) openSnapshot(path).close();
    const folder = mkdtempSync(join(tmpdir(), 'headgate-'));
    const misses = join(folder, 'misses');
    try {
      const variables = {
        HEADGATE_WEB__MODE: 'replay',
        HEADGATE_WEB__SNAPSHOT: paths.join(','),
        HEADGATE_WEB__MISSES: misses,
      };
      const code = await runProgram(program, variables, context);
      const missed = existsSync(misses) ? readFileSync(misses, 'utf8').trim().split('\n') : [];
      if (missed.length === 0) return code;
      const lines = missed.slice(0, SHOWN).map((line) => `  ${wanted(line)}\n`);
      const more = missed.length > SHOWN ? `  and ${missed.length - SHOWN} more\n` : '';
      context.say(`${missed.length} requests were not recorded:\n${lines.join('')}${more}`);
      return MISSED;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function wanted(line: string): string {
  const { method, url } = JSON.parse(line) as { method: string; url: string };
  return oneLine(`${method} ${url}`);
}
