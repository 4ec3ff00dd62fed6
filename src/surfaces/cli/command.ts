import type { Config } from '../../config/schema.ts';
import type { Origins } from '../../config/load.ts';
import type { HeadgateError } from '../../core/errors.ts';
import type { Meter } from '../../meter/meter.ts';
import type { Services } from '../../operations/services.ts';
import type { Store } from '../../store/store.ts';

/** What a command may touch: the terminal, the environment, and the engine once it asks for it. */
export interface CommandContext {
  args: string[];
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

/** One command of the command line. */
export interface Command {
  name: string;
  usage: string;
  summary: string;
  /** Resolves to the exit code: 0 done, 1 failed, 2 wrong usage. */
  run(context: CommandContext): Promise<number>;
}
