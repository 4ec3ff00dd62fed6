import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
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

/**
 * Of Playwright's own list, which ours replaces, what a page of the console can meet. The last two would load a page for the address bar with
 * every window.
 */
const DISABLED = [
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'MediaRouter',
  'PaintHolding',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
];

let launched: Promise<Browser> | undefined;

/** One headless Chromium for all files of a process, which ends with it. It asks nobody on the internet for anything. */
const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath ?? '',
    headless: true,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${DISABLED.join(',')}`,
    ],
  });

/** A window of its own, without the cookies of any other. */
export async function startBrowser(): Promise<TestBrowser> {
  const context = await (
    await (launched ??= launch())
  ).newContext({
    viewport: { width: 1280, height: 860 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    colorScheme: 'light',
  });
  const complaints: string[] = [];
  context.on('weberror', (error) => void complaints.push(`script: ${error.error().message}`));
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`console: ${message.text()}`);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  return {
    context,
    page,
    complaints,
    close: () => context.close(),
  };
}
