import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/console/browser.ts';
import { createConsoleWorld, settled, signUp, type ConsoleWorld } from '../support/console/world.ts';

/** The badge beside a provider says what the attempts said, in both languages. */
describe.skipIf(chromiumPath === undefined)('provider health in the console', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await createConsoleWorld();
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
    expect(await row.innerText()).toContain('HTTP 503');
    expect(await cardOf('overview')).toMatch(
      /DuckDuckGo\s+Not working\s+1 of the last 1 attempts failed\. .*503/,
    );

    await page.getByLabel('Language').selectOption('ja');
    await settled(page);
    expect(await cardOf('overview')).toMatch(
      /DuckDuckGo\s+停止中\s+直近の 1 回の試行のうち 1 回が失敗しました。/,
    );
    expect(await cardOf('overview')).toMatch(/Tavily\s+未確認\s+直近15分間は問い合わせがありません。/);
  });
});
