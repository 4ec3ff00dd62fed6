import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { challengeOf } from '../../src/store/grants.ts';
import { chromiumPath, startBrowser, type TestBrowser } from '../support/console/browser.ts';
import {
  createSingleSignOnWorld,
  DOCUMENT,
  PASSWORD,
  REDIRECT,
  type SingleSignOnWorld,
} from '../support/gateway/sign-in.ts';

describe.skipIf(chromiumPath === undefined)('consent in a browser', () => {
  let world: SingleSignOnWorld;
  let browser: TestBrowser;
  beforeAll(async () => {
    world = await createSingleSignOnWorld();
    browser = await startBrowser();
    await browser.context.route('http://localhost:7777/**', (route) =>
      route.fulfill({ contentType: 'text/plain', body: 'Back at the client.' }),
    );
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  const url = (): string =>
    `${world.url}/oauth/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: DOCUMENT,
      redirect_uri: REDIRECT,
      code_challenge: challengeOf('v'.repeat(43)),
      code_challenge_method: 'S256',
      resource: `${world.url}/mcp`,
      state: 'kept',
    }).toString()}`;

  test('somebody signs in through an identity provider at another site, and is back at the consent', async () => {
    const { page } = browser;
    await page.goto(url());
    const link = page.getByRole('link', { name: 'Sign in with localhost' });
    await link.waitFor();
    if (process.env['SCREENSHOTS_TO'] !== undefined)
      await page.screenshot({ path: `${process.env['SCREENSHOTS_TO']}/sign-in-provider.png` });
    world.provider.accounts.set('stranger', { email: 'stranger@team.example', email_verified: true });
    world.provider.person = 'stranger';
    await link.click();
    await page.getByRole('alert').getByText('nobody has invited you here yet').waitFor();
    await browser.context.clearCookies();
    world.provider.person = 'mira';
    await page.goto(url());
    await link.click();
    await page.getByText('“Claude” wants to search').waitFor();
    expect(page.url()).toMatch(/\/#\/consent\/[\w-]+$/);
    await browser.context.clearCookies();
  });

  test('a client sends somebody who is not signed in; they sign in, see who asks, allow it, and go back', async () => {
    const { page } = browser;
    await page.goto(url());
    await page.getByLabel('Name').fill('alice');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('“Claude” wants to search').waitFor();
    await page.getByText(DOCUMENT).waitFor();
    await page.getByText('http://localhost:7777').waitFor();
    await page.getByLabel('crawl sites').uncheck();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 860 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide).toBeLessThanOrEqual(0);
      if (process.env['SCREENSHOTS_TO'] !== undefined)
        await page.screenshot({ path: `${process.env['SCREENSHOTS_TO']}/consent-${width}.png` });
    }
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByText('Back at the client.').waitFor();
    const back = new URL(page.url());
    expect(back.searchParams.get('state')).toBe('kept');
    expect(back.searchParams.get('iss')).toBe(world.url);
    expect(back.searchParams.get('code')).toMatch(/^hg_oac_/);
    expect(browser.complaints).toEqual([]);
  });

  test('in Japanese, with a refusal', async () => {
    const { page } = browser;
    await page.goto(url());
    await page.getByLabel('Language').selectOption('ja');
    await page.getByText('「Claude」が alice さんに代わって').waitFor();
    if (process.env['SCREENSHOTS_TO'] !== undefined)
      await page.screenshot({ path: `${process.env['SCREENSHOTS_TO']}/consent-ja.png` });
    await page.getByRole('button', { name: '許可しない' }).click();
    await page.getByText('Back at the client.').waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });
});
