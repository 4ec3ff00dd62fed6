import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createEngine, readConfig } from '../../src/engine/engine.ts';
import { readingThreads } from './reading-threads.ts';
import { storeThread } from './store-thread.ts';
import { runCli } from '../../src/cli/run.ts';

export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs one command line as the bin does, in this process, on a folder of its own. */
export async function runHeadgate(
  argv: string[],
  {
    home,
    env = {},
    stdin = '',
    heard,
    signal = new AbortController().signal,
  }: {
    home: string;
    env?: Record<string, string>;
    stdin?: string | Buffer | Readable;
    /** Hears everything that was printed, whenever more is. */
    heard?(out: string): void;
    signal?: AbortSignal;
  },
): Promise<Ran> {
  let [out, err] = ['', ''];
  const settings = { HEADGATE_HOME: home, ...env };
  const code = await runCli(argv, {
    env: settings,
    main: join(import.meta.dirname, '../dist/main.cjs'),
    stdin: () => (stdin instanceof Readable ? stdin : Readable.from([stdin])) as NodeJS.ReadStream,
    print: (text) => {
      out += text;
      heard?.(out);
    },
    say: (text) => void (err += text),
    isTerminal: false,
    signal,
    open: async (options = {}) => {
      const loaded = readConfig(settings, home, options);
      // Whether a folder can be used at all is found out by a thread of its own.
      const thread = existsSync(join(home, 'headgate.db')) ? storeThread : {};
      const world = { ...options, home, pool: readingThreads, ...thread };
      return { ...loaded, home, ...createEngine(loaded.config, world) };
    },
  });
  return { code, out, err };
}
