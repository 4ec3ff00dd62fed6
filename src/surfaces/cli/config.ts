import { shapeOf } from '../../config/load.ts';
import { configSchema } from '../../config/schema.ts';
import type { Command } from './command.ts';

/** Prints every key with its effective value, where it comes from and what it means. */
export const command: Command = {
  name: 'config',
  usage: 'headgate config [--json]',
  summary: 'Print the configuration and where each value comes from.',
  run: async ({ args, print, open }) => {
    const { config, origins, close } = await open();
    await close();
    const rows = leaves(configSchema, config, []).map((leaf) => ({
      ...leaf,
      origin: origins[leaf.key] ?? 'default',
    }));
    if (args.includes('--json')) print(`${JSON.stringify(rows, null, 2)}\n`);
    else
      print(
        `${rows.map((row) => `${row.key} = ${row.value}\n    ${row.description} (${row.origin})`).join('\n')}\n`,
      );
    return 0;
  },
};

interface Leaf {
  key: string;
  value: string;
  description: string;
}

function leaves(schema: unknown, value: unknown, path: string[]): Leaf[] {
  const shape = shapeOf(schema);
  if (shape !== undefined) {
    return Object.entries(shape).flatMap(([name, below]) =>
      leaves(below, (value as Record<string, unknown> | undefined)?.[name], [...path, name]),
    );
  }
  const key = path.join('.');
  const shown =
    value === undefined
      ? 'unset'
      : /api_key|secret|token|password/.test(key)
        ? `[${[value].flat().length} set]`
        : JSON.stringify(value);
  return [{ key, value: shown, description: (schema as { description?: string }).description ?? '' }];
}
