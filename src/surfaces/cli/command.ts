import type { Config } from '../../config/schema.ts';
import type { Origins } from '../../config/load.ts';
import type { Args, Flag } from '../../core/command-line.ts';
import type { HeadgateError } from '../../core/errors.ts';
import type { Meter } from '../../meter/meter.ts';
import type { Services } from '../../operations/services.ts';
import type { Store } from '../../store/store.ts';

/** What a command may touch: the terminal, the environment, and the engine once it asks for it. */
export interface CommandContext {
  args: Args;
  /** All commands, with the flags that each of them has. */
  commands: { list: CommandList; commonFlags: readonly Flag[] };
  /** What is to be done, for a command that has verbs: `create` of `headgate key create`. */
  verb: string;
  env: Record<string, string | undefined>;
  /** The file of this program, to be named where others are told how to start it. */
  main: string;
  stdin: NodeJS.ReadStream;
  /** Writes to stdout: results only. */
  print(text: string): void;
  /** Writes to stderr: everything that is not a result. */
  say(text: string): void;
  isTerminal: boolean;
  /** Aborted by SIGINT and SIGTERM. */
  signal: AbortSignal;
  /** Loads the configuration and builds the engine; the command closes it. */
  open(options?: OpenOptions): Promise<Opened>;
}

export interface OpenOptions {
  isGateway?: boolean;
  accounts?: boolean;
  /** Opens with a broken configuration too, and says what is wrong with it. */
  lenient?: boolean;
  /** Settings that were given as flags, by their keys. They win over the file and the environment. */
  settings?: Record<string, unknown>;
}

export interface Opened {
  /** What is wrong with the configuration; only where it was opened leniently. */
  problem?: HeadgateError;
  config: Config;
  origins: Origins;
  /** The folder for everything that is kept. */
  home: string;
  services: Services;
  /** Present for a gateway and where a personal limit is set. */
  store: Store | undefined;
  meter: Meter | undefined;
  close(): Promise<void>;
}

/** Every command, loaded only when it is called. */
export type CommandList = Record<string, { summary: string; load(): Promise<{ command: Command }> }>;

/** What may stand after a command or one of its verbs. */
export interface Shape {
  /** What follows `headgate <command>`, such as `URL… [--format text]`. */
  usage: string;
  flags: readonly Flag[];
  /** How many words there may be beside the flags; none unless given. */
  words?: number;
}

/** One command of the command line. Its name and summary are in the list of commands. */
export interface Command extends Shape {
  /** What it can do, for a command such as `headgate key create`. */
  verbs?: Record<string, Shape>;
  /** The verb that is meant when none is given. */
  defaultVerb?: string;
  /** Resolves to the exit status: 0 done, 1 failed, 2 wrong usage. */
  run(context: CommandContext): Promise<number>;
}
