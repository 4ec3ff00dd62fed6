import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { chromiumPath } from '../support/console/browser.ts';
import {
  createConsoleWorld,
  PASSWORD,
  settled,
  signUp,
  type ConsoleWorld,
} from '../support/console/world.ts';

/** The console in a real browser, as somebody uses it. The tests go on where the one before stopped. */
describe.skipIf(chromiumPath === undefined)('the console in a browser', () => {
  let world: ConsoleWorld;
  let agentId = '';
  let key = '';
  let reportPage = '';
  beforeAll(async () => {
    world = await createConsoleWorld();
  });
  afterAll(() => world.close());
  // No page may fail in silence, and none may run into its own security policy.
  afterEach(() => world.checkQuiet());

  test('before the first password it says where the setup link is', async () => {
    await world.page.goto(world.url);
    await world.page.getByText('Open the one-time link').waitFor();
    await expect.poll(() => world.page.getByRole('button').count()).toBe(0);
  });

  test('a setup link leads in; signing out and in again works; a wrong password is told', async () => {
    const { page } = world;
    await signUp(world);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Wrong name or password.').waitFor();
    // The browser itself reports the refused request.
    expect(world.complaints.splice(0).every((line) => line.includes('401'))).toBe(true);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  test('a workspace and an agent are made, and a tool that is switched on appears in its tools/list', async () => {
    const page = await world.visit('workspaces');
    await page.getByRole('button', { name: 'New workspace' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Field team');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'New agent' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Reader');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Web Search Tool' }).waitFor();
    [{ id: agentId = '' } = {}] = await world.gateway.store.agents.list();
    expect(await toolNames()).toEqual([]);

    const section = page.getByRole('region', { name: 'Web Search Tool' });
    await section.getByText('Give this agent search_web').click();
    await section.getByRole('radio', { name: /^Tavily/ }).check();
    await section.getByText('Unsaved changes').waitFor();
    await section.getByRole('button', { name: 'Save Web Search Provider' }).click();
    await section.getByText('Saved', { exact: true }).waitFor();
    expect(await toolNames()).toEqual(['search_web']);
  });

  test('agent spec 1.2: legacy settings are shown as what they mean, and switching off lasts', async () => {
    const { store } = world.gateway;
    const [workspace] = await store.accounts.workspaces();
    const old = await store.agents.create({
      workspace: workspace?.id ?? '',
      name: 'Old agent',
      settings: { enableTavilySearch: true, enableTavilyFetch: true },
    });
    const page = await world.visit(`agents/${old.id}`);
    const section = page.getByRole('region', { name: 'Web Fetch Tool' });
    await expect.poll(() => section.getByRole('switch').isChecked()).toBe(true);
    await expect.poll(() => section.getByRole('radio', { name: /^Tavily/ }).isChecked()).toBe(true);
    await section.getByText('Give this agent fetch_url').click();
    await section.getByRole('button', { name: 'Save URL Fetching Provider' }).click();
    await section.getByText('Saved', { exact: true }).waitFor();
    expect((await store.agents.get(old.id)).settings).toEqual({
      searchWebProvider: 'tavily',
      fetchWebProvider: null,
    });
  });

  test('agent spec 1.4: the help lists every tool, with why, parameters, price, limit and an example', async () => {
    const page = await world.visit(`agents/${agentId}`);
    await page.getByRole('button', { name: 'Tools help' }).click();
    for (const expected of [
      'Available (Tavily provider enabled)',
      'Not available (web fetch not enabled)',
      '$0.008 per call; 10 calls/day free on this tier, then refused.',
      '10 priced calls in a rolling day, counted by the hour, search and fetch together; 0 used.',
      'max_results',
      '"latest news about AI"',
      '"https://example.com/article"',
    ])
      await expect.poll(() => page.getByRole('dialog').innerText()).toContain(expected);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('a key is shown once, and works from a real client with the configuration that is shown', async () => {
    const page = await world.visit('keys');
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Label').fill('laptop');
    await dialog.getByLabel('Agent').selectOption({ label: 'Reader' });
    await dialog.getByRole('button', { name: 'Create' }).click();
    key = (await dialog.getByRole('region', { name: 'Your new key' }).innerText()).trim();
    expect(key).toMatch(/^hg_live_/);
    const url = `${world.url}/mcp/agents/${agentId}`;
    const headers = { Authorization: `Bearer ${key}` };
    const shown = dialog.getByRole('region', { name: 'Claude Connect a client' });
    expect(JSON.parse(await shown.innerText())).toEqual({
      mcpServers: { headgate: { type: 'http', url, headers } },
    });
    const command = await dialog.getByRole('region', { name: 'Claude command' }).innerText();
    expect(command).toBe(
      `claude mcp add --transport http headgate ${url} --header 'Authorization: Bearer ${key}'`,
    );
    await dialog.getByRole('tab', { name: 'Zed' }).click();
    expect(
      JSON.parse(await dialog.getByRole('region', { name: 'Zed Connect a client' }).innerText()),
    ).toEqual({
      context_servers: { headgate: { url, headers } },
    });
    await dialog.getByRole('tab', { name: 'stdio' }).click();
    expect(
      JSON.parse(await dialog.getByRole('region', { name: 'stdio Connect a client' }).innerText()),
    ).toEqual({
      mcpServers: {
        headgate: { command: 'headgate', args: ['mcp', '--gateway', url], env: { HEADGATE_API_KEY: key } },
      },
    });
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('cell', { name: /^laptop/ }).waitFor();
    // The dialog goes when its closing has been drawn.
    await expect.poll(() => page.content()).not.toContain(key);
    expect(await toolNames()).toEqual(['search_web']);
    expect((await search('tidal mills')).status).toBe(200);
  });

  test('a key without an agent also shows how a client starts this installation itself', async () => {
    const page = await world.visit('keys');
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Label').fill('desktop');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const note = dialog.getByText('A client on this machine can also start Headgate itself');
    await expect.poll(() => note.innerText()).toContain('node /opt/headgate/dist/main.cjs mcp');
    await page.keyboard.press('Escape');
  });

  test('a call of the agent over MCP is on the overview, with the agent and the tool', async () => {
    const text = await withClient(async (client) => {
      const result = await client.callTool({ name: 'search_web', arguments: { query: 'mills at sea' } });
      return (result.content as { text: string }[])[0]?.text;
    });
    expect(text).toContain('search result(s) for "mills at sea"');
    const page = await world.visit('overview');
    await page.getByRole('row', { name: /Reader search_web MCP ok .*tavily/ }).waitFor();
    await expect.poll(() => page.locator('.figure').first().innerText()).toMatch(/Calls\s+2/);
  });

  test('the call log is filtered, and a call shows its attempts, request and cost', async () => {
    const page = await world.visit('calls');
    await page.getByLabel('Outcome').selectOption('failed');
    await page.getByText('No calls.').waitFor();
    await page.getByLabel('Outcome').selectOption('ok');
    await page.getByText('More filters').click();
    await page.getByLabel('Operation').fill('search_web');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await settled(page);
    await page
      .getByRole('button', { name: /^Call: / })
      .first()
      .click();
    const [call] = (await world.gateway.store.calls.page({ operation: 'search_web' }, { limit: 1 })).calls;
    const shown = () => page.getByRole('dialog').textContent();
    await expect.poll(shown).toContain(call?.request ?? 'a call');
    await expect.poll(shown).toMatch(/search_web MCP.*tavily/);
    await page.keyboard.press('Escape');
  });

  test('the limit of the free tier is reached, and the page says so in words', async () => {
    for (let index = 2; index < 10; index += 1) expect((await search(`mill ${index}`)).status).toBe(200);
    const page = await world.visit('playground');
    await page.getByLabel('query *').fill('one too many');
    await page.getByText('More parameters').click();
    await page.locator('#field-provider').fill('tavily');
    await page.getByLabel('Counted for').selectOption({ label: 'Field team' });
    await page.getByRole('button', { name: 'Run' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: '10 of 10 calls used in the rolling day, counted by the hour' })
      .waitFor();
    await world.visit('overview');
    await page.getByText('10 of 10 free calls').waitFor();
    await page.getByText('Further priced calls are refused until a slot is free.').waitFor();
  });

  test('the playground shows results, data, what a model reads with its tokens, and the attempts', async () => {
    const page = await world.visit('playground');
    await page.getByLabel('query *').fill('rust programming');
    await page.getByRole('button', { name: 'Run' }).click();
    await page
      .getByRole('link', { name: /rust programming: / })
      .first()
      .waitFor();
    await expect.poll(() => page.locator('article.hit').count()).toBe(5);
    await page.getByRole('tab', { name: 'JSON' }).click();
    const data = JSON.parse(await page.getByRole('region', { name: 'JSON' }).innerText()) as {
      results: unknown[];
    };
    expect(data.results).toHaveLength(5);
    await page.getByRole('tab', { name: /Tool result \(\d+\)/ }).click();
    await page.getByText(/web_search of toolset “default” returns exactly this text: \d+ tokens/).waitFor();
    await page.getByRole('tab', { name: 'Attempts and cost' }).click();
    await page.getByRole('cell', { name: 'tavily' }).waitFor();
  });

  test('the playground answers without the cache, side by side, and from a link', async () => {
    const page = await world.visit('playground');
    const run = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Run' }).click();
      await page.locator('article.hit').first().waitFor();
    };
    await page.getByLabel('query *').fill('rust programming');
    await run();
    await page.getByText('cached', { exact: true }).waitFor();
    await page.getByText('Do not answer from the cache').click();
    await run();
    await page.getByText('cached', { exact: true }).waitFor({ state: 'detached' });
    await page.getByLabel('Side by side with').selectOption('DuckDuckGo');
    await run();
    await page.getByRole('heading', { name: 'duckduckgo' }).waitFor();
    await expect.poll(() => page.getByRole('region', { name: 'Result' }).count()).toBe(2);
    await page.getByText('Copy as').click();
    const command = await page.getByRole('region', { name: 'curl' }).innerText();
    expect(command).toContain(`curl ${world.url}/search`);
    expect(command).toContain(`-d '{"query":"rust programming"}'`);
    await page.reload();
    await settled(page);
    await expect.poll(() => page.getByLabel('query *').inputValue()).toBe('rust programming');
    await page.getByLabel('Earlier runs').selectOption({ index: 1 });
    await expect.poll(() => page.getByLabel('query *').inputValue()).toBe('rust programming');
  });

  test('a call that nobody pays for can be cancelled, and the upstream learns of it', async () => {
    const page = await world.visit('playground');
    world.gateway.sim.script('/tavily', [{ kind: 'hang' }]);
    await page.getByLabel('query *').fill('slow question');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled.').waitFor();
    await expect.poll(() => world.gateway.sim.load.active).toBe(0);
    world.gateway.sim.reset();
  });

  test('research in the playground shows its plan, sources and findings while it runs; two settings stand side by side', async () => {
    const page = await world.visit('playground/research');
    world.gateway.sim.script('/tavily', [{ kind: 'delay', ms: 300 }]);
    world.gateway.sim.script('/duckduckgo', [{ kind: 'delay', ms: 300 }]);
    await page.getByLabel('query *').fill('weirs of the Trent');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('heading', { name: 'Plan' }).waitFor();
    await page.getByRole('heading', { name: /^Sources \(\d+\)$/ }).waitFor();
    await page.locator('.cite').first().waitFor({ timeout: 30_000 });
    world.gateway.sim.reset();

    await world.visit('playground/search');
    await page.getByLabel('query *').fill('weirs of the Trent');
    await page.getByLabel('Side by side with').selectOption('other settings');
    await page.getByRole('group', { name: 'Second settings' }).getByLabel('max_results').fill('2');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('heading', { name: 'Second settings' }).waitFor();
    const results = page.getByRole('region', { name: 'Result' });
    await expect.poll(() => results.nth(1).locator('.hit').count()).toBe(2);
    await expect.poll(() => results.nth(0).locator('.hit').count()).toBeGreaterThan(2);
  });

  test('research is followed while it runs, and its report leads to the words it rests on', async () => {
    const page = await world.visit('research');
    await page.getByLabel('query *').fill('tidal mills');
    await page.getByRole('button', { name: 'Start research' }).click();
    await page.getByRole('heading', { name: 'tidal mills' }).waitFor();
    await page.getByText('Plan', { exact: true }).waitFor();
    await page.getByText('done', { exact: true }).waitFor({ timeout: 30_000 });
    await page.getByRole('heading', { name: 'Sources' }).waitFor();
    const cite = page.locator('.cite').first();
    await cite.hover();
    expect((await cite.locator('.quote').innerText()).length).toBeGreaterThan(20);
    const box = await cite.locator('.quote').boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 9_999)).toBeLessThanOrEqual(1_280);
    reportPage = new URL(page.url()).hash.slice(2);
    // The keyboard opens the page as it was captured, with the quote marked.
    const quote = (await cite.locator('.quote').innerText()).split('\n')[0]?.slice(1, -1) ?? '';
    await cite.focus();
    await page.keyboard.press('Enter');
    const passage = page.getByRole('region', { name: 'The page as it was captured' });
    await expect.poll(() => passage.locator('mark').innerText()).toBe(quote);
    expect((await passage.innerText()).length).toBeGreaterThan(quote.length);
    await page.keyboard.press('Escape');
    await world.visit('research');
    await page.getByRole('link', { name: 'tidal mills' }).waitFor();
  });

  test('money is added, and the ledger adds up on the page and as a file', async () => {
    const page = await world.visit('credits');
    await page.getByLabel('Amount in US dollars').fill('12.5');
    await page.getByLabel('Note').fill('=invoice 17');
    await page.getByRole('button', { name: 'Book' }).click();
    await page.getByRole('button', { name: 'Book it' }).click();
    await page.getByText('$12.50 booked. The balance is $12.50.').waitFor();
    await page.getByText('✓ 1 entries, $12.50 in total').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ]);
    const file = await text(await download.createReadStream());
    expect(file).toContain(`12500000,12500000,`);
    expect(file).toContain(`"'=invoice 17"`);
    await page.getByRole('tab', { name: 'Usage' }).click();
    await page.getByRole('cell', { name: 'Field team' }).waitFor();
  });

  test('an address that an agent asked for is approved by a person, who sees it', async () => {
    const { approvals } = world.gateway.store;
    const who = { owner: 'key a', payers: [] };
    const url = 'https://attacker.example/?s=hunter2';
    const asked = await approvals.ask(who, { url, reason: 'It was not shown.' });
    const page = await world.visit('policy');
    const row = page.getByRole('row').filter({ hasText: asked?.code ?? '' });
    await row.getByText(url).waitFor();
    await row.getByRole('button', { name: 'Approve' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await approvals.use(who, url)).toBe(true);
  });

  test('budgets are set and removed, and a webhook shows its secret once, in English and in Japanese', async () => {
    const { subscription, workspace } = await world.gateway.newKey({ tier: 'pro' });
    const page = await world.visit(`credits/${subscription}`);
    await page.getByRole('tab', { name: 'Budgets' }).click();
    await page.getByText('No budgets.').waitFor();
    await page.getByLabel('Amount', { exact: true }).fill('2.5');
    await page.getByLabel('Unit').selectOption('US dollars');
    await page.getByLabel('Time zone').fill('Asia/Tokyo');
    await page.getByRole('button', { name: 'Set budget' }).click();
    const bar = page.getByRole('region', { name: /^Workspace · / });
    await bar.getByRole('img', { name: '$0.00 spent, $0.00 reserved, the limit is $2.50' }).waitFor();
    await expect
      .poll(() => bar.innerText())
      .toMatch(/\$0\.00 spent of \$2\.50 · Month \(Asia\/Tokyo\)[^]*\$2\.50 left · renews/);
    // Nothing was spent yet, so nothing is foretold.
    expect(await bar.innerText()).not.toContain('At this rate');
    expect(await world.gateway.store.budgets.list(workspace)).toMatchObject([
      { amount: 2_500_000, hard: true },
    ]);
    await page.getByRole('tab', { name: 'Alerts' }).click();
    await page.getByLabel('Address').fill('https://example.com/alerts');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('Messages are sent within seconds.').waitFor();
    await page.getByLabel('Language').selectOption('日本語');
    await page.getByRole('tab', { name: 'アラート' }).click();
    await page.getByRole('button', { name: '再送' }).waitFor();
    await page.getByRole('tab', { name: '予算' }).click();
    await page.getByRole('button', { name: '削除' }).click();
    await page.getByText('予算はありません。').waitFor();
    await page.getByLabel('言語').selectOption('English');
  });

  test('requests in doubt are listed with what they may have cost, and resolved, in English and in Japanese', async () => {
    const { gateway } = world;
    const { key: payer, subscription } = await gateway.newKey({ tier: 'pro' });
    gateway.sim.script('/tavily', [{ kind: 'reset', times: 2 }]);
    for (const query of ['lost mill', 'lost wheel']) {
      const asked = { query, provider: 'tavily' };
      await gateway.post('/search', asked, { authorization: `Bearer ${payer}` });
    }
    const page = await world.visit(`credits/${subscription}`);
    await page.getByRole('tab', { name: 'In doubt' }).click();
    await page.getByText('No workspace was charged, but the provider may have billed you.').waitFor();
    const rows = page.getByRole('row', { name: /search · tavily · Test · .* 1 \$0\.008/ });
    await rows.nth(1).waitFor();
    await rows
      .first()
      .getByRole('button', { name: /^Billed/ })
      .click();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByLabel('Language').selectOption('日本語');
    await page.getByRole('tab', { name: '未確定' }).click();
    await page.getByText('プロバイダーから請求されている可能性があります。').waitFor();
    await page.getByRole('button', { name: '請求されていない' }).click();
    await page.getByText('未確定のものはありません。').waitFor();
    await page.getByLabel('言語').selectOption('English');
    expect((await gateway.store.doubts.list({ subscription, all: true })).map((one) => one.verdict)).toEqual([
      'billed',
      'not_billed',
    ]);
    expect(await gateway.store.accounts.subscription(subscription)).toMatchObject({
      balance: 0,
      reserved: 0,
    });
  });

  test('a revoked key is refused from the next call on', async () => {
    const page = await world.visit('keys');
    await page.getByRole('button', { name: 'Revoke: laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    expect((await search('again')).status).toBe(401);
  });

  test('settings show where values come from, ask a provider, and the audit names who did what', async () => {
    const page = await world.visit('settings/config');
    await page.getByRole('cell', { name: 'providers.tavily.base_url', exact: true }).waitFor();
    expect(await page.content()).not.toContain('tvly-operator-key');
    await world.visit('settings/providers');
    await page.getByRole('button', { name: 'Test: DuckDuckGo' }).click();
    await page.getByText(/Answered in \d+ ms/).waitFor();
    await world.visit('settings/audit');
    await page.getByRole('row', { name: /admin .*revoked the key/ }).waitFor();
    await page.getByRole('row', { name: /admin sign-in refused/ }).waitFor();
  });

  test('the language and the theme are chosen, and stay chosen', async () => {
    const page = await world.visit('overview');
    await page.getByLabel('Language').selectOption('日本語');
    await page.getByRole('heading', { name: '概要' }).waitFor();
    await page.getByLabel('明るさ').selectOption('dark');
    await page.reload();
    await page.getByRole('heading', { name: '概要' }).waitFor();
    expect(
      await page.evaluate('document.documentElement.lang + document.documentElement.dataset.theme'),
    ).toBe('jadark');
    await page.getByLabel('言語').selectOption('English');
    await page.getByLabel('Theme').selectOption('light');
  });

  test('everything can be reached with the keyboard', async () => {
    const page = await world.visit('overview');
    // A page that was just loaded has its focus before everything; after a blur, browsers go on from where it was.
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
    await world.visit('playground');
    await page.getByRole('tab', { name: 'Search', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByLabel('urls *').waitFor();
  });

  test('on a phone nothing of the report is wider than the screen', async () => {
    await world.page.setViewportSize({ width: 390, height: 844 });
    const page = await world.visit('settings');
    // The open section is last in a strip that is wider than the screen.
    await expect
      .poll(() => page.evaluate("document.querySelector('nav [aria-current]').getBoundingClientRect().right"))
      .toBeLessThanOrEqual(390);
    await world.visit(reportPage);
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  test('a session that ended leads back to the door', async () => {
    const page = await world.visit('overview');
    await world.gateway.store.database.write([{ sql: 'DELETE FROM sessions' }]);
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await settled(page);
    // The browser itself reports the refused requests.
    expect(world.complaints.splice(0).every((line) => line.includes('401'))).toBe(true);
  });

  const search = (query: string) =>
    fetch(`${world.url}/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, provider: 'tavily' }),
    });

  /** A real client at the agent's own MCP endpoint. */
  async function withClient<Value>(use: (client: Client) => Promise<Value>): Promise<Value> {
    const client = new Client({ name: 'test', version: '1' });
    const headers = new Headers(key === '' ? {} : { authorization: `Bearer ${key}` });
    const address = new URL(`${world.url}/mcp/agents/${agentId}`);
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
    return use(client).finally(() => client.close());
  }

  const toolNames = (): Promise<string[]> =>
    withClient(async (client) => {
      const { tools } = await client.listTools().catch(() => ({ tools: [] }));
      return tools.map((tool) => tool.name);
    });
});

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
