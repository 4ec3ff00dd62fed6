import { afterEach, expect, test } from 'vitest';
import { createExtractPool, type ExtractPool, type PoolOptions } from '../../src/extract/pool.ts';
import { extractPage } from '../../src/extract/page.ts';
import { pdfBomb, pdfOf, slowPdf } from '../support/pdf-file.ts';
import { sized } from '../support/sized.ts';

/** PDFs are read in processes of their own: what a thread's limits do not see, buffers, counts there too. */

const open: ExtractPool[] = [];
const createPool = (options: PoolOptions = {}): ExtractPool => {
  const pool = createExtractPool({ timeoutMs: 60_000, ...options });
  open.push(pool);
  return pool;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((pool) => pool.close()));
});
const page = (bytes: Uint8Array) => ({
  bytes,
  contentType: 'application/pdf',
  url: 'https://a.example/mill.pdf',
});
const BOMB = pdfBomb(400);
const MILL = 'The mill on the river has ground wheat since 1742.';

test('a PDF is read with all its pages, and the next one by the same process', async () => {
  const pool = createPool();
  const begun = performance.now();
  const found = await pool.extract(page(pdfOf([MILL, 'The second page.'])));
  expect(found).toMatchObject({ kind: 'pdf', quality: 'ok', title: 'mill.pdf' });
  expect(found.text).toBe(`[p. 1]\n\n${MILL}\n\n[p. 2]\n\nThe second page.`);
  const firstMs = performance.now() - begun;
  const times: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const started = performance.now();
    expect((await pool.extract(page(pdfOf([MILL])))).text).toBe(MILL);
    times.push(performance.now() - started);
  }
  // Starting a process takes longer than reading a page.
  expect(Math.min(...times)).toBeLessThan(firstMs / 2);
}, 120_000);

test('a small PDF that unfolds to much memory is ended at its bound, in words, and the next one is read', async () => {
  expect(BOMB.length).toBeLessThan(2_000_000);
  const pool = createPool({ memoryMb: 200 });
  await expect(pool.extract(page(BOMB))).rejects.toMatchObject({
    code: 'extract_failed',
    message: 'The PDF needs more than the 200 MB of memory that a PDF may have.',
  });
  expect((await pool.extract(page(pdfOf([MILL])))).text).toBe(MILL);
}, 120_000);

test('several callers with such PDFs do not make this process larger', async () => {
  const pool = createPool({ memoryMb: 200 });
  const before = process.memoryUsage.rss();
  let most = 0;
  const looking = setInterval(() => (most = Math.max(most, process.memoryUsage.rss() - before)), 5);
  const callers = sized('callers with PDFs that unfold', { small: 2, large: 4, full: 4 });
  const answers = await Promise.allSettled(Array.from({ length: callers }, () => pool.extract(page(BOMB))));
  clearInterval(looking);
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: callers }, () => 'rejected'));
  expect(most).toBeLessThan(150 * 1024 * 1024);
}, 120_000);

test('a PDF that takes too long is ended, and a cancelled one, too', async () => {
  const hasty = createPool({ timeoutMs: 1 });
  await expect(hasty.extract(page(pdfOf([MILL])))).rejects.toMatchObject({
    message: 'The PDF could not be read within 1 ms.',
  });
  const pool = createPool();
  const gone = new AbortController();
  const reading = pool.extract(page(pdfOf([MILL])), {}, gone.signal);
  gone.abort();
  await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
}, 120_000);

test('at the deadline the pages that were read are the answer, and it says which', async () => {
  const pool = createPool({ timeoutMs: 3_000 });
  const found = await pool.extract(page(slowPdf([MILL, 'The second page.'])));
  expect(found).toMatchObject({
    quality: 'ok',
    warnings: ['truncated: pages 1–2 of 4 were read'],
  });
  expect(found.text).toContain(MILL);
  expect(found.text).toContain('The second page.');
  expect((await pool.extract(page(pdfOf([MILL])))).text).toBe(MILL);
}, 120_000);

test('a program that reads pages without a pool reads PDFs apart, too', async () => {
  expect((await extractPage(page(pdfOf([MILL])))).text).toBe(MILL);
}, 120_000);

test('a damaged PDF fails as what it is', async () => {
  await expect(
    createPool().extract(page(new TextEncoder().encode('%PDF-1.7 nothing'))),
  ).rejects.toMatchObject({
    code: 'extract_failed',
    message: 'The PDF cannot be read: it is damaged or locked.',
  });
}, 120_000);
