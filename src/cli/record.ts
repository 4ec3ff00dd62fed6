import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { switchFlag } from '../core/command-line.ts';
import { byteSize, plural } from '../core/text.ts';
import { pack, removeSpool, spoolOf } from '../snapshot/pack.ts';
import type { Command } from './command.ts';
import { programOf, runProgram } from './wrapped.ts';

const USAGE = 'FILE.wacz [--once] -- PROGRAM [ARGUMENT…]';

/** Runs a program, and packs what every process of it that uses Headgate has read. */
export const command: Command = {
  usage: USAGE,
  flags: [switchFlag('once', 'Answer from the file what it holds, and record only the rest.')],
  words: Number.POSITIVE_INFINITY,
  run: async (context) => {
    const [file, ...program] = programOf(context.args.words, `headgate record ${USAGE}`);
    const path = resolve(file);
    const isOnce = context.args.isOn('once') === true;
    const variables = {
      HEADGATE_WEB__MODE: isOnce ? 'once' : 'record',
      HEADGATE_WEB__SNAPSHOT: path,
      HEADGATE_WEB__PACK: 'false',
    };
    removeSpool(path);
    const code = await runProgram(program, variables, context);
    if (!existsSync(spoolOf(path))) {
      context.say('Nothing was recorded: the program asked nothing of the web through Headgate.\n');
      return code;
    }
    const { exchanges, bytes } = pack(spoolOf(path), path, isOnce && existsSync(path) ? [path] : []);
    removeSpool(path);
    context.say(`Recorded ${plural(exchanges, 'exchange')} in ${file} (${byteSize(bytes)}).\n`);
    return code;
  },
};
