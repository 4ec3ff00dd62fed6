import type { Page } from 'playwright-core';
import { createTestGateway, type TestGateway } from '../gateway/gateway.ts';
import { startBrowser, type TestBrowser } from './browser.ts';

export const PASSWORD = 'correct horse battery';

/** A gateway on the simulator that listens, and a browser in front of it. */
export interface ConsoleWorld extends TestBrowser {
  gateway: TestGateway;
  url: string;
  /** Goes to a page of the console and waits until it has loaded what it shows. */
  visit(hash: string): Promise<Page>;
  /** Throws what the page complained about since the last time. */
  checkQuiet(): void;
}

export async function createConsoleWorld(
  options: Parameters<typeof createTestGateway>[0] = {},
): Promise<ConsoleWorld> {
  const gateway = await createTestGateway({
    config: { 'providers.tavily.api_key': 'tvly-operator-key', 'search.retries': 0 },
    ...options,
  });
  const { url } = await gateway.listen();
  const browser = await startBrowser();
  const { page } = browser;
  return {
    ...browser,
    gateway,
    url,
    checkQuiet: () => {
      const found = browser.complaints.splice(0);
      if (found.length > 0) throw new Error(`The page complained:\n${found.join('\n')}`);
    },
    visit: async (hash) => {
      const address = `${url}/#/${hash}`;
      if (page.url() === address) await page.reload();
      else await page.goto(address);
      // When only the hash changes, the page before stays until the next frame.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      await settled(page);
      return page;
    },
    close: async () => {
      await browser.close();
      await gateway.close();
    },
  };
}

/** Nothing on the page is loading any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('body:not(:has(main .empty[role=status]))').waitFor();
}

/** Uses a fresh setup link, as a person would. */
export async function signUp({ gateway, page, url }: ConsoleWorld): Promise<void> {
  const token = await gateway.store.sessions.createSetupToken();
  await page.goto(`${url}/#/setup/${token}`);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Repeat password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Save and sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}
