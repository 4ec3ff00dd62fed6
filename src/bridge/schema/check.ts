import { LIMITS } from '../../core/limits.ts';
import { checkArray, checkObject } from './containers.ts';
import {
  type Place,
  type SchemaProblem,
  checkNumber,
  checkString,
  checkType,
  checkValues,
} from './scalars.ts';
import type { JsonSchema } from '../tool.ts';

/**
 * Checks a value against a JSON Schema and describes problems so that a model can act on them. Covers 2020-12
 * and draft-07 except `format` (an annotation in both), `unevaluated…` and dynamic references. What is not
 * covered is accepted.
 */
export function problemsOf(schema: JsonSchema, value: unknown): SchemaProblem[] {
  const run: Run = { root: schema, steps: 0 };
  const problems = check(schema, value, '', 0, run);
  if (run.steps > LIMITS.schemaStepsMax)
    return [{ path: '', message: 'too large to check. Give a smaller value.' }];
  const distinct = new Map(problems.map((problem) => [`${problem.path}: ${problem.message}`, problem]));
  return [...distinct.values()].slice(0, LIMITS.toolProblemsMax);
}

/** The problems as one short text: `max_results: at most 30. Ask for 30 or fewer.` */
export const explainProblems = (problems: readonly SchemaProblem[]): string =>
  problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('\n');

/** One check of one value. Steps are counted over the whole check, because nested alternatives multiply. */
interface Run {
  root: JsonSchema;
  steps: number;
}

function check(schema: unknown, value: unknown, path: string, depth: number, run: Run): SchemaProblem[] {
  if (schema === true || typeof schema !== 'object' || schema === null) {
    return schema === false ? [{ path, message: 'not allowed. Leave it out.' }] : [];
  }
  if (depth > LIMITS.schemaDepthMax) return [{ path, message: 'nested too deeply. Give a flatter value.' }];
  run.steps += 1;
  if (run.steps > LIMITS.schemaStepsMax) return [];
  const rules = schema as JsonSchema;
  const place: Place = {
    path,
    root: run.root,
    check: (inner, innerValue, innerPath) => check(inner, innerValue, innerPath, depth + 1, run),
  };
  const wrongType = checkType(rules, value, path);
  if (wrongType.length > 0) return wrongType;
  return [
    ...checkValues(rules, value, path),
    ...(typeof value === 'string' ? checkString(rules, value, path) : []),
    ...(typeof value === 'number' ? checkNumber(rules, value, path) : []),
    ...(Array.isArray(value) ? checkArray(rules, value, place) : []),
    ...(isRecord(value) ? checkObject(rules, value, place) : []),
    ...checkReference(rules, value, place),
    ...checkCombinations(rules, value, place),
  ];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Follows `#` and `#/…`. Other references are accepted, since no document may be fetched here. */
function checkReference(rules: JsonSchema, value: unknown, place: Place): SchemaProblem[] {
  const reference = rules['$ref'];
  if (typeof reference !== 'string') return [];
  const target = resolveReference(place.root, reference);
  return target === undefined ? [] : place.check(target, value, place.path);
}

/** The target of a reference inside the document, or undefined. */
export function resolveReference(root: JsonSchema, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let node: unknown = root;
  for (const raw of reference.slice(2).split('/')) {
    const key = decoded(raw).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const COMBINING_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'not', 'if'];

function checkCombinations(rules: JsonSchema, value: unknown, place: Place): SchemaProblem[] {
  if (!COMBINING_KEYWORDS.some((keyword) => rules[keyword] !== undefined)) return [];
  const { path } = place;
  const fits = (schema: unknown) => place.check(schema, value, path).length === 0;
  const problems: SchemaProblem[] = [];
  for (const schema of list(rules['allOf'])) problems.push(...place.check(schema, value, path));
  const tried = (schemas: unknown) => list(schemas).map((schema) => place.check(schema, value, path));
  problems.push(...nearest(tried(rules['anyOf']), path));
  const forms = tried(rules['oneOf']);
  problems.push(...nearest(forms, path));
  if (forms.filter((each) => each.length === 0).length > 1) {
    problems.push({ path, message: 'fits several forms. Give exactly one of them.' });
  }
  if (rules['not'] !== undefined && fits(rules['not']))
    problems.push({ path, message: 'not allowed in this form.' });
  if (rules['if'] !== undefined) {
    const branch = fits(rules['if']) ? rules['then'] : rules['else'];
    if (branch !== undefined) problems.push(...place.check(branch, value, path));
  }
  return problems;
}

/**
 * No problems when an alternative fits; otherwise those of the closest one, or all types when only types
 * differ.
 */
function nearest(tried: readonly SchemaProblem[][], at: string): SchemaProblem[] {
  if (tried.length === 0 || tried.some((problems) => problems.length === 0)) return [];
  const inside = tried.filter((problems) => problems.some(({ path }) => path !== at));
  if (inside.length > 0) return inside.reduce((best, next) => (next.length < best.length ? next : best));
  const messages = [...new Set(tried.map((problems) => problems[0]?.message ?? ''))];
  return [{ path: at, message: messages.join(' Or: ') }];
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
