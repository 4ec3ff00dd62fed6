import type { z } from 'zod';

/** Parses the JSON of a response with a schema; undefined when it does not match. */
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
