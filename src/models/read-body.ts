import type { z } from 'zod';

/** The JSON of an answer, as far as a schema names it; undefined when it is none. */
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  body: string,
): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
