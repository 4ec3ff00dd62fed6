import { ToolValidationError } from '../errors.ts';
import {
  isStandardSchema,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from './standard.ts';
import { isPlainObject, type JsonObjectSchema, type JsonSchema } from '../tool.ts';
import { isZod3, zod3ToJson } from './zod3.ts';
import type { $ZodType } from 'zod/v4/core';

/** A schema as JSON Schema, with its own check if it has one. */
export interface ToolSchema {
  json: JsonObjectSchema;
  /** Fills in defaults and converts; absent when there is only a JSON Schema. */
  validate?: (value: unknown) => StandardResult | Promise<StandardResult>;
}

/** Where a schema was found, for messages. */
export interface SchemaOrigin {
  tool: string;
  path: string;
}

/**
 * The schema of a tool without parameters. An empty schema means this: frameworks write it for tools without
 * arguments.
 */
export const NO_ARGUMENTS: JsonObjectSchema = Object.freeze({
  type: 'object',
  properties: Object.freeze({}),
  additionalProperties: false,
});

const AI_SCHEMA = Symbol.for('vercel.ai.schema');
const LAZY_MAX = 5;

/** Converts any known form of schema into a JSON Schema with an object at its root. */
export async function readSchema(source: unknown, origin: SchemaOrigin): Promise<ToolSchema> {
  const value = await resolveLazy(source, origin);
  if (isObject(value) && AI_SCHEMA in value) return readAiSchema(value as unknown as AiSchema, origin);
  const validate = validatorOf(value);
  const json = await readJson(value, origin, 'input');
  return { json: withObjectRoot(json, origin), ...(validate !== undefined && { validate }) };
}

/**
 * The JSON Schema of a tool's results. MCP supports only objects; any other schema, or one that cannot be
 * written as JSON Schema, is left out.
 */
export async function readOutputSchema(
  source: unknown,
  origin: SchemaOrigin,
): Promise<JsonObjectSchema | undefined> {
  try {
    const value = await resolveLazy(source, origin);
    const isAi = isObject(value) && AI_SCHEMA in value;
    const json = isAi
      ? await resolveLazy((value as unknown as AiSchema).jsonSchema, origin)
      : await readJson(value, origin, 'output');
    if (!isPlainObject(json) || json['type'] !== 'object') return undefined;
    // zod closes every object, but frameworks also return a tool's other fields.
    return (isAi || json === value ? json : opened(json)) as JsonObjectSchema;
  } catch {
    return undefined;
  }
}

function opened(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(opened);
  if (!isPlainObject(json)) return json;
  const entries = Object.entries(json).filter(
    ([key, value]) => key !== 'additionalProperties' || value !== false,
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, opened(value)]));
}

function validatorOf(value: unknown): ToolSchema['validate'] {
  if (isStandardSchema(value)) return (input) => value['~standard'].validate(input);
  return isRawShape(value) ? (input) => validateShape(value, input) : undefined;
}

/** Resolves a schema that is a function, a promise, or both. */
async function resolveLazy(source: unknown, origin: SchemaOrigin): Promise<unknown> {
  let value = source;
  for (let step = 0; step < LAZY_MAX; step += 1) {
    try {
      value = await value;
      // ArkType's schemas are callable, but are schemas.
      if (typeof value !== 'function' || isStandardSchema(value)) return value;
      value = (value as () => unknown)();
    } catch (cause) {
      throw fail(
        origin,
        `could not be resolved: ${cause instanceof Error ? cause.message : 'it failed'}`,
        cause,
      );
    }
  }
  throw fail(origin, 'is a function that keeps returning functions');
}

interface AiSchema {
  jsonSchema: unknown;
  validate?: (value: unknown) => AiResult | Promise<AiResult>;
}
type AiResult = { success: true; value: unknown } | { success: false; error: Error };

async function readAiSchema(schema: AiSchema, origin: SchemaOrigin): Promise<ToolSchema> {
  const json = withObjectRoot(await resolveLazy(schema.jsonSchema, origin), origin);
  const { validate } = schema;
  if (validate === undefined) return { json };
  return {
    json,
    validate: async (value) => {
      const result = await validate(value);
      return result.success ? { value: result.value } : { issues: [{ message: result.error.message }] };
    },
  };
}

type Direction = 'input' | 'output';

async function readJson(value: unknown, origin: SchemaOrigin, io: Direction): Promise<unknown> {
  if (isStandardSchema(value) && value['~standard'].jsonSchema !== undefined)
    return readStandard(value, origin, io);
  if (isZod4(value)) return zod4ToJson(value, io);
  if (isZod3(value)) return zod3ToJson(value);
  const method = jsonMethod(value);
  if (method !== undefined) return method();
  if (isStandardSchema(value)) {
    const hint =
      value['~standard'].vendor === 'valibot'
        ? ' Wrap it with toStandardJsonSchema of @valibot/to-json-schema.'
        : '';
    throw fail(
      origin,
      `is a ${value['~standard'].vendor} schema that cannot be written as JSON Schema.${hint}`,
    );
  }
  return isRawShape(value) ? readRawShape(value, origin, io) : value;
}

