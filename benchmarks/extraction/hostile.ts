import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createExtractPool } from '../../src/extract/pool.ts';
import { HOSTILE_PAGES } from '../../tests/support/hostile-pages.ts';

/** Reads every hostile page in the pool, as the product does: how long each takes, and how long the main thread was held up meanwhile. */
export async function measureHostile() {
  const pool = createExtractPool({ size: 1 });
  await pool.extract({ bytes: new TextEncoder().encode('<p>warm') });
  const pages = [];
  for (const [name, make] of Object.entries(HOSTILE_PAGES)) {
    const page = make();
    // What is measured is the pool, not the making of the page.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const started = performance.now();
    const outcome = await pool.extract(page).then(
      () => 'read',
      (thrown: { code: string }) => thrown.code,
    );
    const ms = Math.round(performance.now() - started);
    delay.disable();
    const [p99Ms, maxMs] = [Math.round(delay.percentile(99) / 1e6), Math.round(delay.max / 1e6)];
    pages.push({ name, megabytes: Math.round(page.bytes.length / 1e5) / 10, ms, p99Ms, maxMs, outcome });
  }
  await pool.close();
  return {
    /** Of the page that was worst in each. */
    loopDelayP99Ms: Math.max(...pages.map(({ p99Ms }) => p99Ms)),
    loopDelayMaxMs: Math.max(...pages.map(({ maxMs }) => maxMs)),
    slowestMs: Math.max(...pages.map(({ ms }) => ms)),
    pages,
  };
}
