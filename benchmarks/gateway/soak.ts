// Half of capacity for minutes, in one process with the simulator: nothing may fail, and nothing may be left over.
import { Agent, request } from 'node:http';
import { createTestGateway } from '../../tests/gateway/gateway.ts';
import { holdOf } from '../../tests/ledger/workload.ts';

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10);
const WORKERS = 8;
const SLOPE_MAX_MB_PER_HOUR = 60;
const PARTS = ['rss', 'heap', 'external', 'buffers'] as const;
type Part = (typeof PARTS)[number];
type Sample = Record<Part | 'hours', number>;

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
      await database.book({ kind: 'settle', id, subscription, credits: 1, answer: null });
    }
  };
  await Promise.all(Array.from({ length: 64 }, caller));
}

await fillPageCache(150_000);
// The first seconds compile and fill caches; they say nothing about capacity.
await run(10, 0);
const full = await run(5, 0);
const capacity = full.calls / 5;
// Each worker waits as long as its call takes, which halves the rate.
const pauseMs = (WORKERS / capacity) * 1_000;
const samples: Sample[] = [];
const started = performance.now();
const sampler = setInterval(() => samples.push(sample()), 5_000);
const soaked = await run(MINUTES * 60, pauseMs);
clearInterval(sampler);
agent.destroy();
const holds = await gateway.store.reports.openHolds();
const books = await gateway.store.database.check();
await close();
// The first half is warming up: caches fill to their bounds, and timers of the first minute's calls are still waiting.
const steady = samples.slice(Math.floor(samples.length / 2));
const slope = slopeOf(steady, 'rss');
await gateway.close();
await new Promise((resolve) => setTimeout(resolve, 500));
const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

const report = {
  minutes: MINUTES,
  capacity_rps: Math.round(capacity),
  rate_rps: Math.round(soaked.calls / (MINUTES * 60)),
  ...soaked,
  open_holds: holds.length,
  book_problems: books,
  sockets,
  /** Every half minute. */
  memory_mb: samples.filter((_, index) => index % 6 === 0).map(rounded),
  slope_mb_per_hour: Object.fromEntries(PARTS.map((part) => [part, Math.round(slopeOf(steady, part))])),
  slope_of_first_half_mb_per_hour: Math.round(
    slopeOf(samples.slice(0, Math.floor(samples.length / 2)), 'rss'),
  ),
};
console.log(JSON.stringify(report, null, 2));
const isFine = soaked.failed === 0 && holds.length === 0 && books.length === 0 && sockets === 0;
// A slope says something only after some minutes.
process.exit(isFine && (MINUTES < 5 || slope < SLOPE_MAX_MB_PER_HOUR) ? 0 : 1);

/** What the process holds: `heap`, `buffers` and `external` are JavaScript's, the rest of `rss` is the database's, code and malloc's. */
function sample(): Sample {
  globalThis.gc?.();
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const mb = (bytes: number): number => bytes / 1_048_576;
  return {
    hours: (performance.now() - started) / 3_600_000,
    rss: mb(rss),
    heap: mb(heapUsed),
    external: mb(external),
    buffers: mb(arrayBuffers),
  };
}

function rounded(one: Sample): Record<string, number> {
  return Object.fromEntries(PARTS.map((part) => [part, Math.round(one[part])]));
}

function slopeOf(points: Sample[], part: Part): number {
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map((point) => point.hours)), mean(points.map((point) => point[part]))];
  const above = points.reduce((sum, point) => sum + (point.hours - x) * (point[part] - y), 0);
  const below = points.reduce((sum, point) => sum + (point.hours - x) ** 2, 0);
  return below === 0 ? 0 : above / below;
}
