import type { SearchQuery } from '../../core/query.ts';
import type { OwnText } from '../../core/text.ts';
import { named, warned } from '../../core/own-text.ts';

/** One warning per parameter that the query sets and the provider does not support. */
export function unsupported(
  title: OwnText,
  query: SearchQuery,
  parameters: (keyof SearchQuery)[],
): OwnText[] {
  return parameters
    .filter((parameter) => isSet(query[parameter]))
    .map((parameter) => warned`${title} does not support ${named(wireName(parameter))}; it was ignored.`);
}

/** The name of a parameter on the wire, which callers know. */
const wireName = (parameter: string): string =>
  parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
