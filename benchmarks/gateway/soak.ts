// Half of capacity for minutes, in one process with the simulator: nothing may fail, and nothing may be left over. What is left over
// is looked for after garbage collection and by the call, because a leak grows with calls and not with time. SOAK_LEAK=100 keeps a hundred
// bytes of every call, to see that it would be found.
import { Agent, request } from 'node:http';
import { createTestGateway } from '../../tests/support/gateway/gateway.ts';
import { holdOf, settleOf } from '../../tests/support/ledger/workload.ts';

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10);
const WORKERS = 8;
/** Which part of capacity; 1 makes the most calls in the least time, to look for leaks only. */
const SHARE = Number(process.env['SOAK_SHARE'] ?? 0.5);
const LEAK_BYTES = Number(process.env['SOAK_LEAK'] ?? 0);
/** A forgotten listener, timer or map entry has a hundred bytes and more; the heap by itself goes up and down by a megabyte. */
const BYTES_PER_CALL_MAX = 24;
const HEAP_NOISE_BYTES = 1_048_576;
const LEAST_LEAK_BYTES = 100;
/** What is neither heap nor buffers: the database's pages, code, and what the allocator does not give back. */
const RSS_MB_PER_HOUR_MAX = 60;
const SAMPLE_MS = 3_000;
const PARTS = ['rss', 'heap', 'external', 'buffers'] as const;
type Part = (typeof PARTS)[number];
type Sample = Record<Part | 'hours' | 'calls', number>;

if (globalThis.gc === undefined)
  throw new Error('Run it with --expose-gc: what is only garbage would count.');

const gateway = await createTestGateway({
  config: {
    'providers.tavily.api_key': 'tvly-soak',
    'search.provider': 'tavily',
    'server.requests_per_minute': 1_000_000,
  },
});
const { url, close } = await gateway.listen();
const { key, subscription } = await gateway.newKey({ tier: 'pro' });
await gateway.store.accounts.topUp({ subscription, amount: 1_000_000_000_000 });
const agent = new Agent({ keepAlive: true, maxSockets: WORKERS });
let asked = 0;
const leaked: Buffer[] = [];

