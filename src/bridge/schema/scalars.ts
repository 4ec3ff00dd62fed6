import { clip, plural } from '../../core/text.ts';
import type { JsonSchema } from '../tool.ts';

const TYPE_NAMES: Record<string, string> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** `type`, with OpenAPI's `nullable`. */
export function checkType(rules: JsonSchema, value: unknown, path: string): SchemaProblem[] {
  const { type, nullable } = rules;
  const types = typeof type === 'string' ? [type] : Array.isArray(type) ? type.map(String) : [];
  if (types.length === 0 || types.some((name) => hasType(name, value))) return [];
  if (nullable === true && value === null) return [];
  const wanted = types.map((name) => TYPE_NAMES[name] ?? name).join(' or ');
  return [{ path, message: `must be ${wanted}, not ${nameOf(value)}.` }];
}

function hasType(name: string, value: unknown): boolean {
  switch (name) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === name;
  }
}

/** The type of a value, as messages name it. */
function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (Number.isInteger(value)) return 'a whole number';
  return TYPE_NAMES[typeof value] ?? typeof value;
}

/** `enum` and `const`. */
export function checkValues(rules: JsonSchema, value: unknown, path: string): SchemaProblem[] {
  if (Object.hasOwn(rules, 'const') && canonical(rules['const']) !== canonical(value)) {
    return [{ path, message: `must be ${shown(rules['const'])}.` }];
  }
  const allowed = rules['enum'];
  if (!Array.isArray(allowed)) return [];
  const key = canonical(value);
  if (allowed.some((each) => canonical(each) === key)) return [];
  return [{ path, message: `must be one of ${clip(allowed.map(shown).join(', '), 400)}.` }];
}

/** `minLength`, `maxLength` (in characters, not UTF-16 units) and `pattern`. */
export function checkString(rules: JsonSchema, value: string, path: string): SchemaProblem[] {
  const { minLength, maxLength, pattern } = rules;
  const problems: SchemaProblem[] = [];
  const length =
    typeof minLength === 'number' || typeof maxLength === 'number' ? Array.from(value).length : 0;
  if (typeof minLength === 'number' && length < minLength) {
    problems.push({
      path,
      message: minLength === 1 ? 'must not be empty.' : `at least ${plural(minLength, 'character')}.`,
    });
  }
  if (typeof maxLength === 'number' && length > maxLength) {
    problems.push({ path, message: `at most ${plural(maxLength, 'character')}, not ${length}. Shorten it.` });
  }
  if (typeof pattern === 'string' && !(patternOf(pattern)?.test(value) ?? true)) {
    problems.push({ path, message: `must match ${pattern}.` });
  }
  return problems;
}

/** Bounds and `multipleOf`. */
export function checkNumber(rules: JsonSchema, value: number, path: string): SchemaProblem[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = rules;
  const problems: SchemaProblem[] = [];
  const add = (message: string) => problems.push({ path, message });
  if (typeof maximum === 'number' && value > maximum) add(`at most ${maximum}. Ask for ${maximum} or fewer.`);
  if (typeof minimum === 'number' && value < minimum) add(`at least ${minimum}. Ask for ${minimum} or more.`);
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    add(`must be below ${exclusiveMaximum}.`);
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    add(`must be above ${exclusiveMinimum}.`);
  if (typeof multipleOf === 'number' && multipleOf > 0) {
    const steps = value / multipleOf;
    if (Math.abs(steps - Math.round(steps)) > 1e-9) add(`must be a multiple of ${multipleOf}.`);
  }
  return problems;
}

const PATTERNS_MAX = 1_000;
const patterns = new Map<string, RegExp | undefined>();

/** A compiled and cached pattern of a schema. One that JavaScript cannot parse is not checked. */
export function patternOf(source: string): RegExp | undefined {
  if (patterns.has(source)) return patterns.get(source);
  if (patterns.size >= PATTERNS_MAX) patterns.clear();
  const compiled = compile(source, 'u') ?? compile(source, '');
  patterns.set(source, compiled);
  return compiled;
}

function compile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

/** JSON with sorted keys, so that equal values have equal texts. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(',')}}`;
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : canonical(value));

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
