import type { z } from 'zod';
import type { Args, Flag } from '../core/command-line.ts';

/** A flag that fills a field of a contract: `max_results` is `--max-results`. */
export interface FieldFlag extends Flag {
  field: string;
}

/** The flags of an operation: the fields of its contract. */
export function flagsOf(input: z.ZodObject): FieldFlag[] {
  return Object.entries(input.shape as Record<string, z.ZodType>).map(([field, schema]) => {
    const parts = partsOf(schema);
    const only = parts.length === 1 ? parts[0] : undefined;
    return {
      field,
      name: field.replaceAll('_', '-'),
      takes:
        only?.type === 'boolean' ? 'switch' : parts.some(({ type }) => type === 'array') ? 'values' : 'value',
      shows:
        only?.entries === undefined
          ? only?.type === 'number'
            ? 'N'
            : '…'
          : Object.values(only.entries).join('|'),
      description: descriptionOf(schema) ?? '',
    };
  });
}

/** The part of zod's definition of a schema that flags depend on. */
interface Definition {
  type: string;
  innerType?: z.ZodType;
  out?: z.ZodType;
  options?: z.ZodType[];
  entries?: Record<string, string>;
}

const definitionOf = ({ _zod }: z.ZodType): Definition => _zod.def;

function descriptionOf(schema: z.ZodType): string | undefined {
  const { innerType } = definitionOf(schema);
  return schema.description ?? (innerType === undefined ? undefined : descriptionOf(innerType));
}

/** What a schema accepts, without its wrappers. Its JSON Schema says the same, but takes longer than a search. */
function partsOf(schema: z.ZodType): Definition[] {
  const definition = definitionOf(schema);
  const inner = definition.innerType ?? definition.out;
  return inner === undefined ? (definition.options?.flatMap(partsOf) ?? [definition]) : partsOf(inner);
}

/** Converts flags to the input of the operation. Lists may be repeated or separated by commas. */
export function inputOf(args: Args, flags: readonly FieldFlag[]): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const { field, name, takes } of flags) {
    const value =
      takes === 'switch'
        ? args.isOn(name)
        : takes === 'value'
          ? args.value(name)
          : args.values(name)?.flatMap((one) => one.split(','));
    if (value !== undefined) input[field] = value;
  }
  return input;
}