/** One call; every tenth has asked before and is answered from memory, every hundredth hangs up. */
function call(): Promise<number> {
  asked += 1;
  const body = JSON.stringify({ query: `tidal mills ${asked % 10 === 0 ? 0 : asked}` });
  const isImpatient = asked % 100 === 0;
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}`, 'content-length': Buffer.byteLength(body) };
    const sent = request(`${url}/search`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', () => resolve(isImpatient ? 200 : 0));
    });
    sent.once('error', () => resolve(isImpatient ? 200 : 0));
    sent.end(body);
    if (isImpatient) setTimeout(() => sent.destroy(), 1);
  });
}

async function run(seconds: number, pauseMs: number): Promise<{ calls: number; failed: number }> {
  const end = performance.now() + seconds * 1_000;
  let [calls, failed] = [0, 0];
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      const status = await call();
      calls += 1;
      if (LEAK_BYTES > 0) leaked.push(Buffer.allocUnsafeSlow(LEAK_BYTES));
      if (status !== 200) failed += 1;
      gateway.sim.requests.length = 0;
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return { calls, failed };
}

/**
 * The store's page cache grows with the first 130,000 calls to its bound of 32 MiB. It is filled here, because otherwise
 * that would be all that a soak of some minutes sees.
 */
async function fillPageCache(calls: number): Promise<void> {
  const { database } = gateway.store;
  let last = 0;
  const caller = async (): Promise<void> => {
    while (last < calls) {
      const id = `warm-${String(++last).padStart(9, '0')}`;
      await database.book(holdOf(id, subscription));
      await database.book(settleOf(id, subscription));
    }
  };
  await Promise.all(Array.from({ length: 64 }, caller));
}

await fillPageCache(150_000);
// The first seconds compile and fill caches; they say nothing about capacity.
await run(10, 0);
const full = await run(5, 0);
const capacity = full.calls / 5;
// At half of capacity each worker waits as long as its call takes.
const pauseMs = (WORKERS / capacity) * 1_000 * (1 / SHARE - 1);
const samples: Sample[] = [];
const started = performance.now();
const sampler = setInterval(() => samples.push(sample()), SAMPLE_MS);
const soaked = await run(MINUTES * 60, pauseMs);
clearInterval(sampler);
agent.destroy();
const holds = await gateway.store.reports.openHolds();
const books = await gateway.store.database.check();
await close();
// The first third is warming up: code is compiled and caches fill to their bounds.
const steady = samples.slice(Math.floor(samples.length / 3));
const bytesPerCall = slopeOf(steady, 'calls', 'heap', 'external') * 1_048_576;
const steadyCalls = (steady.at(-1)?.calls ?? 0) - (steady[0]?.calls ?? 0);
const allowed = steadyCalls * BYTES_PER_CALL_MAX + HEAP_NOISE_BYTES;
const rssPerHour = slopeOf(steady, 'hours', 'rss');
await gateway.close();
await new Promise((resolve) => setTimeout(resolve, 500));
const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

const problems = [
  ...(soaked.failed === 0 ? [] : [`${soaked.failed} calls failed`]),
  ...(holds.length === 0 ? [] : [`${holds.length} holds are open`]),
  ...books,
  ...(sockets === 0 ? [] : [`${sockets} sockets are open`]),
  ...(steadyCalls * LEAST_LEAK_BYTES > allowed ? [] : [`${steadyCalls} calls are too few to see a leak`]),
  ...(bytesPerCall * steadyCalls <= allowed
    ? []
    : [`${Math.round(bytesPerCall)} bytes of each call are kept`]),
  // Pages and the allocator need some minutes until they are steady.
  ...(MINUTES < 5 || rssPerHour <= RSS_MB_PER_HOUR_MAX ? [] : [`RSS grows ${Math.round(rssPerHour)} MB/h`]),
];
const report = {
  minutes: MINUTES,
  capacity_rps: Math.round(capacity),
  rate_rps: Math.round(soaked.calls / (MINUTES * 60)),
  ...soaked,
  open_holds: holds.length,
  book_problems: books,
  sockets,
  bytes_kept_per_call: Math.round(bytesPerCall * 10) / 10,
  rss_mb_per_hour: Math.round(rssPerHour),
  /** Twenty times, after garbage collection. */
  memory_mb: samples.filter((_, index) => index % Math.ceil(samples.length / 20) === 0).map(rounded),
  problems,
};
console.log(JSON.stringify(report, null, 2));
process.exit(problems.length === 0 ? 0 : 1);

/** What the process holds: `heap`, `buffers` and `external` are JavaScript's, the rest of `rss` is the database's, code and malloc's. */
function sample(): Sample {
  globalThis.gc?.();
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const mb = (bytes: number): number => bytes / 1_048_576;
  return {
    hours: (performance.now() - started) / 3_600_000,
    calls: asked,
    rss: mb(rss),
    heap: mb(heapUsed),
    external: mb(external),
    buffers: mb(arrayBuffers),
  };
}

function rounded(one: Sample): Record<string, number> {
  const parts = PARTS.map((part) => [part, Math.round(one[part] * 10) / 10] as const);
  return { calls: one.calls, ...Object.fromEntries(parts) };
}

/** The median of the slopes between all pairs: one sample in the middle of a burst does not move it. */
function slopeOf(points: Sample[], over: 'hours' | 'calls', ...parts: Part[]): number {
  const height = (point: Sample): number => parts.reduce((sum, part) => sum + point[part], 0);
  const slopes = points.flatMap((from, index) =>
    points.slice(index + 1).map((to) => (height(to) - height(from)) / Math.max(1e-9, to[over] - from[over])),
  );
  slopes.sort((a, b) => a - b);
  return slopes[Math.floor(slopes.length / 2)] ?? 0;
}
