import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { chromiumPath } from '../support/console/browser.ts';
import { createDemo, QUESTION, type Demo } from '../support/console/demo.ts';
import { settled, signUp } from '../support/console/world.ts';
import { sayNotRun } from '../support/not-run.ts';

const folder = resolve(import.meta.dirname, '../../docs/images');
const BYTES_MAX = 220_000;

if (process.env['SCREENSHOTS'] !== '1')
  sayNotRun('drawing the pictures of the documentation', 'SCREENSHOTS=1');

/** `SCREENSHOTS=1 npx vitest run tests/console/screenshots.test.ts` draws the pictures of the documentation again. */
test.runIf(process.env['SCREENSHOTS'] === '1' && chromiumPath !== undefined)(
  'every page is drawn, light and dark',
  { timeout: 280_000 },
  async () => {
    mkdirSync(folder, { recursive: true });
    const demo = await createDemo();
    try {
      await signUp(demo);
      const session = await runResearch(demo);
      for (const theme of ['light', 'dark']) {
        await demo.visit('overview');
        await demo.page.getByLabel('Theme').selectOption(theme);
        await drawDialogs(demo, theme);
        await drawPages(demo, theme, session);
      }
      await drawPhone(demo);
      await drawDoor(demo);
      expect(tooLarge).toEqual([]);
    } finally {
      await demo.close();
    }
  },
);

const tooLarge: string[] = [];

async function draw({ page }: Demo, name: string): Promise<void> {
  const path = join(folder, `console-${name}.png`);
  const bytes = await page.screenshot({ path, animations: 'disabled' });
  if (bytes.length > BYTES_MAX) tooLarge.push(`${name}: ${bytes.length}`);
}

/** Begins a research, waits for its report, and gives its page. */
async function runResearch({ page, visit }: Demo): Promise<string> {
  await visit('research');
  await page.getByLabel('query *').fill(QUESTION);
  await page.getByRole('button', { name: 'Start research' }).click();
  await page.getByRole('heading', { name: 'Sources' }).last().waitFor({ timeout: 60_000 });
  return new URL(page.url()).hash.slice(2);
}

async function drawPages(demo: Demo, theme: string, session: string): Promise<void> {
  const { page, visit } = demo;
  const pages = {
    calls: 'calls',
    workspaces: 'workspaces',
    agent: `agents/${demo.reader}`,
    keys: 'keys',
    credits: `credits/${demo.subscription}`,
    research: 'research',
    'settings-providers': 'settings/providers',
    settings: 'settings/config',
    'settings-doctor': 'settings/doctor',
    'settings-audit': 'settings/audit',
  };
  await visit('overview');
  await page.locator('.stackchart svg').waitFor();
  await draw(demo, `overview-${theme}`);
  for (const [name, hash] of Object.entries(pages)) {
    await visit(hash);
    await draw(demo, `${name}-${theme}`);
  }
  await visit(`credits/${demo.subscription}`);
  await page.getByRole('tab', { name: 'Usage' }).click();
  await page.getByLabel('Group by').selectOption('hour');
  await settled(page);
  await draw(demo, `usage-${theme}`);
  await visit('playground');
  await page.getByLabel('query *').fill('Who built the headgate of the Aldana canal?');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.locator('article.hit').first().waitFor();
  await draw(demo, `playground-${theme}`);
  await visit(session);
  await page.locator('.cite').first().hover();
  await draw(demo, `report-${theme}`);
  await page.mouse.move(0, 0);
}

async function drawDialogs(demo: Demo, theme: string): Promise<void> {
  const { page, visit } = demo;
  await visit(`agents/${demo.reader}`);
  await page.getByRole('button', { name: 'Tools help' }).click();
  await draw(demo, `tools-help-${theme}`);
  await visit('keys');
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Label').fill('workstation');
  await dialog.getByLabel('Agent').selectOption({ label: 'Reader' });
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByRole('region', { name: 'Your new key' }).waitFor();
  await draw(demo, `new-key-${theme}`);
  await dialog.getByRole('button', { name: 'Close' }).click();
}

async function drawPhone(demo: Demo): Promise<void> {
  const { page, visit } = demo;
  await page.setViewportSize({ width: 390, height: 844 });
  await visit('overview');
  await page.getByLabel('Theme').selectOption('light');
  await page.getByLabel('Language').selectOption('日本語');
  await page.locator('.stackchart svg').waitFor();
  await draw(demo, 'phone-ja');
  await page.getByLabel('言語').selectOption('English');
  await page.setViewportSize({ width: 1280, height: 860 });
}

async function drawDoor(demo: Demo): Promise<void> {
  const { page } = demo;
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  for (const theme of ['light', 'dark']) {
    await page.getByLabel('Theme').selectOption(theme);
    await draw(demo, `sign-in-${theme}`);
  }
}
