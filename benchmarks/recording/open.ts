// In a process of its own: what it takes to open a snapshot, to look up requests in it, and to keep it open.
import { createTestClock } from '../../tests/support/clock.ts';
import { createUpstream } from '../../src/net/upstream.ts';
import { openMode } from '../../src/snapshot/mode.ts';
import { openSnapshot } from '../../src/snapshot/snapshot.ts';
import { median } from '../report.ts';

const [, , file = ''] = process.argv;
const { signal } = new AbortController();
const resident = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().rss;
};
const memory = resident();
const replay = openMode({
  mode: 'replay',
  isPacked: false,
  snapshots: [file],
  misses: undefined,
  clock: createTestClock(),
  secrets: [],
});
const more = resident() - memory;
const upstream = createUpstream({ web: replay.web });
const opened = [1, 2, 3, 4, 5].map(() => {
  const began = performance.now();
  openSnapshot(file).close();
  return performance.now() - began;
});
const snapshot = openSnapshot(file);
const once = async (url: string): Promise<number> => {
  const began = performance.now();
  await upstream.send({ url, method: 'GET', headers: {} }, { signal, provider: 'test' });
  return performance.now() - began;
};
const lookups: number[] = [];
for (let each = 0; each < 2_000; each += 1) {
  const { url } = snapshot.entries[(each * 7_919) % snapshot.entries.length] ?? { url: '' };
  // The best of three: others use the machine, too.
  lookups.push(Math.min(await once(url), await once(url), await once(url)));
}
lookups.sort((a, b) => a - b);
const at = (share: number): number => lookups[Math.floor(lookups.length * share)] ?? 0;
console.log(
  JSON.stringify({
    records: snapshot.entries.length,
    open_ms: median(opened),
    lookup_p50_ms: at(0.5),
    lookup_p99_ms: at(0.99),
    memory_mb: more / 1e6,
  }),
);
snapshot.close();
await replay.close();
await upstream.close();
