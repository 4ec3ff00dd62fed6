import { UnsupportedDepsTypeError } from './errors.ts';
import { LIMITS } from '../core/limits.ts';
import { resolveDepsSchema, type DepsSchema } from './deps-schema.ts';
import type { Logger } from '../core/log.ts';
import { isPlainObject } from './tool.ts';

/** Dependencies that were checked to be serialisable. Experimental. */
export interface DepsContext<T> {
  readonly deps: T;
}

export interface DepsOptions {
  /**
   * Describes the dependencies. With it class instances are allowed, and come back as what the schema
   * produces.
   */
  schema?: DepsSchema;
  logger?: Logger;
}

/** Checks the dependencies deeply, so that nothing fails later in a call. Experimental. */
export function createDepsContext<T>(deps: T, options: DepsOptions = {}): DepsContext<T> {
  serializeDeps(deps, options);
  return Object.freeze({ deps });
}

/**
 * Serialises dependencies as JSON. Types that JSON lacks (Date, Map, Set, undefined) are marked with `$type`.
 */
export function serializeDeps(deps: unknown, options: DepsOptions = {}): string {
  const json = JSON.stringify(encode(deps, 'deps', [], options.schema !== undefined));
  if (json.length > LIMITS.messageBytesMax) {
    throw new UnsupportedDepsTypeError(
      'value',
      'deps',
      `${json.length} bytes, at most ${LIMITS.messageBytesMax}`,
    );
  }
  if (options.schema !== undefined) deserializeDeps(json, options.schema, options);
  return json;
}

/** Restores dependencies from JSON. With a schema they are checked, and are what the schema produces. */
export function deserializeDeps(
  json: string,
  schema?: DepsSchema,
  options: { logger?: Logger } = {},
): unknown {
  const value = decode(JSON.parse(json) as unknown);
  return schema === undefined ? value : resolveDepsSchema(schema, options.logger)(value);
}

const TAG = '$type';

function encode(value: unknown, path: string, parents: readonly unknown[], instances: boolean): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (value === undefined) return { [TAG]: 'undefined' };
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return Object.is(value, -0) ? { [TAG]: '-0' } : value;
    throw new UnsupportedDepsTypeError(String(value), path, 'not a finite number');
  }
  if (typeof value !== 'object') throw new UnsupportedDepsTypeError(typeof value, path);
  if (parents.includes(value))
    throw new UnsupportedDepsTypeError(typeNameOf(value), path, 'refers to itself');
  if (parents.length >= LIMITS.schemaDepthMax) {
    throw new UnsupportedDepsTypeError(typeNameOf(value), path, 'nested too deeply');
  }
  return encodeObject(
    value,
    path,
    (inner, innerPath) => encode(inner, innerPath, [...parents, value], instances),
    instances,
  );
}

type Encode = (value: unknown, path: string) => unknown;

function encodeObject(value: object, path: string, inner: Encode, instances: boolean): unknown {
  if (Array.isArray(value))
    return Array.from(value, (each: unknown, index) => inner(each, `${path}[${index}]`));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Date.prototype) return encodeDate(value as Date, path);
  if (prototype === Set.prototype) {
    const entries = [...(value as Set<unknown>)];
    return { [TAG]: 'Set', value: entries.map((each, index) => inner(each, `${path}[${index}]`)) };
  }
  if (prototype === Map.prototype) return encodeMap(value as Map<unknown, unknown>, path, inner);
  if (!isPlainObject(value) && !(instances && isDataInstance(value))) {
    throw new UnsupportedDepsTypeError(typeNameOf(value), path);
  }
  return encodeFields(value as Record<string, unknown>, path, inner);
}

function encodeDate(value: Date, path: string): unknown {
  if (Number.isNaN(value.getTime())) throw new UnsupportedDepsTypeError('Date', path, 'not a point in time');
  return { [TAG]: 'Date', value: value.toISOString() };
}

/** Map keys must be plain values: objects are found by identity, which a copy does not have. */
function encodeMap(value: Map<unknown, unknown>, path: string, inner: Encode): unknown {
  const entries = [...value].map(([key, each]) => {
    if (typeof key === 'object' && key !== null) {
      throw new UnsupportedDepsTypeError(typeNameOf(key), `${path}.keys()`, 'an object cannot be a key');
    }
    return [inner(key, `${path}.keys()`), inner(each, `${path}.get(${String(key)})`)];
  });
  return { [TAG]: 'Map', value: entries };
}

function encodeFields(value: Record<string, unknown>, path: string, inner: Encode): unknown {
  const hidden = Reflect.ownKeys(value).find((key) => typeof key === 'symbol');
  if (hidden !== undefined) throw new UnsupportedDepsTypeError('symbol', `${path}[${String(hidden)}]`);
  const entries = Object.entries(value).map(([key, each]) => [key, inner(each, `${path}.${key}`)] as const);
  // An object that has our marker as its own field is written as a list, so that it is not mistaken.
  return Object.hasOwn(value, TAG) ? { [TAG]: 'Object', value: entries } : Object.fromEntries(entries);
}

/**
 * True for instances of the caller's own classes that only have fields. A Promise, a socket or a client has
 * hidden state.
 */
function isDataInstance(value: object): boolean {
  return Object.prototype.toString.call(value) === '[object Object]' && Object.keys(value).length > 0;
}

function decode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(decode);
  const fields = value as Record<string, unknown>;
  if (!Object.hasOwn(fields, TAG)) return fromEntries(Object.entries(fields));
  const inner = fields['value'];
  switch (fields[TAG]) {
    case 'undefined':
      return undefined;
    case '-0':
      return -0;
    case 'Date':
      return new Date(String(inner));
    case 'Set':
      return new Set((inner as unknown[]).map(decode));
    case 'Map':
      return new Map((inner as [unknown, unknown][]).map(([key, each]) => [decode(key), decode(each)]));
    case 'Object':
      return fromEntries(inner as [string, unknown][]);
    default:
      throw new UnsupportedDepsTypeError(String(fields[TAG]), 'deps', 'unknown mark in the text');
  }
}

const fromEntries = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries(entries.map(([key, each]) => [key, decode(each)]));

function typeNameOf(value: object): string {
  const { constructor } = value as { constructor?: { name?: unknown } };
  return typeof constructor?.name === 'string' && constructor.name !== '' ? constructor.name : 'object';
}
