import { parseArgs, type ParseArgsConfig } from 'node:util';
import { HeadgateError } from '../../core/errors.ts';
import { asked, named, own } from '../../core/own-text.ts';
import type { Store } from '../../store/store.ts';
import type { Command } from './command.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

export interface VerbArgs {
  /** What stands after the verb. */
  words: string[];
  /** A flag's value, or undefined. */
  flag(name: string): string | undefined;
  /** A flag or word that must be there. */
  need(value: string | undefined, what: string): string;
}

/** One thing that can be done to a noun; what it returns is printed as JSON or by `render`. */
export interface Verb<Value = unknown> {
  usage: string;
  flags: string[];
  run(store: Store, args: VerbArgs): Promise<Value>;
  render(value: Value): string;
}

export const defineVerb = <Value>(verb: Verb<Value>): Verb => verb;

/** A command over the accounts: `headgate key create …`. Without a verb it lists. */
export function nounCommand(name: string, summary: string, verbs: Record<string, Verb>): Command {
  const usage = Object.values(verbs)
    .map((verb) => verb.usage)
    .join('\n  ');
  return {
    name,
    summary,
    usage,
    run: async ({ args, print, open }) => {
      const [first, ...rest] = args;
      if (first === '--help' || first === '-h') {
        print(`${summary}\n\n  ${usage}\n\nAdd --json for machines.\n`);
        return 0;
      }
      const isVerb = first !== undefined && first in verbs;
      const verb = isVerb ? verbs[first] : (verbs['list'] ?? verbs['show']);
      if (
        verb === undefined ||
        (first !== undefined && !isVerb && !first.startsWith('-') && verbs['list'] !== undefined)
      ) {
        throw new HeadgateError(
          'invalid_request',
          own`"${named(first ?? '')}" is not something to do with a ${named(name)}.`,
          {
            remediation: own`Usage:\n  ${named(usage)}`,
          },
        );
      }
      const { values, words } = read(isVerb ? rest : args, verb);
      const opened = await open({ accounts: true });
      try {
        if (opened.store === undefined) throw new HeadgateError('internal', 'The store was not opened.');
        const value = await verb.run(opened.store, {
          words,
          flag: (flag) => values[flag] as string | undefined,
          need: (given, what) => {
            if (given !== undefined && given.trim() !== '') return given;
            throw new HeadgateError('invalid_request', own`${named(what)} is missing.`, {
              remediation: own`Usage: ${named(verb.usage)}`,
            });
          },
        });
        print(values['json'] === true ? `${JSON.stringify(value, null, 2)}\n` : verb.render(value));
        return 0;
      } finally {
        await opened.close();
      }
    },
  };
}

function read(args: string[], verb: Verb): { values: Record<string, unknown>; words: string[] } {
  const options: Options = { json: { type: 'boolean' } };
  for (const flag of verb.flags) options[flag] = { type: 'string' };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { values, words: positionals };
  } catch (thrown) {
    throw new HeadgateError(
      'invalid_request',
      asked(thrown instanceof Error ? thrown.message : String(thrown)),
      {
        remediation: own`Usage: ${named(verb.usage)}`,
      },
    );
  }
}
