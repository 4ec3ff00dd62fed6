import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, describe, expect, test } from 'vitest';
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
    const large = bytes(`<p>${'<i>a</i><b>b</b>'.repeat(1_500_000)}`);
    await expect(pool.extract({ bytes: large })).rejects.toMatchObject({ code: 'extract_failed' });
    await expect(pool.extract({ bytes: article })).resolves.toMatchObject({ quality: 'ok' });
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

  test('F56: hostile pages are read one after the other and never hold up the event loop', async () => {
    // A loaded machine may take several times as long as a quiet one; how long it takes is the benchmark's business.
    const pool = createPool({ timeoutMs: 30_000 });
    await pool.extract({ bytes: article });
    const pages: Record<string, string> = {
      'nested 100,000 deep': '<div>'.repeat(100_000) + 'text '.repeat(50) + '</div>'.repeat(100_000),
      'stray end tags': '<a>'.repeat(200_000) + '</b>'.repeat(300_000),
      'a million attributes': `<p ${'a=1 '.repeat(1_000_000)}>text</p>`,
      'a million attributes of one name': `<p ${'class=x '.repeat(500_000)}>text</p>`,
      'unclosed tables': '<table><tr><td>x'.repeat(100_000),
      'line breaks': 'x<br><br>'.repeat(200_000),
      'blank runs': `<p>${'<b> </b>'.repeat(300_000)}x`,
      stars: `<p>${'*'.repeat(500_000)}</p><p>${'_a'.repeat(300_000)}</p>`,
      'long style': `<p style="${'overflow:hidden;'.repeat(100_000)}">x`,
      'open comment': '<!-- '.repeat(300_000),
      'open script': '<script>'.repeat(300_000),
      brackets: '<'.repeat(2_000_000),
      'one long word': 'a'.repeat(5_000_000),
      spaces: `${' '.repeat(4_000_000)}x`,
    };
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    for (const [name, page] of Object.entries(pages)) {
      const found = await pool
        .extract({ bytes: bytes(page), contentType: 'text/html' })
        .catch((thrown: Error) => thrown.message);
      expect(typeof found === 'string' ? `${name}: ${found}` : '').toBe('');
    }
    delay.disable();
    expect(delay.percentile(99) / 1e6).toBeLessThan(500);
  }, 300_000);
});
