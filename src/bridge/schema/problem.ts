import type { JsonSchema } from '../tool.ts';

/** A problem of a value: where it is, and what to send instead. */
export interface SchemaProblem {
  path: string;
  message: string;
}

/** The position of a check: the path to the value, and the document that `$ref` refers to. */
export interface Place {
  path: string;
  root: JsonSchema;
  check: (schema: unknown, value: unknown, path: string) => SchemaProblem[];
}
