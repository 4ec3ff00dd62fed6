import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sized } from '../support/sized.ts';
import { chromiumPath } from '../support/console/browser.ts';
import { createConsoleWorld, settled, signUp, type ConsoleWorld } from '../support/console/world.ts';
import { XSS } from '../support/console/xss.ts';

describe.skipIf(chromiumPath === undefined)('the console is safe and can be used by everybody', () => {
  let world: ConsoleWorld;
  let workspace = { id: '', subscription: '' };
  let agentId = '';
  let reportPage = '';
  beforeAll(async () => {
    world = await createConsoleWorld();
    await signUp(world);
    workspace = await world.gateway.store.accounts.createWorkspace({ name: 'Field team', tier: 'pro' });
    const settings = { searchWebProvider: 'tavily', fetchWebProvider: 'headgate' };
    agentId = (await world.gateway.store.agents.create({ workspace: workspace.id, name: 'Reader', settings }))
      .id;
    await world.gateway.store.keys.create({ workspace: workspace.id, label: 'laptop' });
    const page = await world.visit('research');
    await page.getByLabel('query *').fill('tidal mills');
    await page.getByRole('button', { name: 'Start research' }).click();
    await page.locator('.cite').first().waitFor({ timeout: 30_000 });
    reportPage = new URL(page.url()).hash.slice(2);
  });
  afterAll(() => world.close());
  // No page may fail in silence, and none may run into its own security policy.
  afterEach(() => world.checkQuiet());

  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  /** Serious and critical findings, each with the first place. */
  async function findings(rules: object): Promise<string[]> {
    await world.page.evaluate(axe);
    const { violations, passes } = (await world.page.evaluate(
      `axe.run(document, ${JSON.stringify(rules)})`,
    )) as {
      violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
      passes: unknown[];
    };
    // A check that saw nothing would pass.
    expect(passes.length).toBeGreaterThan(0);
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
  }
  const ALL = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] };

  const THEMES: [theme: string, rules: object][] = [
    ['light', ALL],
    // In the dark only the colours are other ones.
    ['dark', { runOnly: { type: 'rule', values: ['color-contrast'] } }],
  ];
  const themes = sized('themes in which axe looks at the console', { small: 1, large: 2, full: 2 });
  test.each(THEMES.slice(0, themes))(
    'axe finds nothing serious in a report, in dialogs and in answers, %s',
    { timeout: 60_000 },
    async (theme, rules) => {
      const { page } = world;
      await world.visit('overview');
      await page.getByLabel('Theme').selectOption(theme);
      const found: Record<string, string[]> = {};
      // The pages themselves are looked at by every-page.test.ts.
      const places: [name: string, open: () => Promise<unknown>][] = [
        ['report', () => world.visit(reportPage)],
        [
          'new key',
          async () => {
            await world.visit('keys');
            await page.getByRole('button', { name: 'New key' }).click();
          },
        ],
        [
          'agent with its help',
          async () => {
            await world.visit(`agents/${agentId}`);
            await page.getByRole('button', { name: 'Tools help' }).click();
          },
        ],
        [
          'playground',
          async () => {
            await world.visit('playground');
            await page.getByLabel('query *').fill('tidal mills');
            await page.getByText('More parameters').click();
            await page.getByRole('button', { name: 'Run' }).click();
            await page.locator('article.hit').first().waitFor();
          },
        ],
      ];
      const count = sized('reports, dialogs and answers that axe looks at', { small: 2, large: 4, full: 4 });
      for (const [name, open] of places.slice(0, count)) {
        await open();
        found[name] = await findings(rules);
      }
      expect(Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0))).toEqual({});
    },
  );

  /** Nothing ran, nothing became an element, and what was written is there to read. */
  async function expectOnlyText(payloads: string[], where: string): Promise<void> {
    const { page } = world;
    await page.mouse.move(600, 400);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    const made =
      'main :is(script, iframe, object, embed, svg, math, style, link, meta, base, img, video, audio, form[action], [onerror], [onload], [onclick], [onmouseover], [onfocus])';
    expect(await page.locator(made).count()).toBe(0);
    expect(await page.locator('main a:not([href^="http"], [href^="#"], [href^="/console/"])').count()).toBe(
      0,
    );
    const text = (await page.locator(where).allInnerTexts()).join('\n');
    const missing = payloads.filter((payload) => !squeeze(text).includes(squeeze(payload)));
    expect(missing).toEqual([]);
  }
  const squeeze = (text: string): string => text.replace(/\s+/g, '');

  test(`XSS: ${XSS.length} payloads in titles, snippets, addresses and pages stay text`, async () => {
    expect(XSS.length).toBeGreaterThanOrEqual(50);
    const results = XSS.map((payload, index) => ({
      url:
        index % 2 === 0
          ? `https://evil.example/${index}?${payload}`
          : `javascript:window.pwned=${index}//${payload}`,
      title: payload,
      content: payload,
      raw_content: `${payload}\n\n[click](javascript:window.pwned=1)\n\n[${payload}](data:text/html,${payload})\n\n# ${payload}`,
      score: 0.5,
      provider: payload,
      trust: 'untrusted_web',
    }));
    const output = {
      query: 'x',
      answer: XSS.join('\n\n'),
      images: [],
      results,
      cached: false,
      credits: 0,
      response_time: 1,
      outcome: 'ok',
      attempts: [{ provider: XSS[0], ms: 1, outcome: 'ok', reason: XSS[1] }],
      warnings: XSS.slice(0, 5),
    };
    const line = JSON.stringify({
      done: { output, mcp: { tool: 'web_search', toolset: 'default', tokens: 1, text: XSS.join('\n') } },
    });
    const { page } = world;
    await page.route('**/console/run/search', (route) =>
      route.fulfill({ body: `${line}\n`, contentType: 'application/x-ndjson' }),
    );
    await world.visit('playground');
    await page.getByLabel('query *').fill('x');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('article.hit').last().waitFor();
    await page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))");
    await expectOnlyText(XSS, 'article.hit');
    for (const tab of [/Tool result/, 'Attempts and cost', 'JSON'])
      await page.getByRole('tab', { name: tab }).click();
    await expectOnlyText([], 'main');
    await page.unroute('**/console/run/search');
  });

  const asked = sized('hostile questions to the playground', { small: 1, large: 3, full: 3 });
  test('XSS: the same payloads as a question, through the gateway and the simulator, stay text', async () => {
    const page = await world.visit('playground');
    for (const payload of XSS.filter((one) => one.includes('<')).slice(0, asked)) {
      await page.getByLabel('query *').fill(payload.slice(0, 300));
      await page.getByRole('button', { name: 'Run' }).click();
      await page.locator('article.hit').first().waitFor();
      await expect.poll(() => page.locator('article.hit').first().innerText()).toContain('<');
      await expectOnlyText([], 'main');
    }
  });

  test('XSS: names of agents, workspaces and keys and notes of bookings stay text', async () => {
    const { store } = world.gateway;
    const names = XSS.filter(
      (payload) => !/[\n\r\t\u0000-\u001f\u200b-\u202e]/.test(payload) && payload.length <= 200,
    );
    expect(names.length).toBeGreaterThanOrEqual(45);
    const hostile = await store.accounts.createWorkspace({ name: names[0] ?? '', tier: 'pro' });
    const agents: string[] = [];
    for (const name of names) agents.push((await store.agents.create({ workspace: hostile.id, name })).id);
    for (const label of names.slice(0, 10)) await store.keys.create({ workspace: hostile.id, label });
    for (const note of names.slice(0, 10))
      await store.accounts.topUp({ subscription: hostile.subscription, amount: 1, note });
    await world.visit('workspaces');
    await expectOnlyText(names, '.agent');
    await world.visit('keys');
    await expectOnlyText(names.slice(0, 10), 'td');
    await world.visit(`credits/${hostile.subscription}`);
    await expectOnlyText(names.slice(0, 10), 'td');
    const page = await world.visit(`agents/${agents[0]}`);
    await page.getByRole('button', { name: 'Tools help' }).click();
    await expectOnlyText(names.slice(0, 1), 'h1');
  });

  test('another site can neither frame the console nor write with the visitor’s cookie', async () => {
    const page = await world.context.newPage();
    const { url } = world;
    const evil = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe id="frame" src="${url}/"></iframe>
        <form method="post" action="${url}/admin/workspaces" enctype="text/plain"><input name='{"name":"forged","x":"' value='"}'></form>`);
    });
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    try {
      const before = (await world.gateway.store.accounts.workspaces()).length;
      await page.goto(`http://localhost:${(evil.address() as AddressInfo).port}/`);
      const frame = await (await page.waitForSelector('#frame')).contentFrame();
      expect(await frame?.locator('#app').count()).toBe(0);
      const answers = await page.evaluate(
        `Promise.all(['/admin/workspaces', '/console/sign-out', '/console/run/search'].map((path) =>
          fetch('${url}' + path, { method: 'POST', credentials: 'include', headers: { 'content-type': 'text/plain' }, body: '{"name":"forged"}' })
            .then((response) => response.status, () => 'refused')))`,
      );
      expect(answers).toEqual(['refused', 'refused', 'refused']);
      await Promise.all([page.waitForNavigation(), page.evaluate("document.querySelector('form').submit()")]);
      await expect.poll(() => page.locator('body').innerText()).toContain('may not call this gateway');
      expect((await world.gateway.store.accounts.workspaces()).length).toBe(before);
      await world.visit('keys');
    } finally {
      evil.close();
      await page.close();
    }
    // The foreign page's own failures are what was wanted.
    world.complaints.splice(0);
  });

  test('axe finds nothing serious at the door', async () => {
    const page = await world.visit('overview');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await settled(page);
    expect(await findings(ALL)).toEqual([]);
  });
});
