import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTestGateway } from '../support/gateway/gateway.ts';
import { chromiumPath } from '../support/console/browser.ts';
import { createConsoleWorld, signUp, type ConsoleWorld } from '../support/console/world.ts';
import { XSS } from '../support/console/xss.ts';

const folder = mkdtempSync(join(tmpdir(), 'headgate-console-snapshots-'));
const file = join(folder, 'crawl.warc');
const body = `<!doctype html><title>Mills</title><article><h1>Mills</h1><p>The oldest mill of the valley was built in 1843 by two brothers.</p>${XSS.join('')}</article>`;
const message = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${body}`;
const record = (url: string): string =>
  `WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: ${url}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\nContent-Length: ${Buffer.byteLength(message)}\r\n\r\n${message}\r\n\r\n`;
writeFileSync(file, `${record('https://mill.example/')}${record('https://other.example/')}`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const config = { 'web.snapshot': [file, join(folder, 'nowhere.wacz')] };

test('the admin API lists the snapshots of the configuration, and nothing else can be named', async () => {
  const gateway = await createTestGateway({ config });
  expect((await gateway.admin('GET', '/snapshots')).body).toMatchObject({
    mode: 'live',
    snapshots: [
      { name: 'crawl.warc', exchanges: 2, pages: 2, failed: 0, problem: null },
      { name: 'nowhere.wacz', exchanges: 0, problem: 'missing' },
    ],
  });
  const list = await gateway.admin('GET', '/snapshots/exchanges?snapshot=0&contains=mill');
  expect(list.body).toMatchObject({
    total: 1,
    exchanges: [{ method: 'GET', url: 'https://mill.example/', status: 200 }],
  });
  const [{ id } = { id: 9 }] = list.body['exchanges'] as { id: number }[];
  expect((await gateway.admin('GET', `/snapshots/exchange?snapshot=0&id=${id}`)).body).toMatchObject({
    url: 'https://mill.example/',
    captured: body,
    extracted: expect.stringContaining('built in 1843') as unknown,
  });
  for (const path of ['exchanges?snapshot=1', 'exchanges?snapshot=7', 'exchange?snapshot=0&id=99'])
    expect((await gateway.admin('GET', `/snapshots/${path}`)).status).toBe(404);
  for (const named of [file, '../crawl.warc', '-1'])
    expect(
      (await gateway.admin('GET', `/snapshots/exchanges?snapshot=${encodeURIComponent(named)}`)).status,
    ).toBe(400);
  await gateway.close();
});

describe.skipIf(chromiumPath === undefined)('the page of snapshots', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await createConsoleWorld({ config });
    await signUp(world);
  });
  afterAll(() => world.close());
  afterEach(() => world.checkQuiet());

  test('shows a page as captured and as extracted, both as text', async () => {
    const page = await world.visit('snapshots');
    await page.getByText('not there yet').waitFor();
    await page.getByRole('button', { name: 'crawl.warc' }).click();
    await page.getByLabel('Addresses that contain').fill('mill');
    await page.getByRole('button', { name: 'GET https://mill.example/' }).click();
    await page.getByLabel('As extracted').waitFor();
    await expect.poll(() => page.getByLabel('As extracted').innerText()).toContain('built in 1843');
    await expect
      .poll(() => page.getByLabel('As captured').innerText())
      .toContain('<!doctype html><title>Mills</title>');
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(
      await page.locator('main :is(script, iframe, svg, img, video, style, [onerror], [onload])').count(),
    ).toBe(0);
  });
});
