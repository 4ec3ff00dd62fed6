import type { Origins } from './load.ts';
import { configSchema, type Config } from './schema.ts';
import { shownValue, shapeOf } from './secrets.ts';

export interface ConfigRow extends Leaf {
  origin: string;
}

/** Every key with its effective value, description and origin. Secrets are only counted. */
export const configRows = (config: Config, origins: Origins): ConfigRow[] =>
  leaves(configSchema, config, []).map((leaf) => ({ ...leaf, origin: origins[leaf.key] ?? 'default' }));

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
  const shown = value === undefined ? 'unset' : shownValue(schema, value);
  return [{ key, value: shown, description: (schema as { description?: string }).description ?? '' }];
}
