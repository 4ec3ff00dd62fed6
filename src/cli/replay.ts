import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { switchFlag, valueFlag } from '../core/command-line.ts';
import { oneLine } from '../core/text.ts';
import { openSnapshot } from '../snapshot/snapshot.ts';
import type { Command } from './command.ts';
import { programOf, runProgram } from './wrapped.ts';

const USAGE = 'FILE[,FILE…] [--exact] [--as-of DATE] -- PROGRAM [ARGUMENT…]';
/** The exit status when the program asked for what was not recorded. */
const MISSED = 3;
const SHOWN = 10;

/** Runs a program against what was recorded. Nothing of it that uses Headgate reaches the web. */
export const command: Command = {
  usage: USAGE,
  flags: [
    switchFlag('exact', 'Answer only what was recorded, and do not search the snapshot for anything else.'),
    valueFlag('as-of', 'DATE', 'Show the web as it was recorded up to this date or time.'),
  ],
  words: Number.POSITIVE_INFINITY,
  run: async (context) => {
    const [file, ...program] = programOf(context.args.words, `headgate replay ${USAGE}`);
    const paths = file.split(',').map((path) => resolve(path));
    for (const path of paths) openSnapshot(path).close();
    const asOf = context.args.value('as-of');
    const folder = mkdtempSync(join(tmpdir(), 'headgate-'));
    const misses = join(folder, 'misses');
    try {
      const variables = {
        HEADGATE_WEB__MODE: 'replay',
        HEADGATE_WEB__SNAPSHOT: paths.join(','),
        HEADGATE_WEB__MISSES: misses,
        ...(context.args.isOn('exact') === true ? { HEADGATE_WEB__EXACT: 'true' } : {}),
        ...(asOf === undefined ? {} : { HEADGATE_WEB__AS_OF: asOf }),
      };
      const code = await runProgram(program, variables, context);
      const missed = existsSync(misses) ? unanswered(readFileSync(misses, 'utf8')) : [];
      if (missed.length === 0) return code;
      const lines = missed.slice(0, SHOWN).map((line) => `  ${line}\n`);
      const more = missed.length > SHOWN ? `  and ${missed.length - SHOWN} more\n` : '';
      context.say(
        `${missed.length === 1 ? '1 request was' : `${missed.length} requests were`} not recorded:\n${lines.join('')}${more}`,
      );
      return MISSED;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Missed {
  method: string;
  url: string;
  body?: string;
  /** It is answered after all, by a search of the snapshot. */
  isAnswered?: true;
}

/** The requests without an answer. */
function unanswered(text: string): string[] {
  const missed = new Map<string, string[]>();
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const { isAnswered, method, url, body } = JSON.parse(line) as Missed;
    const key = JSON.stringify([method, url, body]);
    const known = missed.get(key) ?? [];
    if (isAnswered === true) known.pop();
    else known.push(oneLine(`${method} ${url}`));
    missed.set(key, known);
  }
  return [...missed.values()].flat();
}
