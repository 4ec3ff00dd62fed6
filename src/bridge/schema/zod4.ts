import type { $ZodType } from 'zod/v4/core';
import type { JsonSchema } from '../tool.ts';

export const isZod4 = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && typeof (value as { _zod?: unknown })._zod === 'object';

/**
 * Converts a zod 4 schema that does not do it itself: zod/mini, zod before 4.2, and schemas with types that
 * JSON lacks. Dates become text; other such types are left to the schema's own check.
 */
export async function zod4ToJson(schema: unknown, io: 'input' | 'output'): Promise<JsonSchema> {
  const { toJSONSchema } = await import('zod/v4/core');
  const { $schema: _dialect, ...json } = toJSONSchema(schema as $ZodType, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'date')
        Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
    },
  });
  return json;
}
