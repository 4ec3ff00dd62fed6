import { z } from 'zod';
import { clip, oneLine } from '../../core/text.ts';

export interface ServerAnswer {
  status: number;
  type: string;
  text: string;
  /** Undefined for what is not JSON. */
  json: unknown;
}

/** Answers by the name of their probe. */
export type Heard = ReadonlyMap<string, ServerAnswer>;

/** What came instead of what was expected; `undefined` when it is right. */
type Verdict = { came: string } | { skipped: string } | undefined;

export interface Check {
  id: string;
  expects: string;
  test(answer: ServerAnswer, heard: Heard): Verdict;
}

/** How many items of a list are looked at. */
const ITEMS_MAX = 100;
const CAME_CHARS = 100;

export const wrong = (value: unknown): Verdict => ({ came: shown(value) });

/** A check with a yes or no; what is shown is the value at `path`. */
export const check = (
  id: string,
  expects: string,
  path: string,
  isRight: (value: never) => boolean,
): Check => ({
  id,
  expects,
  test: ({ json }) => {
    const [value] = valuesAt(json, path);
    return isRight(value as never) ? undefined : wrong(value);
  },
});

/**
 * The field at a path such as `results[].score` is as the schema says: in every item, or with `some` in at
 * least one and nowhere otherwise, or with `any` wherever it is.
 */
export const field = (
  id: string,
  path: string,
  schema: z.ZodType,
  { expects = typeOf(schema), in: where = 'every' }: { expects?: string; in?: 'every' | 'some' | 'any' } = {},
): Check => ({
  id,
  expects: path.includes('[]')
    ? `${path}: ${expects}${where === 'some' ? ', in at least one' : ''}`
    : `${path}: ${expects}`,
  test: ({ json }) => {
    const values = valuesAt(json, path);
    if (values.length === 0) return { skipped: 'the list is empty' };
    const given = where === 'every' ? values : values.filter((value) => value !== undefined);
    if (given.length === 0)
      return where === 'any' ? { skipped: 'it is not there, and need not be' } : wrong(undefined);
    const bad = given.findIndex((value) => !schema.safeParse(value).success);
    return bad === -1 ? undefined : wrong(given[bad]);
  },
});

/** The value itself, or those of every item of a list on the way. */
export function valuesAt(json: unknown, path: string): unknown[] {
  let values: unknown[] = [json];
  for (const step of path.split('.')) {
    const name = step.replace('[]', '');
    values = values.map((value) =>
      name === '' ? value : (value as Record<string, unknown> | null | undefined)?.[name],
    );
    if (step.endsWith('[]'))
      values = values.flatMap((value) => (Array.isArray(value) ? value.slice(0, ITEMS_MAX) : []));
  }
  return values;
}

export const shown = (value: unknown): string =>
  value === undefined ? 'missing' : clip(oneLine(JSON.stringify(value)), CAME_CHARS);

/** `string or null`, from the schema. */
function typeOf(schema: z.ZodType): string {
  const { type, anyOf = [] } = z.toJSONSchema(schema, { unrepresentable: 'any' });
  const types = [type, ...anyOf.map((one) => (one as { type?: string }).type)];
  return types
    .filter((one) => one !== undefined)
    .flat()
    .join(' or ');
}
