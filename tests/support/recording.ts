import { createTestClock } from './clock.ts';
import type { HttpRequest } from '../../src/core/http.ts';
import { createGuardedFetch } from '../../src/net/fetch.ts';
import { createGuardPolicy } from '../../src/net/guard.ts';
import { createUpstream } from '../../src/net/upstream.ts';
import type { Sim } from '../../src/sim/server.ts';
import { tavily } from '../../src/providers/tavily/tavily.ts';
import { openMode } from '../../src/snapshot/mode.ts';

/** The network alone, recorded under a clock that stands. */
export function createRecording(file: string, ports: number[], secrets: string[] = [], isPacked = true) {
  const { web, close } = openMode({
    mode: 'record',
    snapshots: [file],
    misses: undefined,
    isPacked,
    seed: 'test',
    clock: createTestClock(),
    secrets,
  });
  const guarded = createGuardedFetch({
    policy: createGuardPolicy({ allow: ['127.0.0.1'], ports }),
    userAgent: 'test',
    web,
  });
  const upstream = createUpstream({ web });
  const { signal } = new AbortController();
  return {
    fetch: (url: string) => guarded.fetch(url, { signal, caller: 'test', gate: undefined, types: 'any' }),
    send: (request: HttpRequest) => upstream.send(request, { signal, provider: 'test' }),
    close: async () => {
      await Promise.all([guarded.close(), upstream.close()]);
      await close();
    },
  };
}

/** A snapshot with what a recording can hold: pages, a missing one, a failure, addresses in other scripts, and posts of every kind. */
export async function recordMixed(file: string, sim: Sim): Promise<void> {
  const live = createRecording(file, [sim.port]);
  const lost = (): undefined => undefined;
  for (const path of [
    'river',
    'history',
    'history',
    'nowhere',
    'river?B=2&a=1&C=ä+ö&d=%2F',
    'Weg/日本?q=Straße',
  ])
    await live.fetch(`${sim.url}/web/${path}`).catch(lost);
  sim.script('/web/mill', [{ kind: 'reset' }, { kind: 'reset' }, { kind: 'reset' }]);
  await live.fetch(`${sim.url}/web/mill`).catch(lost);
  const post = (type: string, body: string) =>
    live
      .send({ url: `${sim.url}/tavily/search`, method: 'POST', headers: { 'content-type': type }, body })
      .catch(lost);
  await post(
    'application/json; charset=utf-8',
    '{"query":"Tidal “mills” & mehr","include_domains":["a.example","b.example"],"days":0,"topic":null,"answer":false,"empty":"","deep":{"query":"again"}}',
  );
  await post('application/json', JSON.stringify({ query: 'long '.repeat(2_000) }));
  await post('application/json', 'no JSON');
  await post('application/x-www-form-urlencoded', 'q=wind+mills&kl=DE%20de');
  await post('application/octet-stream', 'plain bytes');
  await live.close();
}

interface ScriptedResult {
  url: string;
  title: string;
  content: string;
  published_date?: string;
}

/** Records pages and answers of a provider, each at its time, without anybody who sends them. */
export async function recordScripted(
  path: string,
  exchanges: ({ at: number } & (
    | { page: string; html: string }
    | { query: string; results: ScriptedResult[] }
  ))[],
  base = 'https://api.tavily.com',
): Promise<string> {
  const clock = createTestClock(exchanges[0]?.at ?? 0);
  const { web, close } = openMode({
    mode: 'record',
    snapshots: [path],
    misses: undefined,
    isPacked: true,
    seed: 'frozen',
    providers: { tavily: 1, headgate: 0 },
    clock,
    secrets: [],
  });
  for (const one of exchanges) {
    clock.step(one.at - clock.now());
    const isPage = 'page' in one;
    const answered = {
      status: 200,
      headers: { 'content-type': isPage ? 'text/html' : 'application/json' },
      bytes: Buffer.from(
        isPage ? one.html : JSON.stringify({ query: one.query, results: one.results, response_time: 1 }),
      ),
    };
    const request = isPage
      ? { url: new URL(one.page), method: 'GET' as const }
      : {
          url: new URL(`${base}/search`),
          method: 'POST' as const,
          body: bodyFor(one.query, base),
        };
    const bounds = { headers: {}, bytesMax: 1e6, tooLarge: () => new Error('too large') };
    await web.exchange({ ...request, ...bounds }, isPage ? 'page' : 'provider', () => ({
      done: Promise.resolve(answered),
      abort: () => {},
    })).done;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await close();
  return path;
}

/** What the provider is sent for a query. */
const bodyFor = (text: string, base: string): string =>
  tavily.search?.request({ text, resultsMax: 5 }, { base_url: base }, 'replayed').body ?? '';
