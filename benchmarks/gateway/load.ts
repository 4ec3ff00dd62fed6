import { Agent, request as httpRequest } from 'node:http';

export interface Target {
  name: string;
  url: string;
  headers: Record<string, string>;
  body(index: number): string;
}

/** `/search` with a key; `isFresh` asks something new every time. */
export function target(name: string, url: string, key: string, isFresh: boolean): Target {
  return {
    name,
    url,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: (index) =>
      JSON.stringify({ query: isFresh ? `tidal mills ${index}` : 'tidal mills', max_results: 5 }),
  };
}

let asked = 0;

/** Connections that each ask again as soon as they are answered. */
export async function load(
  one: Target,
  connections: number,
  seconds: number,
): Promise<{ ms: number[]; failed: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const end = performance.now() + seconds * 1_000;
  const ms: number[] = [];
  let failed = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      const started = performance.now();
      const status = await post(one, agent, (asked += 1));
      ms.push(performance.now() - started);
      if (status !== 200) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  agent.destroy();
  return { ms, failed };
}

function post(one: Target, agent: Agent, index: number): Promise<number> {
  const body = one.body(index);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      one.url,
      { method: 'POST', agent, headers: { ...one.headers, 'content-length': Buffer.byteLength(body) } },
      (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 1_000) / 1_000;
}
