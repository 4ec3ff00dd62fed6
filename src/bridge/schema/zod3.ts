import type { JsonSchema } from '../tool.ts';

/**
 * Converts a zod 3 schema to JSON Schema. zod 3 has no such function, and LangChain, Genkit and older code
 * still use it. What JSON Schema cannot express (refinements, transforms) is left to the schema's own check.
 */
export function zod3ToJson(schema: Zod3Schema): JsonSchema {
  return convert(schema, 0);
}

/** The parts of a zod 3 schema that are read. */
export interface Zod3Schema {
  _def: { typeName: string; description?: string; [field: string]: unknown };
  isOptional(): boolean;
}

export const isZod3 = (value: unknown): value is Zod3Schema =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { _def?: { typeName?: unknown } })._def?.typeName === 'string';

const DEPTH_MAX = 64;

type Definition = Zod3Schema['_def'];
type Inner = (schema: unknown) => JsonSchema;

function convert(schema: Zod3Schema, depth: number): JsonSchema {
  const definition = schema._def;
  // A schema that refers to itself lazily has no end; below the limit anything is accepted here and checked
  // by zod.
  if (depth > DEPTH_MAX) return {};
  const inner: Inner = (each) => (isZod3(each) ? convert(each, depth + 1) : {});
  const make = KINDS[definition.typeName];
  const json = make === undefined ? {} : make(definition, inner);
  return definition.description === undefined ? json : { ...json, description: definition.description };
}

const unwrap =
  (field: string) =>
  (definition: Definition, inner: Inner): JsonSchema =>
    inner(definition[field]);

const KINDS: Record<string, (definition: Definition, inner: Inner) => JsonSchema> = {
  ZodString: (definition) => ({ type: 'string', ...checksOf(definition, STRING_CHECKS) }),
  ZodNumber: (definition) => {
    const whole = listOf(definition['checks']).some((check) => check['kind'] === 'int');
    return { type: whole ? 'integer' : 'number', ...checksOf(definition, NUMBER_CHECKS) };
  },
  ZodBigInt: () => ({ type: 'integer' }),
  ZodBoolean: () => ({ type: 'boolean' }),
  ZodDate: () => ({ type: 'string', format: 'date-time' }),
  ZodNull: () => ({ type: 'null' }),
  ZodNever: () => ({ not: {} }),
  ZodLiteral: ({ value }) => ({ const: value }),
  ZodEnum: ({ values }) => ({ type: 'string', enum: values }),
  ZodNativeEnum: ({ values }) => ({ enum: enumValues(values as Record<string, string | number>) }),
  ZodObject: objectOf,
  ZodArray: (definition, inner) => ({
    type: 'array',
    items: inner(definition['type']),
    ...boundOf(definition, 'minLength', 'minItems'),
    ...boundOf(definition, 'maxLength', 'maxItems'),
    ...boundOf(definition, 'exactLength', 'minItems'),
    ...boundOf(definition, 'exactLength', 'maxItems'),
  }),
  ZodSet: ({ valueType }, inner) => ({ type: 'array', uniqueItems: true, items: inner(valueType) }),
  ZodTuple: ({ items, rest }, inner) => ({
    type: 'array',
    prefixItems: (items as unknown[]).map(inner),
    minItems: (items as unknown[]).length,
    items: rest === null ? false : inner(rest),
  }),
  ZodRecord: ({ valueType }, inner) => ({ type: 'object', additionalProperties: inner(valueType) }),
  ZodMap: ({ keyType, valueType }, inner) => ({
    type: 'array',
    items: { type: 'array', prefixItems: [inner(keyType), inner(valueType)], minItems: 2, items: false },
  }),
  ZodUnion: ({ options }, inner) => ({ anyOf: (options as unknown[]).map(inner) }),
  ZodDiscriminatedUnion: ({ options }, inner) => ({ anyOf: [...(options as Iterable<unknown>)].map(inner) }),
  ZodIntersection: ({ left, right }, inner) => ({ allOf: [inner(left), inner(right)] }),
  ZodNullable: ({ innerType }, inner) => orNull(inner(innerType)),
  ZodDefault: ({ innerType, defaultValue }, inner) => ({
    ...inner(innerType),
    default: (defaultValue as () => unknown)(),
  }),
  ZodLazy: ({ getter }, inner) => inner((getter as () => unknown)()),
  ZodOptional: unwrap('innerType'),
  ZodCatch: unwrap('innerType'),
  ZodReadonly: unwrap('innerType'),
  ZodBranded: unwrap('type'),
  ZodEffects: unwrap('schema'),
  ZodPipeline: unwrap('in'),
  ZodPromise: unwrap('type'),
};

/** A plain type can include null; anything else needs a second alternative. */
function orNull(json: JsonSchema): JsonSchema {
  const isSimple =
    typeof json['type'] === 'string' && json['enum'] === undefined && json['const'] === undefined;
  return isSimple ? { ...json, type: [json['type'], 'null'] } : { anyOf: [json, { type: 'null' }] };
}

function objectOf(definition: Definition, inner: Inner): JsonSchema {
  const shape = (definition['shape'] as () => Record<string, Zod3Schema>)();
  const fields = Object.entries(shape);
  const required = fields.filter(([, field]) => !field.isOptional()).map(([name]) => name);
  const others = definition['catchall'];
  const closed = definition['unknownKeys'] === 'strict';
  const hasOthers = isZod3(others) && others._def.typeName !== 'ZodNever';
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, inner(field)])),
    ...(required.length > 0 && { required }),
    ...(hasOthers ? { additionalProperties: inner(others) } : closed && { additionalProperties: false }),
  };
}

type Check = Record<string, unknown>;

const STRING_CHECKS: Record<string, (check: Check) => JsonSchema> = {
  min: ({ value }) => ({ minLength: value }),
  max: ({ value }) => ({ maxLength: value }),
  length: ({ value }) => ({ minLength: value, maxLength: value }),
  regex: ({ regex }) => ({ pattern: (regex as RegExp).source }),
  email: () => ({ format: 'email' }),
  url: () => ({ format: 'uri' }),
  uuid: () => ({ format: 'uuid' }),
  date: () => ({ format: 'date' }),
  datetime: () => ({ format: 'date-time' }),
};

const NUMBER_CHECKS: Record<string, (check: Check) => JsonSchema> = {
  min: ({ value, inclusive }) => (inclusive === true ? { minimum: value } : { exclusiveMinimum: value }),
  max: ({ value, inclusive }) => (inclusive === true ? { maximum: value } : { exclusiveMaximum: value }),
  multipleOf: ({ value }) => ({ multipleOf: value }),
};

function checksOf(definition: Definition, table: Record<string, (check: Check) => JsonSchema>): JsonSchema {
  return Object.assign(
    {},
    ...listOf(definition['checks']).map((check) => table[String(check['kind'])]?.(check)),
  );
}

function boundOf(definition: Definition, field: string, keyword: string): JsonSchema {
  const bound = definition[field] as { value: number } | null | undefined;
  return bound ? { [keyword]: bound.value } : {};
}

/** A numeric TypeScript enum also maps the numbers back to their names. */
const enumValues = (values: Record<string, string | number>): (string | number)[] =>
  Object.entries(values)
    .filter(([name]) => typeof values[values[name] as string] !== 'number')
    .map(([, value]) => value);

const listOf = (value: unknown): Check[] => (Array.isArray(value) ? (value as Check[]) : []);
