import { parseArgs, type ParseArgsConfig } from 'node:util';
import { HeadgateError } from './errors.ts';
import { nearest } from './nearest.ts';
import { asked, named, own } from './own-text.ts';

/** One flag of a command: `--max-results N`. */
export interface Flag {
  name: string;
  /** A switch takes no value; `values` may be repeated. */
  takes: 'switch' | 'value' | 'values';
  /** The placeholder of its value in the help. */
  shows?: string;
  short?: string;
  description: string;
}

/** A flag that takes one value. */
export const valueFlag = (name: string, shows: string, description: string): Flag => ({
  name,
  takes: 'value',
  shows,
  description,
});

/** A flag that is given once for each value. */
export const valuesFlag = (name: string, shows: string, description: string): Flag => ({
  ...valueFlag(name, shows, description),
  takes: 'values',
});

/** A flag without a value. */
export const switchFlag = (name: string, description: string): Flag => ({
  name,
  takes: 'switch',
  description,
});

/** A command line, taken apart. */
export interface Args {
  /** What is neither a flag nor the value of one. */
  words: string[];
  /** Whether a switch is on; undefined when it was not given. */
  isOn(name: string): boolean | undefined;
  /** The value of a flag that takes one. */
  value(name: string): string | undefined;
  /** The values of a flag that may be repeated. */
  values(name: string): string[] | undefined;
}

/** Parses a command line by its flags. Throws on a flag that is unknown, and on a missing or unwanted value. */
export function parseCommandLine(
  args: readonly string[],
  flags: readonly Flag[],
  wordsMax = Number.POSITIVE_INFINITY,
): Args {
  const options = Object.fromEntries(
    flags.map(({ name, takes, short }) => [
      name,
      {
        type: takes === 'switch' ? ('boolean' as const) : ('string' as const),
        multiple: takes === 'values',
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
  const { values, words } = parse(args, options, flags);
  if (words.length > wordsMax) throw mistake(own`Unexpected argument "${asked(words[wordsMax] ?? '')}".`);
  return {
    words,
    isOn: (name) => values[name] as boolean | undefined,
    value: (name) => values[name] as string | undefined,
    values: (name) => values[name] as string[] | undefined,
  };
}

function parse(
  args: readonly string[],
  options: NonNullable<ParseArgsConfig['options']>,
  flags: readonly Flag[],
): { values: Record<string, unknown>; words: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      allowNegative: true,
    });
    return { values, words: positionals };
  } catch (thrown) {
    const { code, message } = thrown as { code?: string; message: string };
    const given = /'(-[^' ]*)/.exec(message)?.[1] ?? '';
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      const name = nearest(
        given.replace(/^-+/, ''),
        flags.map((flag) => flag.name),
      );
      const hint = name === undefined ? '' : ` Did you mean --${name}?`;
      throw mistake(own`Unknown flag ${asked(given)}.${named(hint)}`);
    }
    // Node goes on to tell how to pass what begins with a dash, which is rarely what was meant.
    const [first = message] = message.split(/\.\s|\n/);
    throw mistake(asked(`${first.replace(/\.$/, '')}.`));
  }
}

const mistake = (message: ReturnType<typeof asked>): HeadgateError =>
  new HeadgateError('invalid_request', message, { remediation: 'Add --help for the usage.' });

/** A flag's value as a whole number within bounds, or undefined when it was not given. */
export function wholeNumber(
  args: Args,
  name: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  const text = args.value(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new HeadgateError(
    'invalid_request',
    own`--${named(name)}: "${asked(text)}" is not a whole number from ${min} to ${max}.`,
  );
}

/** The numbers that a port may have; 0 picks a free one. */
export const PORTS = { min: 0, max: 65_535 };

/** The flags as lines of help. */
export function describeFlags(flags: readonly Flag[]): string {
  const names = flags.map(({ name, takes, shows = '…', short }) => {
    const first = short === undefined ? '' : `-${short}, `;
    return `  ${first}--${name}${takes === 'switch' ? '' : ` ${shows}`}`;
  });
  return flags
    .map(({ description }, index) => {
      const name = names[index] ?? '';
      return `${name.length < WIDTH ? name.padEnd(WIDTH) : `${name}\n${' '.repeat(WIDTH)}`}${description}`;
    })
    .join('\n');
}

const WIDTH = 34;
