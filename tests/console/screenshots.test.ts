import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { chromiumPath } from './browser.ts';
import { createConsoleWorld, signUp } from './world.ts';

const folder = resolve(import.meta.dirname, '../../docs/images');

/** `SCREENSHOTS=1 npx vitest run tests/console/screenshots.test.ts` draws the pictures of the documentation again. */
test.runIf(process.env['SCREENSHOTS'] === '1' && chromiumPath !== undefined)(
  'every page is drawn, light and dark',
  { timeout: 240_000 },
  async () => {
    const world = await createConsoleWorld();
    const { page, url, gateway } = world;
    const { store } = gateway;
    try {
      await signUp(world);
      const team = await store.accounts.createWorkspace({ name: 'Field team', tier: 'pro' });
      const students = await store.accounts.createWorkspace({ name: 'Students', tier: 'free' });
      await store.accounts.topUp({ subscription: team.subscription, amount: 25_000_000, note: 'invoice 17' });
      const settings = { searchWebProvider: 'tavily', fetchWebProvider: 'headgate' };
      const reader = await store.agents.create({ workspace: team.id, name: 'Reader', settings });
      await store.agents.create({
        workspace: team.id,
        name: 'Scout',
        settings: { searchWebProvider: 'duckduckgo' },
      });
      await store.agents.create({ workspace: students.id, name: 'Homework helper', settings });
      const laptop = await store.keys.create({ workspace: team.id, label: 'laptop', agent: reader.id });
      const lab = await store.keys.create({ workspace: students.id, label: 'lab' });
      const ask = (key: string, query: string, provider = 'tavily') =>
        fetch(`${url}/search`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ query, provider }),
        });
      for (let index = 0; index < 16; index += 1) await ask(laptop.key, `tidal mills ${index}`);
      for (let index = 0; index < 9; index += 1) await ask(lab.key, `harbour ${index}`);
      for (let index = 0; index < 6; index += 1) await ask(lab.key, `weirs ${index}`, 'duckduckgo');
      gateway.sim.script('/duckduckgo', [{ kind: 'status', status: 503, times: 2 }]);
      for (let index = 0; index < 2; index += 1) await ask(lab.key, `sluices ${index}`, 'duckduckgo');

      mkdirSync(folder, { recursive: true });
      const draw = async (name: string, height?: number): Promise<void> => {
        if (height === undefined) await page.mouse.move(0, 0);
        const path = join(folder, `console-${name}.png`);
        const bytes = await page.screenshot({
          path,
          animations: 'disabled',
          ...(height === undefined ? {} : { clip: { x: 0, y: 0, width: 1280, height } }),
        });
        expect(bytes.length).toBeLessThan(150_000);
      };
      for (const theme of ['light', 'dark']) {
        await world.visit('overview');
        await page.getByLabel('Light or dark').selectOption(theme);
        await page.locator('.chart canvas').nth(1).waitFor();
        await draw(`overview-${theme}`);
        const plain = {
          workspaces: 'workspaces',
          agent: `agents/${reader.id}`,
          keys: 'keys',
          credits: `credits/${team.subscription}`,
          settings: 'settings/config',
        };
        for (const [name, hash] of Object.entries(plain)) {
          await world.visit(hash);
          await draw(`${name}-${theme}`);
        }
        await world.visit('playground');
        await page.getByLabel('query *').fill('tidal mills');
        await page.getByRole('button', { name: 'Run' }).click();
        await page.locator('article.hit').first().waitFor();
        await draw(`playground-${theme}`);
        await world.visit('research');
        await page.getByLabel('query *').fill('tidal mills');
        await page.getByRole('button', { name: 'Start research' }).click();
        await page.getByRole('heading', { name: 'Sources' }).waitFor({ timeout: 40_000 });
        await page.locator('.cite').first().hover();
        await draw(`research-${theme}`, 560);
      }
      await world.visit(`agents/${reader.id}`);
      await page.getByRole('button', { name: 'Tools help' }).click();
      await draw('tools-help-dark');
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByLabel('Light or dark').selectOption('light');
      await page.getByLabel('Language').selectOption('日本語');
      await page.getByRole('link', { name: '概要' }).click();
      await page.locator('.chart canvas').nth(1).waitFor();
      await draw('phone-ja');
    } finally {
      await world.close();
    }
  },
);
