import { z } from 'zod';
import type { Args, Flag } from '../core/command-line.ts';

/** A flag that fills a field of a contract: `max_results` is `--max-results`. */
export interface FieldFlag extends Flag {
  field: string;
}

/** The flags of an operation: the fields of its contract. */
export function flagsOf(input: z.ZodObject): FieldFlag[] {
  return Object.entries(input.shape as Record<string, z.ZodType>).map(([field, schema]) => {
    const json = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as {
      type?: string;
      description?: string;
      enum?: string[];
      anyOf?: { type?: string }[];
    };
    const types = json.type === undefined ? (json.anyOf ?? []).map((one) => one.type) : [json.type];
    return {
      field,
      name: field.replaceAll('_', '-'),
      takes:
        types.length === 1 && types[0] === 'boolean'
          ? 'switch'
          : types.includes('array')
            ? 'values'
            : 'value',
      shows: json.enum?.join('|') ?? (/^(integer|number)$/.test(types[0] ?? '') ? 'N' : '…'),
      description: json.description ?? '',
    };
  });
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
