import { z } from 'zod';

export interface InputSchema {
  readonly type: 'object';
  readonly properties: Record<string, unknown>;
  readonly required?: string[];
  readonly [keyword: string]: unknown;
}

/** The JSON Schema of a tool's arguments, as small as possible: every conversation pays for its tokens. */
export function toInputSchema(input: z.ZodObject): InputSchema {
  const fields = Object.entries<z.ZodType>(input.shape);
  const required = fields.filter(([, field]) => !field.safeParse(undefined).success).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, fieldSchema(field)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** The strict schema of a lenient field, as a model should see it. */
function fieldSchema(field: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(field, {
    io: 'output',
    unrepresentable: 'any',
  }) as Record<string, unknown>;
  return slim(schema) as Record<string, unknown>;
}

function slim(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(slim);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([name, one]) =>
      !(name === 'additionalProperties' && one === false) &&
      !((name === 'maximum' || name === 'minimum') && Math.abs(Number(one)) === Number.MAX_SAFE_INTEGER),
  );
  return Object.fromEntries(entries.map(([name, one]) => [name, slim(one)]));
}
