import { ToolValidationError } from '../errors.ts';
import { NO_ARGUMENTS, readSchema, typeName, type ToolSchema } from './source.ts';
import { isPlainObject } from '../tool.ts';

/** A tool of some framework, with unknown fields. */
export type SchemaFields = Record<string, unknown>;

/** Where a plain tool may have its JSON Schema, in this order (bridge spec FR-004). */
const JSON_PLACES = [
  ['parametersJsonSchema'],
  ['functionSchema', 'jsonSchema'],
  ['toolDef', 'parametersJsonSchema'],
];

/** Where frameworks keep schemas; these may have any form. */
const OTHER_PLACES = [
  ['__action', 'inputJsonSchema'],
  ['__action', 'inputSchema'],
  ['toolSpec', 'inputSchema'],
  ['metadata', 'parameters'],
  ['inputSchema'],
  ['parameters'],
  ['schema'],
  ['input_schema'],
];

/** The schema of a tool's arguments, from the first field that has one. */
export async function schemaOf(tool: SchemaFields, name: string): Promise<ToolSchema> {
  for (const place of JSON_PLACES) {
    const value = at(tool, place);
    if (value === undefined || value === null) continue;
    if (!isPlainObject(value)) {
      throw new ToolValidationError(
        `Tool '${name}' ${place.join('.')} must be an object, got ${typeName(value)}.`,
        {
          tool: name,
        },
      );
    }
    return readSchema(value, { tool: name, path: place.join('.') });
  }
  for (const place of OTHER_PLACES) {
    const value = at(tool, place);
    if (value !== undefined && value !== null)
      return readSchema(value, { tool: name, path: place.join('.') });
  }
  // Frameworks whose tools take no arguments keep the field, empty. Without any field we would have to guess.
  if ([...JSON_PLACES, ...OTHER_PLACES].some((place) => isDeclared(tool, place)))
    return { json: NO_ARGUMENTS };
  const tried = [...JSON_PLACES, ...OTHER_PLACES].map((place) => place.join('.')).join(', ');
  throw new ToolValidationError(
    `Cannot extract JSON schema from tool '${name}'. Expected one of: ${tried}.`,
    {
      tool: name,
    },
  );
}

function at(tool: SchemaFields, place: readonly string[]): unknown {
  let value: unknown = tool;
  for (const key of place) {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
    value = (value as SchemaFields)[key];
  }
  return value;
}

function isDeclared(tool: SchemaFields, place: readonly string[]): boolean {
  const parent = at(tool, place.slice(0, -1));
  return (
    ((typeof parent === 'object' && parent !== null) || typeof parent === 'function') &&
    (place.at(-1) ?? '') in parent
  );
}
