import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTestGateway } from '../support/gateway/gateway.ts';
import { sized } from '../support/sized.ts';
import { chromiumPath } from '../support/console/browser.ts';
import { createConsoleWorld, signUp, type ConsoleWorld } from '../support/console/world.ts';
import { XSS } from '../support/console/xss.ts';

const folder = mkdtempSync(join(tmpdir(), 'headgate-console-library-'));
const notes = join(folder, 'notes');
mkdirSync(notes);
writeFileSync(join(notes, 'gate.md'), '# The gate\n\nThe headgate of Vrindal opens at noon.');
writeFileSync(join(notes, 'bytes.md'), new Uint8Array([1, 0, 2, 0]));
writeFileSync(join(folder, 'secret.md'), '# Secret\n\nNobody may add this.');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the admin API of the library', () => {
  type Answer = { status: number; body: Record<string, unknown> };
  const finished = async (
    gateway: Awaited<ReturnType<typeof createTestGateway>>,
    { body }: Answer,
  ): Promise<Record<string, unknown>> => {
    const { id } = body['job'] as { id: string };
    return { ...(await gateway.parts.services.libraryJobs.finished(id)) };
  };

  test('adds only from the roots of the configuration; links and other paths are refused', async () => {
    const gateway = await createTestGateway({ config: { 'library.roots': notes } });
    const add = async (source: string) => gateway.admin('POST', '/library/add', { source });
    const good = await finished(gateway, await add(notes));
    expect(good).toMatchObject({ state: 'done', report: { added: 1, problemsTotal: 1 } });
    for (const path of [join(folder, 'secret.md'), join(notes, '../secret.md'), '/etc/hostname']) {
      const report = await finished(gateway, await add(path));
      expect(report).toMatchObject({ report: { added: 0, problems: [{ code: 'forbidden' }] } });
    }
    expect(await add('relative/path')).toMatchObject({ status: 400 });
    expect((await gateway.admin('GET', '/library/search?query=nobody+secret')).body).toMatchObject({
      hits: [],
    });
    await gateway.close();
  });

  test('without roots no file can be added, and the answer says what to set', async () => {
    const gateway = await createTestGateway();
    const refused = await gateway.admin('POST', '/library/add', { source: notes });
    expect(refused.status).toBe(403);
    expect(JSON.stringify(refused.body)).toContain('[library] roots');
    await gateway.close();
  });

  test('a library of a workspace is its own; unknown workspaces are not found', async () => {
    const gateway = await createTestGateway();
    const one = await gateway.store.accounts.createWorkspace({ name: 'One', tier: 'free' });
    const two = await gateway.store.accounts.createWorkspace({ name: 'Two', tier: 'free' });
    const source = 'https://mill.example/more';
    await finished(gateway, await gateway.admin('POST', '/library/add', { source, workspace: one.id }));
    const found = async (id: string) =>
      (await gateway.admin('GET', `/library/search?workspace=${id}&query=wheat`)).body['hits'];
    expect(await found(one.id)).toHaveLength(1);
    expect(await found(two.id)).toHaveLength(0);
    expect((await gateway.admin('GET', '/library?workspace=ws_nobody')).status).toBe(404);
    const removed = { workspace: one.id, under: 'https://mill.example/' };
    expect((await gateway.admin('POST', '/library/remove', removed)).body).toEqual({ removed: 1 });
    expect((await gateway.admin('POST', '/library/compact', {})).body).toEqual({ removed: 0 });
    expect((await gateway.admin('POST', '/library/rebuild', {})).body).toMatchObject({ documents: 0 });
    expect((await gateway.admin('GET', '/library/documents')).body).toEqual({ documents: [] });
    expect((await gateway.admin('DELETE', '/library/jobs/nothing')).status).toBe(404);
    await gateway.close();
  });
});

