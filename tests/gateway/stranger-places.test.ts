import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminRoutes } from '../../src/gateway/admin/mount.ts';
import { agentTools, createHeadgate } from '../../src/index.ts';
import { toolsets } from '../../src/toolsets/index.ts';
import { deepActions } from '../../src/toolsets/compat/research/deep.ts';
import { CANARY, HOSTILE_TEXTS } from '../support/hostile-texts.ts';
import { pdfOf } from '../support/pdf-file.ts';
import { sized } from '../support/sized.ts';
import { outsideFence, ownTexts, speaks } from '../support/stranger-oracle.ts';
import { createStrangerWorld, planted, type StrangerWorld } from '../support/stranger-world.ts';
import { until } from '../support/until.ts';

/** Where words of strangers are kept or asked for again: PDF files, quotes, sessions, reports of the operator, the SDK. */

const count = sized('hostile texts in PDF files, sessions and reports', { small: 3, large: 30, full: 300 });
const texts = Array.from(
  { length: count },
  (_, at) => HOSTILE_TEXTS[(at * 101) % HOSTILE_TEXTS.length] ?? '',
);
const VISIBLE =
  'The mill on the river has ground wheat since 1742, and this line is long enough to be content.';

let world: StrangerWorld;
beforeAll(async () => {
  world = await createStrangerWorld({ 'search.provider': ['tavily'] });
});
afterAll(() => world.gateway.close());

const post = async (of: StrangerWorld, path: string, body: unknown): Promise<unknown> =>
  (await of.gateway.post(path, body)).json();

/** Formats without a fence keep to their lines, which the table of all tools compares. */
const isFenced = (toolset: string): boolean => toolset === 'default' || toolset === 'agent';

test('what a PDF says of itself is data, or inside the fence', async () => {
  const library = await createStrangerWorld({}, (said, url) => ({
    url,
    finalUrl: url,
    status: 200,
    headers: { 'content-type': 'application/pdf' },
    contentType: 'application/pdf',
    bytes: pdfOf([VISIBLE], {
      Title: `Mill ${said}`,
      Author: `Ann ${said}`,
      Subject: `About ${said}`,
      Keywords: said,
      Creator: said,
      Producer: said,
      CreationDate: said,
    }),
    redirects: [],
  }));
  const readers = toolsets
    .filter(({ id }) => isFenced(id))
    .flatMap(({ id, tools }) =>
      tools.filter(({ input }) => 'url' in input.shape).map(({ name }) => ({ id, name })),
    );
  const wrong: string[] = [];
  let heard = 0;
  for (const [index, said] of texts.entries()) {
    const url = `https://mill.example/${index}.pdf`;
    const read = await library.say(said, () => post(library, '/extract', { urls: [url] }));
    if (speaks(JSON.stringify(read))) heard += 1;
    if (speaks(ownTexts(read))) wrong.push(`/extract, ${said}: ${ownTexts(read).join('\n')}`);
    for (const { id, name } of readers) {
      const { text, meta } = await library.say(said, () => library.callTool(id, name, { url }));
      if (!text.includes('ground wheat')) wrong.push(`${name} does not read the file: ${text}`);
      if (speaks([outsideFence(text), ...ownTexts({ meta })])) wrong.push(`${id} ${name}, ${said}: ${text}`);
    }
  }
  await library.gateway.close();
  expect(readers.length).toBeGreaterThan(1);
  expect(wrong).toEqual([]);
  expect(heard).toBe(texts.length);
}, 3_600_000);

