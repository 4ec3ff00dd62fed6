#!/usr/bin/env node
import { runCli } from './cli/run.ts';

// The bin. It hands the process to one command and loads nothing that the command does not ask for.

const stop = new AbortController();
let hasSaid = false;
const isService =
  ['serve', 'mcp', 'bridge'].includes(process.argv[2] ?? '') && !process.argv.includes('--check');
// A gateway lets its calls finish first; what serves one person ends at once.
const FORCE_EXIT_MS = process.argv[2] === 'serve' ? 310_000 : 900;

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // A second signal, or a command that does not end in time, ends the process.
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
    setTimeout(() => process.exit(0), FORCE_EXIT_MS).unref();
  });
}
// A reader that goes away (`headgate search … | head -1`) is not an error.
process.stdout.on('error', () => process.exit(0));

// Promises instead of top-level await: the bin is built as CommonJS, which starts faster.
void runCli(process.argv.slice(2), {
  env: process.env,
  main: process.argv[1] ?? '',
  stdin: () => process.stdin,
  print: (text) => void process.stdout.write(text),
  say: (text) => {
    hasSaid = true;
    process.stderr.write(text);
  },
  isTerminal: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
  signal: stop.signal,
  open: async (options = {}) => {
    const { createEngine, homeOf, readConfig } = await import('./engine/engine.ts');
    const { config: read, origins, ...found } = readConfig(process.env, process.cwd(), options);
    // Who runs one command is told in words what became of it; log lines are for services, or for who asks for them.
    const isQuiet = !isService && origins['log.level'] === undefined;
    const config = isQuiet ? { ...read, log: { ...read.log, level: 'error' as const } } : read;
    const home = homeOf(process.env);
    return {
      ...found,
      config,
      origins,
      home,
      ...createEngine(config, {
        ...options,
        home,
        path: process.env['PATH'],
        isOneCommand: !isService,
      }),
    };
  },
}).then((code) => {
  process.exitCode = code;
  if (isService) return;
  // A command has ended when its output is written; Node would wait for what V8 still optimises and collects.
  const end = (): never => process.exit();
  process.stdout.write('', () => (hasSaid ? process.stderr.write('', end) : end()));
});
