import { hostname } from 'node:os';
import { valueFlag, type Args } from '../core/command-line.ts';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { consoleUrl } from '../gateway/console/setup-link.ts';
import { audited, type Doer } from '../store/audit.ts';
import type { Services } from '../operations/services.ts';
import type { Store } from '../store/store.ts';
import type { Command, Shape } from './command.ts';

export interface VerbArgs {
  /** The arguments after the verb. */
  words: string[];
  /** A flag's value, or undefined. */
  flag(name: string): string | undefined;
  /** Throws when a required flag or argument is missing. */
  need(value: string | undefined, what: string): string;
  args: Args;
  /** The address of the console. */
  url: string;
  services: Services;
}

/** One action on a noun; its value is printed as JSON or by `render`. */
export interface Verb<Value = unknown> extends Shape {
  run(store: Store, args: VerbArgs): Promise<Value>;
  render(value: Value): string;
  /** Prints piece by piece what may be long, instead of `run`. */
  stream?(store: Store, args: VerbArgs): AsyncIterable<string>;
}

export const defineVerb = <Value>(verb: Verb<Value>): Verb => verb;

/** A verb for the one thing that its argument names. */
export const verbOn = <Value>(
  usage: string,
  what: string,
  run: (store: Store, name: string, args: VerbArgs) => Promise<Value>,
  render: (value: Value) => string,
): Verb =>
  defineVerb({
    usage,
    words: 1,
    run: (store, args) => run(store, args.need(args.words[0], what), args),
    render,
  });

/** The verb that lists what one workspace has, or all of them. */
export const listVerb = <Row>(
  list: (store: Store, workspace: string | undefined, args: VerbArgs) => Promise<Row[]>,
  render: (rows: Row[]) => string,
): Verb =>
  defineVerb({
    usage: '[flags]',
    flags: [valueFlag('workspace', 'ID', 'Limit to this workspace.')],
    run: (store, args) => list(store, args.flag('workspace'), args),
    render,
  });

/** Who changes something with a command, for the audit log. */
export const COMMAND_LINE = (): Doer => ({ actor: 'command line', address: hostname() });

/** Creates an account command such as `headgate key`. Without a verb it lists or shows. */
export function nounCommand(verbs: Record<string, Verb>): Command {
  const defaultVerb = ['list', 'show'].find((name) => name in verbs);
  return {
    usage: '',
    verbs,
    ...(defaultVerb === undefined ? {} : { defaultVerb }),
    run: async ({ args, verb: name, print, printResult, open }) => {
      const verb = verbs[name] as Verb;
      const opened = await open({ accounts: true });
      if (opened.store === undefined) throw new HeadgateError('internal', 'The store was not opened.');
      const given: VerbArgs = {
        args,
        url: consoleUrl(opened.config.server),
        services: opened.services,
        words: args.words,
        flag: (flag) => args.value(flag),
        need: (given, what) => {
          if (given !== undefined && given.trim() !== '') return given;
          throw new HeadgateError('invalid_request', own`${named(what)} is missing.`, {
            remediation: 'Add --help for the usage.',
          });
        },
      };
      const store = audited(opened.store, COMMAND_LINE());
      if (verb.stream !== undefined) {
        for await (const text of verb.stream(store, given)) print(text);
        return 0;
      }
      const value = await verb.run(store, given);
      printResult(value, () => verb.render(value));
      return 0;
    },
  };
}
