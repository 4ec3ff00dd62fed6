import { silentLogger, type Logger } from '../core/log.ts';
import { TypeHintResolutionError, UnsupportedDepsTypeError } from './errors.ts';
import { explainProblems, problemsOf, resolveReference } from './schema/check.ts';
import { isStandardSchema, issuePath, type StandardSchema } from './schema/standard.ts';
import { isPlainObject, type JsonSchema } from './tool.ts';

/**
 * Describes dependencies: a Standard Schema (zod, Valibot, ArkType …), a JSON Schema, or a function that
 * returns one.
 */
export type DepsSchema = StandardSchema | JsonSchema | (() => StandardSchema | JsonSchema);

/** Returns a function that checks a value against the schema and returns what the schema produces. */
export function resolveDepsSchema(
  schema: DepsSchema,
  logger: Logger = silentLogger,
): (value: unknown) => unknown {
  const resolved = resolveLazy(schema);
  if (isStandardSchema(resolved)) return (value) => validated(resolved, value);
  checkReferences(resolved, resolved, '', logger);
  return (value) => {
    const problems = problemsOf(resolved, value);
    if (problems.length === 0) return value;
    throw new UnsupportedDepsTypeError('value', 'deps', explainProblems(problems));
  };
}

function resolveLazy(schema: DepsSchema): StandardSchema | JsonSchema {
  // ArkType's schemas are callable, so a function is lazy only if it is not a schema itself.
  if (typeof schema !== 'function' || isStandardSchema(schema)) return schema;
  try {
    return schema();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'it failed';
    throw new TypeHintResolutionError(schema.name || 'lazy schema', reason, cause);
  }
}

function validated(schema: StandardSchema, value: unknown): unknown {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) {
    throw new UnsupportedDepsTypeError('value', 'deps', 'its schema is asynchronous; use one that is not');
  }
  if (result.issues === undefined) return result.value;
  const [issue] = result.issues;
  const path = issue === undefined ? '' : issuePath(issue);
  throw new UnsupportedDepsTypeError('value', path === '' ? 'deps' : `deps.${path}`, issue?.message);
}

/**
 * A reference within the document must resolve; one to another document cannot be followed and is accepted.
 */
function checkReferences(node: unknown, root: JsonSchema, field: string, logger: Logger): void {
  if (Array.isArray(node)) {
    for (const each of node) checkReferences(each, root, field, logger);
    return;
  }
  if (!isPlainObject(node)) return;
  const reference = node['$ref'];
  if (typeof reference === 'string' && resolveReference(root, reference) === undefined) {
    if (reference.startsWith('#'))
      throw new TypeHintResolutionError(reference, `field '${field}' refers to nothing`);
    logger.warn('unresolved_reference', {
      reference,
      field,
      message: `Unresolved reference '${reference}' for field '${field}'. Assuming serialisable (permissive approach).`,
    });
  }
  for (const [key, each] of Object.entries(node)) {
    if (key === 'properties' && isPlainObject(each)) {
      for (const [name, schema] of Object.entries(each)) {
        checkReferences(schema, root, field === '' ? name : `${field}.${name}`, logger);
      }
    } else if (key !== 'const' && key !== 'enum' && key !== 'default') {
      checkReferences(each, root, field, logger);
    }
  }
}
