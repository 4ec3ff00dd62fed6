import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { join } from 'node:path';
import { bundled } from '../bundled.ts';
import type { GatewayTask } from './gateway-process.ts';

export interface GatewayProcess {
  process: ChildProcess;
  lines: string[];
  /** Resolves with the first line that `isIt`; rejects when the process ends before. */
  line(isIt: (line: string) => boolean): Promise<string>;
  kill(): Promise<void>;
  ended: Promise<number | null>;
}

/** Bundles the gateway process once, as the package is bundled, so that it starts fast and its worker is the built one. */
export async function buildGateway(): Promise<{
  start(task: GatewayTask, options?: SpawnOptions & { under?: string[] }): GatewayProcess;
  dispose(): void;
}> {
  const { file, dispose } = await bundled(join(import.meta.dirname, 'gateway-process.ts'));
  return {
    dispose,
    start: (task, { under = [], ...options } = {}) => {
      const words: string[] = [...under, process.execPath, file, JSON.stringify(task)];
      const [command = process.execPath, ...rest] = words;
      return follow(spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'], ...options }));
    },
  };
}

function follow(child: ChildProcess): GatewayProcess {
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  const wake = () => {
    for (const check of waiting) check();
  };
  child.stdout?.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    wake();
  });
  const ended = new Promise<number | null>((done) => {
    child.on('close', (code) => {
      done(code);
      wake();
    });
  });
  return {
    process: child,
    lines,
    ended,
    line: (isIt) =>
      new Promise((found, failed) => {
        const check = () => {
          const line = lines.find(isIt);
          if (line === undefined && child.exitCode === null && child.signalCode === null) return;
          waiting.delete(check);
          if (line === undefined) failed(new Error(`the process ended: ${lines.slice(-3).join(' | ')}`));
          else found(line);
        };
        waiting.add(check);
        check();
      }),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