test('a quote that is looked for and a session that is asked about say nothing in our voice', async () => {
  const wrong: string[] = [];
  const heard = new Set<string>();
  for (const said of texts) {
    await world.say(said, async () => {
      const check = (who: string, value: unknown): void => {
        if (speaks(JSON.stringify(value))) heard.add(who);
        if (speaks(ownTexts(value))) wrong.push(`${who}, ${said}: ${ownTexts(value).join('\n')}`);
      };
      const quote = `${VISIBLE} ${CANARY}`;
      check('/verify_quote', await post(world, '/verify_quote', { quote, url: 'https://mill.example/' }));
      const act = async (action: string, input: object = {}): Promise<Record<string, unknown>> => {
        const { text } = await world.callTool('research', 'research', { action, ...input });
        const { data, ...rest } = JSON.parse(text) as { data: Record<string, unknown> };
        check(action, data);
        if (speaks(JSON.stringify(rest))) wrong.push(`${action}, ${said}: ${text}`);
        return data;
      };
      await act('verify-quote', { quote, url: 'https://mill.example/' });
      const query = `how old are ${world.question()}`;
      const { research_id } = await act('deep-research', { query, max_iterations: 1 });
      await until(async () => (await act('deep-research-status', { research_id }))['is_complete'] === true);
      // What ends a session comes last; the others are in the order of the list.
      const rest = deepActions.map(({ name }) => name).filter((name) => !/quote|research$|status/.test(name));
      for (const action of rest) await act(action, { research_id });
    });
  }
  expect(wrong).toEqual([]);
  expect([...heard]).toEqual(expect.arrayContaining(['verify-quote', 'deep-research-report']));
}, 3_600_000);

test('the operator reads nothing of strangers in reports, metrics and states', async () => {
  const { gateway } = world;
  const paths = ['/usage', '/metrics', '/healthz', '/readyz', '/openapi.json', '/docs', '/llms-full.txt'];
  const reports = adminRoutes.filter(({ method, path }) => method === 'GET' && !path.includes(':'));
  for (const [index, said] of texts.entries()) {
    await world.say(said, async () => {
      await post(world, '/search', { query: world.question(), include_answer: true });
      await post(world, '/extract', { urls: [`https://mill.example/${index}`] });
    });
    await world.say(said, () => post(world, '/search', { query: world.question() }), 500);
  }
  const read = [
    ...(await Promise.all(
      paths.map(async (path) => [path, await (await gateway.app.request(`http://127.0.0.1${path}`)).text()]),
    )),
    ...(await Promise.all(
      reports.map(async ({ path }) => [path, JSON.stringify((await gateway.admin('GET', path)).body)]),
    )),
  ];
  expect(reports.length).toBeGreaterThan(8);
  expect(read.filter(([, text = '']) => text.includes(CANARY)).map(([path]) => path)).toEqual([]);
}, 3_600_000);

test('the SDK gives the words of strangers as data, and its tools give them fenced', async () => {
  let said = '';
  const site = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void fetch(`${world.gateway.sim.url}${request.url ?? ''}`, {
        method: request.method ?? 'GET',
        headers: { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' },
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      }).then(async (answer) => {
        const upstream = { url: '', status: 200, headers: {}, body: await answer.text() };
        response.setHeader('content-type', 'application/json').end(planted(upstream, said, 200).body);
      });
    });
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  const headgate = createHeadgate({
    home: mkdtempSync(join(tmpdir(), 'headgate-sdk-')),
    config: {
      'search.provider': ['tavily'],
      'providers.tavily.base_url': `http://127.0.0.1:${port}/tavily`,
      'providers.tavily.api_key': 'tvly-good-key',
      'cache.enabled': false,
    },
  });
  const tools = await agentTools(headgate);
  const wrong: string[] = [];
  for (said of texts) {
    const found = await headgate.search({ query: world.question(), include_answer: true });
    expect(speaks(JSON.stringify(found))).toBe(true);
    if (speaks(ownTexts(found))) wrong.push(`search, ${said}: ${ownTexts(found).join('\n')}`);
    const [search] = tools;
    const result = await search?.execute({ query: world.question() });
    const text = result?.content.map((part) => ('text' in part ? String(part.text) : '')).join('\n') ?? '';
    expect(text).toContain(CANARY);
    if (speaks(outsideFence(text))) wrong.push(`${search?.name}, ${said}: ${text}`);
  }
  await headgate.close();
  site.close();
  expect(wrong).toEqual([]);
}, 3_600_000);