async function readStandard(
  schema: StandardSchema,
  origin: SchemaOrigin,
  io: Direction,
): Promise<JsonSchema> {
  try {
    const json = schema['~standard'].jsonSchema?.[io]({ target: 'draft-2020-12' });
    return withoutDialect(json ?? {});
  } catch (cause) {
    // zod refuses types such as dates here, although it can describe the rest.
    if (isZod4(schema)) return zod4ToJson(schema, io);
    throw fail(
      origin,
      `cannot be written as JSON Schema: ${cause instanceof Error ? cause.message : 'it failed'}`,
      cause,
    );
  }
}

/** 2020-12 is the default of MCP, so naming it only costs tokens. */
function withoutDialect({ $schema: _dialect, ...json }: JsonSchema): JsonSchema {
  return json;
}

function jsonMethod(value: unknown): (() => unknown) | undefined {
  if (!isObject(value)) return undefined;
  for (const name of ['toJSONSchema', 'toJsonSchema']) {
    const method = value[name];
    if (typeof method === 'function') return () => method.call(value) as unknown;
  }
  return undefined;
}

/** `{ city: z.string() }`, as the Claude Agent SDK and MCP v1 take it. */
export const isRawShape = (value: unknown): value is Record<string, unknown> =>
  isPlainObject(value) &&
  Object.keys(value).length > 0 &&
  Object.values(value).every((field) => isZod4(field) || isZod3(field));

async function readRawShape(
  shape: Record<string, unknown>,
  origin: SchemaOrigin,
  io: Direction,
): Promise<JsonSchema> {
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(shape)) {
    const path = `${origin.path}.${name}`;
    properties[name] = withoutDialect((await readJson(field, { ...origin, path }, io)) as JsonSchema);
    if (!(await acceptsNothing(field))) required.push(name);
  }
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** Does what an object schema of these fields would do: check each, fill in defaults, drop unknown fields. */
async function validateShape(shape: Record<string, unknown>, input: unknown): Promise<StandardResult> {
  const value: Record<string, unknown> = {};
  const issues: StandardIssue[] = [];
  for (const [name, field] of Object.entries(shape)) {
    if (!isStandardSchema(field)) continue;
    const result = await field['~standard'].validate(isPlainObject(input) ? input[name] : undefined);
    if (result.issues !== undefined) {
      issues.push(...result.issues.map(({ message, path = [] }) => ({ message, path: [name, ...path] })));
    } else if (result.value !== undefined) value[name] = result.value;
  }
  return issues.length > 0 ? { issues } : { value };
}

async function acceptsNothing(field: unknown): Promise<boolean> {
  return isStandardSchema(field) && (await field['~standard'].validate(undefined)).issues === undefined;
}

/** MCP requires an object at the root. A schema that only implies one is completed; any other is refused. */
function withObjectRoot(json: unknown, origin: SchemaOrigin): JsonObjectSchema {
  if (!isPlainObject(json)) {
    throw new ToolValidationError(
      `Tool '${origin.tool}' ${origin.path} must be an object, got ${typeName(json)}.`,
      { tool: origin.tool },
    );
  }
  const schema = json['type'] === 'OBJECT' ? lowerCaseTypes(json) : json;
  if (schema['type'] === 'object') return schema as JsonObjectSchema;
  if (Object.keys(schema).length === 0) return NO_ARGUMENTS;
  if (schema['type'] === undefined) return { type: 'object', ...schema };
  throw fail(origin, `must describe an object, not ${JSON.stringify(schema['type'])}`);
}

/** Converts Google's schemas, which have types in capitals and counts as text. */
function lowerCaseTypes(schema: Record<string, unknown>): Record<string, unknown> {
  const counts = new Set([
    'minItems',
    'maxItems',
    'minLength',
    'maxLength',
    'minProperties',
    'maxProperties',
  ]);
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === 'type' && typeof value === 'string') return [key, value.toLowerCase()];
    if (counts.has(key) && typeof value === 'string') return [key, Number(value)];
    if (key === 'properties' && isPlainObject(value)) {
      return [key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, lower(each)]))];
    }
    if (key === 'items') return [key, lower(value)];
    return [key, key === 'anyOf' && Array.isArray(value) ? value.map(lower) : value];
  });
  return Object.fromEntries(entries);
}

const lower = (value: unknown): unknown => (isPlainObject(value) ? lowerCaseTypes(value) : value);

const isObject = (value: unknown): value is Record<string | symbol, unknown> =>
  (typeof value === 'object' || typeof value === 'function') && value !== null;

export const typeName = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;

const fail = ({ tool, path }: SchemaOrigin, reason: string, cause?: unknown): ToolValidationError =>
  new ToolValidationError(`The schema of tool '${tool}' at ${path} ${reason}`.replace(/\.?$/, '.'), {
    tool,
    cause,
  });

const isZod4 = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && typeof (value as { _zod?: unknown })._zod === 'object';

/**
 * Converts a zod 4 schema that does not do it itself: zod/mini, zod before 4.2, and schemas with types that
 * JSON lacks. Dates become text; other such types are left to the schema's own check.
 */
async function zod4ToJson(schema: unknown, io: 'input' | 'output'): Promise<JsonSchema> {
  const { toJSONSchema } = await import('zod/v4/core');
  const { $schema: _dialect, ...json } = toJSONSchema(schema as $ZodType, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'date')
        Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
    },
  });
  return json;
}
