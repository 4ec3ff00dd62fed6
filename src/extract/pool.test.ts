import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, describe, expect, test } from 'vitest';
import { HOSTILE_PAGES } from '../../tests/support/hostile-pages.ts';
import { sized } from '../../tests/support/sized.ts';
import { LIMITS } from '../core/limits.ts';
import { createExtractPool, type ExtractPool, type PoolOptions } from './pool.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const article = bytes(
  `<article><h1>Mill</h1>${`<p>${'The river rose by two metres, and the gate held. '.repeat(6)}</p>`.repeat(4)}</article>`,
);

const open: ExtractPool[] = [];
const createPool = (options: PoolOptions = {}): ExtractPool => {
  const pool = createExtractPool({ size: 1, ...options });
  open.push(pool);
  return pool;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((pool) => pool.close()));
});

describe('the pool', () => {
  test('reads pages in a thread, with all fields', async () => {
    const found = await createPool().extract({
      bytes: article,
      contentType: 'text/html',
      url: 'https://example.org/',
    });
    expect(found).toMatchObject({ quality: 'ok', links: [], images: [] });
    expect(found.markdown).toContain('the gate held');
  });

  test('keeps the failure of a page as it was', async () => {
    const noise = Uint8Array.from({ length: 4_000 }, (_, index) => index % 17);
    await expect(createPool().extract({ bytes: noise, contentType: 'image/png' })).rejects.toMatchObject({
      code: 'unsupported_type',
    });
  });

  test('F56: a page that takes too long fails alone, and the next one is read', async () => {
    const pool = createPool({ timeoutMs: 1 });
    const large = bytes(`<p>${'<b>word</b> '.repeat(300_000)}`);
    await expect(pool.extract({ bytes: large })).rejects.toMatchObject({
      code: 'extract_failed',
      message: expect.stringContaining('within 1 ms'),
    });
    const patient = createPool({ timeoutMs: 20_000 });
    await expect(patient.extract({ bytes: article })).resolves.toMatchObject({ quality: 'ok' });
  });

  test('F56: a page that takes too much memory fails alone, and the next one is read', async () => {
    const pool = createPool({ memoryMb: 40 });
    const large = bytes(`<p>${'<i>a</i><b>b</b>'.repeat(600_000)}`);
    await expect(pool.extract({ bytes: large })).rejects.toMatchObject({ code: 'extract_failed' });
    await expect(pool.extract({ bytes: article })).resolves.toMatchObject({ quality: 'ok' });
  });

  test('F56: a feed of open elements and stray end tags is read within the time of a page', async () => {
    const depth = 300_000;
    const feed = `<rss><channel><title>Mill</title>${'<a>'.repeat(depth)}${'</b>'.repeat(depth)}<item><title>The gate held</title></item></channel></rss>`;
    const found = await createPool().extract({ bytes: bytes(feed) });
    expect(found).toMatchObject({ kind: 'feed', title: 'Mill', text: 'The gate held' });
  });

  test('a cancelled page stops and the pool goes on', async () => {
    const pool = createPool();
    const controller = new AbortController();
    const pages = [pool.extract({ bytes: article }, {}, controller.signal), pool.extract({ bytes: article })];
    controller.abort();
    await expect(pages[0]).rejects.toMatchObject({ code: 'cancelled' });
    await expect(pages[1]).resolves.toMatchObject({ quality: 'ok' });
  });

  test('closing ends what is under way', async () => {
    const pool = createPool();
    const page = pool.extract({ bytes: article });
    await Promise.all([expect(page).rejects.toMatchObject({ code: 'cancelled' }), pool.close()]);
  });

  test('F54–F56: hostile pages end within their time, one after the other, and never hold up the event loop', async () => {
    const pool = createPool();
    await pool.extract({ bytes: article });
    const delay = monitorEventLoopDelay({ resolution: 5 });
    const slow: string[] = [];
    const pages = Object.entries(HOSTILE_PAGES);
    const count = sized('hostile pages', {
      small: Math.ceil(pages.length / 18),
      large: pages.length,
      full: pages.length,
    });
    const every = Math.floor(pages.length / count);
    for (const [name, make] of pages.filter((_, index) => index % every === 0)) {
      const page = make();
      delay.enable();
      const started = performance.now();
      const found = await pool.extract(page).then(
        () => 'read',
        (thrown: { code: string }) => thrown.code,
      );
      delay.disable();
      expect(
        ['read', 'extract_failed', 'page_too_large', 'unsupported_type'].includes(found) ? '' : name,
      ).toBe('');
      if (performance.now() - started > LIMITS.extractTimeoutMs + LIMITS.extractStartMs) slow.push(name);
    }
    expect(slow).toEqual([]);
    // The figure to reach is 50 ms, and the benchmark shows it on a quiet machine; a busy one must not fail the build.
    expect(delay.percentile(99) / 1e6).toBeLessThan(250);
  }, 300_000);
});
