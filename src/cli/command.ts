import type { Config } from '../config/schema.ts';
import type { Loaded, Origins } from '../config/load.ts';
import type { ProviderKeys } from '../config/provider-keys.ts';
import type { Args, Flag } from '../core/command-line.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { Alerts } from '../meter/alerts.ts';
import type { Meter } from '../meter/meter.ts';
import type { Services } from '../operations/services.ts';
import type { Store } from '../store/store.ts';

/** What a command has access to: the terminal, the environment, and the engine when it opens it. */
export interface CommandContext {
  args: Args;
  /** All commands, and the flags they share. */
  commands: { list: CommandList; commonFlags: readonly Flag[] };
  /** The verb of a command that has verbs: `create` in `headgate key create`. */
  verb: string;
  env: Record<string, string | undefined>;
  /** The file of this program, for printed start commands. */
  main: string;
  stdin(): NodeJS.ReadStream;
  /** Writes to stdout: results only. */
  print(text: string): void;
  /** Prints a result: with `--json` the value, otherwise a text of it. */
  printResult(value: unknown, text: () => string): void;
  /** Writes to stderr: everything that is not a result. */
  say(text: string): void;
  isTerminal: boolean;
  /** Aborted by SIGINT and SIGTERM. */
  signal: AbortSignal;
  /** Loads the configuration and builds the engine, which is closed when the command ends, or earlier. */
  open(options?: OpenOptions): Promise<OpenedStore>;
}

export interface OpenOptions {
  isGateway?: boolean;
  accounts?: boolean;
  /** Opens even with a broken configuration and reports the problem. */
  lenient?: boolean;
  /** The configuration file, instead of the one that `--config` names. */
  file?: string;
  /** Settings given as flags, by key. They override the file and the environment. */
  settings?: Record<string, unknown>;
}

export interface OpenedStore {
  /** The configuration error; only when opened leniently. */
  problem?: HeadgateError;
  config: Config;
  origins: Origins;
  file?: Loaded['file'];
  /** The data folder. */
  home: string;
  services: Services;
  /** Present for a gateway and where a personal limit is set. */
  store: Store | undefined;
  meter: Meter | undefined;
  alerts?: Alerts | undefined;
  providerKeys?: ProviderKeys | undefined;
  close(): Promise<void>;
}

/** Every command, loaded only when it is called. */
export type CommandList = Record<string, { summary: string; load(): Promise<{ command: Command }> }>;

/** The arguments of a command or of one of its verbs. */
export interface Shape {
  /** What follows `headgate <command>`, such as `URL… [--format text]`. */
  usage: string;
  flags?: readonly Flag[];
  /** The most positional arguments; none by default. */
  words?: number;
}

/** One command of the command line. Its name and summary are in the list of commands. */
export interface Command extends Shape {
  /** The verbs, for a command such as `headgate key create`. */
  verbs?: Record<string, Shape>;
  /** The verb to use when none is given. */
  defaultVerb?: string;
  /** Resolves to the exit status: 0 done, 1 failed, 2 wrong usage. */
  run(context: CommandContext): Promise<number>;
}
