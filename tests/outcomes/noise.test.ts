import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCall, perform } from '../../src/operations/perform.ts';
import { extract } from '../../src/operations/extract/extract.ts';
import { createCover } from '../../src/rank/cover.ts';
import { createModelSim } from '../../src/sim/model.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { engineOf } from '../../src/toolsets/engine.ts';
import { toolsets } from '../../src/toolsets/index.ts';
import type { ToolResult } from '../../src/toolsets/tool.ts';
import { runHeadgate } from '../support/cli.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { QUESTIONS, type AskedQuestion } from '../support/questions.ts';
import { createScriptedResults, scriptedPage, scriptedResultsConfig } from '../support/scripted-results.ts';

/** What is said when what was found has nothing to do with the question, on every surface and in every language. */
const LANGUAGES = Object.entries(QUESTIONS);

const quantile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

describe('the cover of a question', () => {
  test.each(LANGUAGES)('tells passages that answer from noise and from near misses: %s', (language, list) => {
    const rows = list.map(({ question, answers, near }, at) => {
      const cover = createCover(question);
      const others = list.filter((_, other) => other !== at).flatMap((one) => [one.answers, one.near]);
      return {
        cover,
        related: cover.of(answers),
        near: cover.of(near),
        noise: others.map((one) => cover.of(one)),
      };
    });
    const related = rows.map((row) => row.related);
    const noise = rows.flatMap((row) => row.noise);
    console.log(
      `${language}: unrelated p90 ${quantile(noise, 0.9).toFixed(2)}, related p05 ${quantile(related, 0.05).toFixed(2)}`,
    );
    expect(quantile(noise, 0.9)).toBeLessThan(0.1);
    expect(quantile(related, 0.05)).toBeGreaterThan(0.43);
    const isMarked = (row: (typeof rows)[number], value: number): boolean =>
      row.cover.matchOf(value) !== 'answered';
    const share = (marks: boolean[]): number => marks.filter(Boolean).length / marks.length;
    expect(share(rows.map((row) => isMarked(row, Math.max(...row.noise))))).toBeGreaterThanOrEqual(0.95);
    expect(share(rows.map((row) => isMarked(row, row.near)))).toBeGreaterThanOrEqual(0.6);
    expect(share(rows.map((row) => !isMarked(row, row.related)))).toBeGreaterThanOrEqual(0.9);
  });
});

let web: Sim;
let gateway: TestGateway;
const results: Results = [];
beforeAll(async () => {
  web = await startSim({ upstreams: [createScriptedResults(results), createModelSim()] });
  gateway = await openGateway({ 'cache.enabled': false });
});
afterAll(async () => {
  await gateway.close();
  await web.close();
});

const openGateway = (config: Record<string, unknown>): Promise<TestGateway> =>
  createTestGateway({ web: 'guarded', config: { ...scriptedResultsConfig(web.url), ...config } });

/** The first question of a language, with pages that are all about the others, or among which one answers. */
const asked = (list: AskedQuestion[]): AskedQuestion => list[0] as AskedQuestion;
const noiseOf = (list: AskedQuestion[]) =>
  [0, 1, 2].map((part) => ({
    title: `Page ${part}`,
    content: list
      .slice(1 + part * 3, 4 + part * 3)
      .map((one) => `${one.answers} ${one.near}`)
      .join(' '),
  }));
const goodOf = (list: AskedQuestion[]) => {
  const { answers, near } = asked(list);
  return [...noiseOf(list), { title: 'Page 3', content: `${near} ${answers} ${list[1]?.near ?? ''}` }];
};

type Results = ReturnType<typeof noiseOf>;

/** Puts pages into the web. */
const open = (pages: Results): void => void results.splice(0, results.length, ...pages);

const pageUrl = (index: number): string => scriptedPage(web.url, index, results[index] as Results[number]);

