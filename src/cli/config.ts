import { configRows } from '../config/rows.ts';
import type { Command } from './command.ts';

/** Prints every key with its effective value, where it comes from and what it means. */
export const command: Command = {
  usage: '[flags]',
  run: async ({ printResult, say, open }) => {
    const { config, origins, problem } = await open({ lenient: true });
    if (problem !== undefined) say(`headgate: ${problem.message}\n`);
    const rows = configRows(config, origins);
    printResult(rows, () =>
      rows.map((row) => `${row.key} = ${row.value}\n    ${row.description} (${row.origin})\n`).join(''),
    );
    return problem === undefined ? 0 : 1;
  },
};
