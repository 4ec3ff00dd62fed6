import { parseArgs, type ParseArgsConfig } from 'node:util';
import { z } from 'zod';
import { HeadgateError } from '../../core/errors.ts';
import { asked } from '../../core/own-text.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** The flags of an operation are the fields of its contract: `max_results` is `--max-results`. */
export interface Flag {
  field: string;
  name: string;
  takes: 'value' | 'values' | 'switch';
  /** What the help shows for its value. */
  shows: string;
  description: string;
}

export function flagsOf(input: z.ZodObject): Flag[] {
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

/** Splits arguments into the operation's fields, other switches and positionals, or throws with the usage mistake. */
export function readArgs(
  args: string[],
  flags: Flag[],
  extra: Options = {},
): { input: Record<string, unknown>; values: Record<string, unknown>; positionals: string[] } {
  const options: Options = { ...extra };
  for (const flag of flags) {
    options[flag.name] =
      flag.takes === 'switch' ? { type: 'boolean' } : { type: 'string', multiple: flag.takes === 'values' };
  }
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, allowNegative: true });
    const input: Record<string, unknown> = {};
    for (const flag of flags) {
      const value = values[flag.name];
      if (value !== undefined)
        input[flag.field] = Array.isArray(value) ? value.flatMap((one) => String(one).split(',')) : value;
    }
    return { input, values, positionals };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    // Node goes on to tell how to pass what begins with a dash, which is not what was meant.
    const [first = reason] = reason.split(/\.\s|\n/);
    throw new HeadgateError('invalid_request', asked(first.endsWith('.') ? first : `${first}.`), {
      remediation: 'Add --help to see what there is.',
    });
  }
}

/** The flags as lines of help. */
export const describeFlags = (flags: Flag[]): string =>
  flags
    .map((flag) => {
      const name = `  --${flag.name}${flag.takes === 'switch' ? '' : ` ${flag.shows}`}`;
      return `${name.length < WIDTH ? name.padEnd(WIDTH) : `${name}\n${' '.repeat(WIDTH)}`}${flag.description}`;
    })
    .join('\n');

const WIDTH = 34;
