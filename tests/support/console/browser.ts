import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { sayNotRun } from '../not-run.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of this machine, if it has one. `CHROMIUM` names another. */
export const chromiumPath = [process.env['CHROMIUM'] ?? '', ...PLACES].find(
  (path) => path !== '' && existsSync(path),
);

if (chromiumPath === undefined) {
  sayNotRun('the console in a browser', 'Debian’s chromium, or CHROMIUM set to a browser');
}

export interface TestBrowser {
  context: BrowserContext;
  page: Page;
  /** What the page complained about: errors of scripts, of the console, of the security policy. */
  complaints: string[];
  close(): Promise<void>;
}

/** A headless Chromium with a profile of its own that asks nobody on the internet for anything. */
export async function startBrowser(): Promise<TestBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'headgate-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath ?? '',
    headless: true,
    viewport: { width: 1280, height: 860 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    colorScheme: 'light',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const complaints: string[] = [];
  context.on('weberror', (error) => void complaints.push(`script: ${error.error().message}`));
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`console: ${message.text()}`);
  });
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(30_000);
  return {
    context,
    page,
    complaints,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
