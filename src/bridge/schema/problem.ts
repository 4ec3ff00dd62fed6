import type { JsonSchema } from '../tool.ts';

/** One thing that is wrong with a value: where, and what to give instead. */
export interface Problem {
  path: string;
  message: string;
}

/** Where the check is: the path to the value, and the document that `$ref` points into. */
export interface Place {
  path: string;
  root: JsonSchema;
  check: (schema: unknown, value: unknown, path: string) => Problem[];
}
