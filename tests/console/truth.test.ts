import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/console/browser.ts';
import { createTestGateway } from '../support/gateway/gateway.ts';
import { freePorts } from '../support/proxy.ts';
import { createConsoleWorld, settled, signUp, type ConsoleWorld } from '../support/console/world.ts';

/** What the console shows is so: of providers, of money, of addresses, and while the gateway is gone. */
describe.skipIf(chromiumPath === undefined)('what the console shows', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    // It is stopped and started again at the same address, which nobody else may get meanwhile.
    const [port = 0] = await freePorts(1);
    const config = { 'providers.tavily.api_key': 'tvly-operator-key', 'search.retries': 0 };
    world = await createConsoleWorld({ config: { ...config, 'server.port': port } });
    await signUp(world);
  });
  afterAll(() => world.close());

  const cardOf = async (hash: string): Promise<string> =>
    (await world.visit(hash)).locator('main').innerText();

  test('nobody is said to work before somebody asked', async () => {
    const text = await cardOf('overview');
    expect(text).toContain('Not called yet');
    expect(text).toContain('Not called in the last 15 minutes.');
    expect(text).not.toContain('Working');
  });

  test('a test that fails turns the badge beside it, in English and in Japanese', async () => {
    world.gateway.sim.script('/duckduckgo', [{ kind: 'status', status: 503, times: 'always' }]);
    const page = await world.visit('settings/providers');
    await page.getByRole('button', { name: 'Test: DuckDuckGo' }).click();
    const row = page.getByRole('row', { name: /DuckDuckGo/ });
    await row.getByText('Not working').waitFor();
    await expect.poll(() => row.innerText()).toContain('HTTP 503');
    expect(await cardOf('overview')).toMatch(
      /DuckDuckGo\s+Not working\s+1 of the last 1 attempts failed\. .*503/,
    );

    await page.getByLabel('Language').selectOption('ja');
    await page.getByLabel('言語').waitFor();
    await settled(page);
    expect(await cardOf('overview')).toMatch(
      /DuckDuckGo\s+停止中\s+直近の 1 回の試行のうち 1 回が失敗しました。/,
    );
    expect(await cardOf('overview')).toMatch(/Tavily\s+未確認\s+直近15分間は問い合わせがありません。/);
    await page.getByLabel('言語').selectOption('English');
    world.gateway.sim.reset();
  });

  test('a provider shows its last success, its error rate and its p95', async () => {
    const page = await world.visit('settings/providers');
    const row = page.getByRole('row', { name: /Tavily/ }).last();
    await row.getByRole('button', { name: 'Test: Tavily', exact: true }).click();
    await row.getByText('Working').waitFor();
    await expect
      .poll(() => row.innerText())
      .toMatch(/Last success .* · 0 % failed in 15 minutes · p95 \d+ ms/);
  });

  test('a key that is set elsewhere is tested here, and changed there', async () => {
    const page = await world.visit('settings/providers');
    const row = page.getByRole('row', { name: /Tavily Key 1/ });
    await row.getByRole('button', { name: 'Test: Tavily 1' }).click();
    await row.getByText('Accepted').waitFor();
    await expect
      .poll(() => row.innerText())
      .toMatch(/Set by --providers\.tavily\.api_key; change it there\.[^]*850 credits left at/);
    await expect
      .poll(() => page.locator('main').innerText())
      .toContain('provider_keys_file = "provider-keys.toml"');
    await expect.poll(() => page.getByRole('button', { name: 'Add key' }).count()).toBe(0);
  });

  test('an address without a page says so', async () => {
    const page = await world.visit('nonsense');
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await expect.poll(() => page.locator('main').innerText()).toContain('#/nonsense');
    await expect.poll(() => page.locator('nav [aria-current=page]').count()).toBe(0);
  });

  test('money is booked after a look at both balances; a large sum is typed again, and nothing is booked by 0', async () => {
    const { accounts, reports } = world.gateway.store;
    const { subscription } = await accounts.createWorkspace({ name: 'Mill', tier: 'pro' });
    const page = await world.visit(`credits/${subscription}`);
    const ask = async (amount: string, note = '') => {
      await page.getByLabel('Amount in US dollars').fill(amount);
      await page.getByLabel('Note').fill(note);
      await page.getByRole('button', { name: 'Book', exact: true }).click();
    };
    const dialog = page.getByRole('dialog');
    await ask('0');
    await page.getByText('The amount is 0.').waitFor();
    await ask('1e9');
    await expect
      .poll(() => dialog.innerText())
      .toMatch(/Balance now\s+\$0\.00[^]*Balance after\s+\$1,000,000,000\.00/);
    const confirm = dialog.getByRole('button', { name: 'Book it' });
    await expect.poll(() => confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('Type the amount again').fill('100000000');
    await expect.poll(() => confirm.isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await reports.ledger({ subscription })).entries).toEqual([]);
    await ask('20', 'invoice 17');
    await confirm.click();
    await page.getByText('$20.00 booked. The balance is $20.00.').waitFor();
    await expect.poll(() => page.getByLabel('Amount in US dollars').inputValue()).toBe('');
    await ask('-5');
    await confirm.click();
    await page.getByRole('cell', { name: 'correction' }).waitFor();
    expect((await reports.ledger({ subscription })).entries.map((one) => one.amount)).toEqual([
      -5_000_000, 20_000_000,
    ]);
  });

  test('the ledger is searched by the gateway, not on the page', async () => {
    const { accounts } = world.gateway.store;
    const { subscription } = await accounts.createWorkspace({ name: 'Ferry', tier: 'pro' });
    await accounts.topUp({ subscription, amount: 7_000_000, note: 'invoice 18' });
    for (let count = 0; count < 101; count += 1) await accounts.topUp({ subscription, amount: 1_000 });
    const page = await world.visit(`credits/${subscription}`);
    await expect.poll(() => page.getByRole('row').count()).toBe(101);
    await page.getByLabel('Words').fill('Invoice');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('cell', { name: 'invoice 18' }).waitFor();
    await page.getByText('1 entries shown, $7.00 in total.').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    expect([lines.length, lines[1]?.includes('invoice 18')]).toEqual([2, true]);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByLabel('Order').selectOption('largest first');
    await page.getByRole('row').nth(1).filter({ hasText: 'invoice 18' }).waitFor();
    await page.getByLabel('Kind').selectOption('charge');
    await page.getByText('No ledger entries.').waitFor();
  });

  test('the overview follows calls as they come; a bar shows its values to mouse and keyboard and selects its calls', async () => {
    const { gateway } = world;
    const { key } = await gateway.newKey({ tier: 'pro' });
    const ask = (query: string, provider: string) =>
      gateway.post('/search', { query, provider }, { authorization: `Bearer ${key}` });
    const page = await world.visit('overview');
    const figure = (name: string) => page.locator('.figure').filter({ hasText: name }).first();
    const before = Number((await figure('Calls').locator('.value').innerText()).trim());
    for (const query of ['weir', 'sluice', 'lock']) expect((await ask(query, 'tavily')).status).toBe(200);
    // A failed call of this test: one of an earlier test may be in an earlier bar.
    gateway.sim.script('/duckduckgo', [{ kind: 'status', status: 503, times: 'always' }]);
    expect((await ask('flume', 'duckduckgo')).status).toBeGreaterThan(499);
    gateway.sim.reset();
    await expect
      .poll(async () => Number(await figure('Calls').locator('.value').innerText()))
      .toBe(before + 4);
    await expect.poll(() => figure('Time, p95').innerText()).toMatch(/\d+ ms/);

    const chart = page.getByRole('slider', { name: /Calls over time: \d+ calls/ });
    await chart.focus();
    await page.keyboard.press('End');
    await expect.poll(() => chart.getAttribute('aria-valuetext')).toMatch(/Calls: \d+, .*tavily \d+/);
    await expect.poll(() => page.locator('.tip').innerText()).toMatch(/Calls: \d+[^]*tavily/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Outcome', exact: true }).click();
    await page.getByRole('button', { name: 'failed', exact: true }).click();
    await expect.poll(() => page.getByRole('row', { name: /tavily/ }).count()).toBe(0);
    await page
      .getByRole('row', { name: /search .* failed/ })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'All calls' }).click();
    await page.getByRole('heading', { name: 'Calls' }).waitFor();
    await expect.poll(() => page.getByLabel('Outcome').inputValue()).toBe('failed');
    await world.visit('overview/90d');
    await expect.poll(() => page.getByLabel('Period').inputValue()).toBe('90d');
  });

  test('a call shows its attempts on a time line, and Ctrl+K leads anywhere', async () => {
    const page = await world.visit('calls');
    await page
      .getByRole('button', { name: /^Call: / })
      .last()
      .click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.locator('.fall').innerText()).toMatch(/duckduckgo[^]*failed[^]*ms/);
    await expect.poll(() => dialog.innerText()).toContain('cannot be made again from here');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Page, workspace/ }).fill('lib');
    await page.getByRole('option', { name: /Library/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Library' }).waitFor();
  });

  test('when the gateway stops the page says so in its own words, keeps what it shows, and goes on by itself', async () => {
    const { gateway } = world;
    const page = await world.visit('credits');
    await page.getByText('invoice 18').or(page.getByText('invoice 17')).first().waitFor();
    await gateway.stop();
    const banner = page.locator('.gone');
    await banner.getByText('What you see is from').waitFor();
    const rows = await page.getByRole('row').count();
    expect(rows).toBeGreaterThan(1);
    await page.getByLabel('Language').selectOption('日本語');
    await banner.getByText('ゲートウェイが応答しません。').waitFor();
    expect(await page.getByRole('row').count()).toBe(rows);
    expect(await page.content()).not.toContain('Failed to fetch');
    await page.getByLabel('言語').selectOption('English');
    const config = { 'server.port': Number(new URL(world.url).port), 'providers.tavily.api_key': 'tvly' };
    const next = await createTestGateway({ after: gateway, config });
    await next.listen();
    await banner.waitFor({ state: 'detached' });
    expect(await page.getByRole('row').count()).toBe(rows);
    // What Chromium itself says of a server that stops: a connection that ends, or a refusal of its last moment.
    const isOfStop = (line: string): boolean => /net::ERR_|status of 503/.test(line);
    expect(world.complaints.splice(0).filter((line) => !isOfStop(line))).toEqual([]);
    await next.stop();
  });
});
