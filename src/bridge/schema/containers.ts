import { clip, plural } from '../../core/text.ts';
import { type Place, type SchemaProblem, canonical, patternOf } from './scalars.ts';
import type { JsonSchema } from '../tool.ts';

/**
 * Keywords of arrays: length, uniqueness, `prefixItems`, `items` (also draft-07's tuple form), `contains`.
 */
export function checkArray(rules: JsonSchema, value: readonly unknown[], place: Place): SchemaProblem[] {
  const { path, check } = place;
  const { minItems, maxItems, uniqueItems, contains } = rules;
  const problems: SchemaProblem[] = [];
  const add = (message: string) => problems.push({ path, message });
  if (typeof minItems === 'number' && value.length < minItems)
    add(`at least ${minItems} of them, not ${value.length}.`);
  if (typeof maxItems === 'number' && value.length > maxItems) {
    add(`at most ${maxItems} of them, not ${value.length}. Give fewer.`);
    return problems;
  }
  if (uniqueItems === true && new Set(value.map(canonical)).size < value.length)
    add('must not repeat an entry.');
  const tuple = tupleOf(rules);
  const rest = Array.isArray(rules['items']) ? rules['additionalItems'] : rules['items'];
  value.forEach((each, index) => {
    const schema = index < tuple.length ? tuple[index] : rest;
    if (schema !== undefined) problems.push(...check(schema, each, `${path}[${index}]`));
  });
  if (contains !== undefined) {
    const count = value.filter((each) => check(contains, each, path).length === 0).length;
    const least = typeof rules['minContains'] === 'number' ? rules['minContains'] : 1;
    const most = typeof rules['maxContains'] === 'number' ? rules['maxContains'] : Infinity;
    if (count < least || count > most) add('does not contain the required entries.');
  }
  return problems;
}

const tupleOf = (rules: JsonSchema): readonly unknown[] =>
  Array.isArray(rules['prefixItems'])
    ? rules['prefixItems']
    : Array.isArray(rules['items'])
      ? rules['items']
      : [];

/** Keywords of objects. For an unknown name the message lists the known ones. */
export function checkObject(
  rules: JsonSchema,
  value: Record<string, unknown>,
  place: Place,
): SchemaProblem[] {
  const { path, check } = place;
  const properties = recordOf(rules['properties']);
  const patterned = Object.entries(recordOf(rules['patternProperties']));
  const problems = [...checkRequired(rules, value, place), ...checkCount(rules, value, path)];
  for (const [name, each] of Object.entries(value)) {
    const inner = path === '' ? name : `${path}.${name}`;
    if (rules['propertyNames'] !== undefined) problems.push(...check(rules['propertyNames'], name, inner));
    const known = Object.hasOwn(properties, name);
    if (known) problems.push(...check(properties[name], each, inner));
    const matching = patterned.filter(([pattern]) => patternOf(pattern)?.test(name) ?? false);
    for (const [, schema] of matching) problems.push(...check(schema, each, inner));
    if (known || matching.length > 0) continue;
    const others = rules['additionalProperties'];
    if (others === false) problems.push({ path: inner, message: unknownName(Object.keys(properties)) });
    else if (others !== undefined) problems.push(...check(others, each, inner));
  }
  return problems;
}

const DEPENDENCY_KEYWORDS = ['dependencies', 'dependentRequired', 'dependentSchemas'];

function checkRequired(rules: JsonSchema, value: Record<string, unknown>, place: Place): SchemaProblem[] {
  const properties = recordOf(rules['properties']);
  const inner = (name: string) => (place.path === '' ? name : `${place.path}.${name}`);
  const missing = listOf(rules['required']).filter((name) => !Object.hasOwn(value, name));
  const problems = missing.map((name) => ({ path: inner(name), message: requiredMessage(properties[name]) }));
  if (!DEPENDENCY_KEYWORDS.some((keyword) => rules[keyword] !== undefined)) return problems;
  // `dependencies` is draft-07's name for both of the others.
  const dependent = { ...recordOf(rules['dependencies']), ...recordOf(rules['dependentRequired']) };
  for (const [name, needed] of Object.entries(dependent)) {
    if (!Object.hasOwn(value, name)) continue;
    for (const other of listOf(needed)) {
      if (!Object.hasOwn(value, other))
        problems.push({ path: inner(other), message: `required together with ${name}.` });
    }
  }
  const schemas = { ...recordOf(rules['dependencies']), ...recordOf(rules['dependentSchemas']) };
  for (const [name, schema] of Object.entries(schemas)) {
    if (Array.isArray(schema) || !Object.hasOwn(value, name)) continue;
    problems.push(...place.check(schema, value, place.path));
  }
  return problems;
}

function checkCount(rules: JsonSchema, value: Record<string, unknown>, path: string): SchemaProblem[] {
  const { minProperties, maxProperties } = rules;
  const count = Object.keys(value).length;
  if (typeof minProperties === 'number' && count < minProperties) {
    return [{ path, message: `at least ${plural(minProperties, 'field')}.` }];
  }
  if (typeof maxProperties === 'number' && count > maxProperties) {
    return [{ path, message: `at most ${plural(maxProperties, 'field')}.` }];
  }
  return [];
}

function requiredMessage(schema: unknown): string {
  const description = recordOf(schema)['description'];
  return typeof description === 'string' ? `required. ${clip(description, 120)}` : 'required.';
}

const unknownName = (names: readonly string[]): string =>
  names.length === 0
    ? 'not known. This tool takes no such field.'
    : `not known. Known: ${clip(names.join(', '), 300)}.`;

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

const listOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
