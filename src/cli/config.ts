import { configRows } from '../config/rows.ts';
import type { Command } from './command.ts';

/** Prints every key with its effective value, where it comes from and what it means. */
export const command: Command = {
  usage: '[flags]',
  flags: [],
  run: async ({ args, print, say, open }) => {
    const { config, origins, problem, close } = await open({ lenient: true });
    await close();
    if (problem !== undefined) say(`headgate: ${problem.message}\n`);
    const rows = configRows(config, origins);
    if (args.isOn('json') === true) print(`${JSON.stringify(rows, null, 2)}\n`);
    else
      print(
        `${rows.map((row) => `${row.key} = ${row.value}\n    ${row.description} (${row.origin})`).join('\n')}\n`,
      );
    return problem === undefined ? 0 : 1;
  },
};