async function callTool(id: string, name: string, input: unknown): Promise<ToolResult> {
  const { services } = gateway.parts;
  const tool = toolsets.find((one) => one.id === id)?.tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name} in ${id}.`);
  const call = createCall(services);
  return tool.run(input, call, engineOf(services)).finally(() => call.end());
}

interface Wire {
  answer: string | null;
  match?: string;
  outcome: string;
  warnings: string[];
  results: { match?: string; outcome: string; reason?: string; raw_content: string }[];
}

async function post(path: string, body: object, asked = gateway): Promise<Wire> {
  const response = await asked.post(path, body);
  expect(response.status).toBe(200);
  return (await response.json()) as Wire;
}

describe('include_answer', () => {
  test.each(LANGUAGES)('over noise gives no answer and says so: %s', async (_language, list) => {
    open(noiseOf(list));
    const output = await post('/search', { query: asked(list).question, include_answer: true });
    expect(output).toMatchObject({
      answer: null,
      match: 'none',
      outcome: 'partial',
      warnings: ['No answer is given: the results do not match the question.'],
    });
    expect(output.results).toHaveLength(3);
  });

  test.each(LANGUAGES)('with one page that answers quotes that page only: %s', async (_language, list) => {
    open(goodOf(list));
    const output = await post('/search', { query: asked(list).question, include_answer: true });
    expect(output).toMatchObject({ match: 'answered', outcome: 'ok', warnings: [] });
    expect(output.answer).toContain('1911');
    for (const other of list.slice(1)) expect(output.answer).not.toContain(other.answers.slice(0, 12));
  });

  test('that matches only in part is marked, in the answer itself too', async () => {
    open([
      { title: 'The canal', content: 'The Aldana canal serves more than a thousand farms of the valley.' },
    ]);
    const output = await post('/search', {
      query: 'When was the headgate of the Aldana canal painted green by volunteers?',
      include_answer: true,
    });
    expect(output).toMatchObject({ match: 'weak', outcome: 'ok' });
    expect(output.answer).toMatch(
      /^The results match the question only in part\. Quoted from the results: “/,
    );
    expect(output.warnings).toEqual([
      'The results match the question only in part. Check the answer against them.',
    ]);
  });

  test('over noise does not ask the model, and the next call is told the same from memory', async () => {
    open(noiseOf(QUESTIONS.en));
    const own = await openGateway({
      'model.provider': 'openai',
      'model.base_url': `${web.url}/model/v1`,
      'model.api_key': 'sk-test-key-1234567890',
      'model.model': 'sim-1',
    });
    const query = { query: asked(QUESTIONS.en).question, include_answer: true };
    const first = await post('/search', query, own);
    expect(first).toMatchObject({ answer: null, match: 'none', outcome: 'partial' });
    expect(await post('/search', query, own)).toMatchObject({
      match: 'none',
      outcome: 'partial',
      cached: true,
    });
    await own.close();
    expect(web.requests.filter(({ url }) => url.pathname.startsWith('/model'))).toEqual([]);
  });

  test('says so at the command line', async () => {
    open(noiseOf(QUESTIONS.de));
    const env = {
      HEADGATE_PROVIDERS__SEARXNG__BASE_URL: `${web.url}/results`,
      HEADGATE_PROVIDERS__SEARXNG__PACE_MS: '0',
      HEADGATE_SEARCH__PROVIDER: 'searxng',
    };
    const home = mkdtempSync(join(tmpdir(), 'noise-'));
    const { out, err } = await runHeadgate(
      ['search', asked(QUESTIONS.de).question, '--include-answer', 'basic'],
      {
        home,
        env,
      },
    );
    expect(err).toBe('');
    expect(out).toContain('No answer is given: the results do not match the question.');
    expect(out).not.toContain('Quoted from the results');
  });
});

describe('extract with a query', () => {
  test.each(LANGUAGES)(
    'tells a page about something else from one that answers: %s',
    async (_language, list) => {
      open(goodOf(list));
      const { question, answers } = asked(list);
      const output = await post('/extract', { urls: [pageUrl(0), pageUrl(3)], query: question });
      expect(output.results).toMatchObject([
        { match: 'none', outcome: 'degraded', reason: 'Nothing on the page matches the query.' },
        { match: 'answered', outcome: 'ok' },
      ]);
      expect(output.results[1]?.raw_content).toContain(answers.slice(0, 10));
      expect(output.outcome).toBe('degraded');
      expect(output.warnings).toEqual([
        expect.stringMatching(/\/0: nothing on the page matches the query; .+ is returned\.$/) as string,
      ]);
    },
  );

  test.each([
    ['default', 'fetch_url', (url: string, query: string) => ({ url, query })],
    ['tavily', 'tavily_extract', (url: string, query: string) => ({ urls: [url], query })],
    ['research', 'research', (url: string, query: string) => ({ action: 'extract', urls: [url], query })],
  ])('the %s toolset says in its text that a page is about something else', async (toolset, tool, input) => {
    open(goodOf(QUESTIONS.ja));
    const { question } = asked(QUESTIONS.ja);
    const noise = await callTool(toolset, tool, input(pageUrl(0), question));
    expect(noise.text).toContain('nothing on the page matches the query');
    expect(noise.text.match(/on the page matches/g)).toHaveLength(1);
    expect(noise.meta).toMatchObject({ outcome: 'degraded' });
    const good = await callTool(toolset, tool, input(pageUrl(3), question));
    expect(good.text).not.toContain('matches the query');
    expect(good.meta).toMatchObject({ outcome: 'ok' });
  });

  test('the score of a passage is absolute: the best one of a page about something else has not 1', async () => {
    open(goodOf(QUESTIONS.en));
    const { services } = gateway.parts;
    const input = { urls: [pageUrl(0), pageUrl(3)], query: asked(QUESTIONS.en).question };
    const output = await perform(extract, input, { call: createCall(services), services });
    const best = output.results.map(({ chunks = [] }) => Math.max(...chunks.map(({ score = 0 }) => score)));
    expect(best[0]).toBeLessThan(0.2);
    expect(best[1]).toBeGreaterThan(0.5);
  });
});

describe('the research toolset', () => {
  test('gives no answer over noise and warns', async () => {
    open(noiseOf(QUESTIONS.zh));
    const { text } = await callTool('research', 'research', {
      action: 'search',
      query: asked(QUESTIONS.zh).question,
      include_answer: true,
    });
    expect(text).toContain('No answer is given: the results do not match the question.');
    expect(text).toContain('"match":"none"');
    expect(text).not.toContain('Quoted from the results');
  });
});

describe('research', () => {
  const mini = (question: string) =>
    callTool('tavily', 'tavily_research', { input: question, model: 'mini' });

  test.each(LANGUAGES)('over noise finds nothing and says so: %s', async (_language, list) => {
    open(noiseOf(list));
    const { text, meta } = await mini(asked(list).question);
    expect(meta).toMatchObject({ outcome: 'empty' });
    expect(text).toContain('Nothing could be found that answers the question.');
    expect(text).toContain('The pages that were found do not match it.');
    expect(text).not.toContain('[1]');
  });

  test.each(LANGUAGES)('with one page that answers quotes it: %s', async (_language, list) => {
    open(goodOf(list));
    const { text, meta } = await mini(asked(list).question);
    expect(meta).toMatchObject({ outcome: 'ok' });
    expect(text).toContain('1911');
    expect(text).not.toContain('only in part');
  });

  test('says when its findings have few words of the question', async () => {
    const near = 'The Aldana canal serves more than a thousand farms of the lower valley, which grow pears.';
    open([{ title: 'Canals', content: `${near} It is open to walkers in summer.` }]);
    const query = 'When was the headgate of the Aldana canal painted green by volunteers?';
    const { text } = await callTool('default', 'research', { query });
    expect(text).toContain('Its findings have few of the question’s words.');
    expect(text).toContain('- The findings have few of the question’s words, so they may not answer it.');
  });
});