describe.skipIf(chromiumPath === undefined)('the library page', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await createConsoleWorld({ config: { 'library.roots': notes } });
    await signUp(world);
    const { library } = world.gateway.parts.services;
    await library.add(
      XSS.map((payload, at) => ({
        id: `xss${at}`,
        url: at % 2 === 0 ? `https://evil.example/${at}` : `javascript:window.pwned=${at}`,
        title: payload,
        content: `payload ${payload}`,
        format: 'text' as const,
        kind: 'page' as const,
      })),
    );
  });
  afterAll(() => world.close());
  afterEach(() => world.checkQuiet());

  test('something is added, watched and found', async () => {
    const page = await world.visit('library');
    await page.getByLabel('Address or path').fill('https://mill.example/more');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('added: 1 · unchanged: 0 · problems: 0').waitFor();
    await page.getByLabel('Address or path').fill(notes);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Problems (1)').click();
    await page.getByText('bytes.md is a binary file').waitFor();
    await page.getByLabel('Search for').fill('when does the headgate open');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.locator('article.hit h3', { hasText: 'The gate' }).waitFor();
    await expect.poll(() => page.locator('article.hit').first().innerText()).toContain('local');
  });

  test('what may not be added is said on the page', async () => {
    const page = await world.visit('library');
    await page.getByLabel('Address or path').fill(join(folder, 'secret.md'));
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('outside the folders that may be read').waitFor({ state: 'attached' });
    await page.getByText('Problems (1)').first().click();
    await expect.poll(() => page.getByText('outside the folders that may be read').isVisible()).toBe(true);
  });

  test('a document is removed', async () => {
    const page = await world.visit('library');
    await page
      .getByRole('button', { name: `Remove: ${XSS[0] ?? ''}` })
      .first()
      .click();
    await expect
      .poll(async () => (await world.gateway.parts.services.library.list()).map(({ id }) => id))
      .not.toContain('xss0');
  });

  test('titles, snippets and addresses of documents stay text', async () => {
    const page = await world.visit('library');
    await page.getByLabel('Search for').fill('payload');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.locator('article.hit').first().waitFor();
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(
      await page.locator('main :is(script, iframe, svg, img, video, style, [onerror], [onload])').count(),
    ).toBe(0);
    expect(await page.locator('main a:not([href^="http"], [href^="#"])').count()).toBe(0);
  });

  const THEMES: [theme: string, runOnly: object][] = [
    ['light', ['wcag2a', 'wcag2aa', 'wcag21aa']],
    // In the dark only the colours are other ones.
    ['dark', { type: 'rule', values: ['color-contrast'] }],
  ];
  const themes = sized('themes in which axe looks at the library', { small: 1, large: 2, full: 2 });
  test.each(THEMES.slice(0, themes))('axe finds nothing serious, %s', async (theme, runOnly) => {
    const page = await world.visit('library');
    await page.getByLabel('Theme').selectOption(theme);
    await page.getByLabel('Search for').fill('headgate');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.locator('article.hit').first().waitFor();
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
    const { violations, passes } = (await page.evaluate(
      `axe.run(document, ${JSON.stringify({ runOnly })})`,
    )) as { violations: { id: string; nodes: { html: string }[] }[]; passes: unknown[] };
    expect(passes.length).toBeGreaterThan(0);
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    await page.getByLabel('Theme').selectOption('light');
  });

  test('it speaks Japanese, and on a phone nothing is wider than the screen', async () => {
    const page = await world.visit('library');
    await page.getByLabel('Language').selectOption('日本語');
    await page.getByRole('heading', { name: 'ライブラリ' }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.getByLabel('言語').selectOption('English');
  });

  test.runIf(process.env['SCREENSHOTS'] === '1')('it is drawn, light and dark', async () => {
    const images = join(import.meta.dirname, '../../docs/images');
    const { library } = world.gateway.parts.services;
    await library.remove({ ids: XSS.map((_, at) => `xss${at}`) });
    const readme = (name: string, version: string, content: string) => ({
      id: `npm:${name}@${version}/README.md`,
      url: `npm:${name}@${version}/README.md`,
      title: `${name} ${version} · README.md`,
      content,
      format: 'markdown' as const,
      kind: 'package' as const,
      package: name,
      version,
    });
    await library.add([
      readme(
        'weir',
        '2.1.0',
        'Raises the level of a river by as much as you say, slowly. Call `raise(metres)`.',
      ),
      readme('sluice', '0.4.2', 'Opens and closes, and says at which level of the river.'),
    ]);
    for (const theme of ['light', 'dark']) {
      const page = await world.visit('library');
      await page.getByLabel('Theme').selectOption(theme);
      await page.getByLabel('Search for').fill('raise the level of a river');
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.locator('article.hit').first().waitFor();
      await page.mouse.move(0, 0);
      const path = join(images, `console-library-${theme}.png`);
      expect((await page.screenshot({ path, animations: 'disabled' })).length).toBeLessThan(150_000);
    }
  });
});
