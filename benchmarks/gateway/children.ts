import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ADMIN = 'benchmark-admin-token';
/** The built command; `npm run build` makes it. */
export const MAIN = join(import.meta.dirname, '../../dist/main.cjs');

/** What a gateway of a benchmark is told. */
export const GATEWAY_ENV = {
  TAVILY_API_KEY: 'tvly-benchmark',
  HEADGATE_SEARCH__PROVIDER: 'tavily',
  // Indexing what is installed here would be measured too.
  HEADGATE_LIBRARY__INDEX_PROJECT: 'false',
  HEADGATE_SERVER__ADMIN_TOKEN: ADMIN,
  HEADGATE_SERVER__REQUESTS_PER_MINUTE: '1000000',
};

/** Processes that are started one by one and ended together. */
export function createChildren() {
  const children: ChildProcess[] = [];
  return {
    /** Resolves with the process once it has said `ready`. */
    run: async (args: string[], env: Record<string, string>, ready: string): Promise<ChildProcess> => {
      const child = spawn(process.execPath, args, {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      children.push(child);
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      for (let tries = 0; !text.includes(ready); tries += 1) {
        if (tries > 200) throw new Error(`Not ready: ${text}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return child;
    },
    end: async (): Promise<void> => {
      for (const child of children) child.kill('SIGTERM');
      await Promise.all(
        children.filter((child) => child.exitCode === null).map((child) => once(child, 'exit')),
      );
    },
  };
}

/** A key of a new workspace with plenty of credits. */
export async function keyOf(url: string): Promise<string> {
  const admin = async (path: string, body: object): Promise<Record<string, string>> => {
    const response = await fetch(`${url}/admin${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN}` },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Record<string, string>;
  };
  const workspace = await admin('/workspaces', { name: 'Benchmark', tier: 'pro' });
  await admin(`/subscriptions/${workspace['subscription']}/top-up`, { amount: 1_000_000_000_000 });
  const made = await admin('/keys', { workspace: workspace['id'], label: 'benchmark' });
  return made['key'] ?? '';
}

/** User and system time of a process and its threads, from /proc (Linux). A tick is 10 ms. */
export function cpuMsOf(child: ChildProcess): number {
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
