import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../src/gateway/operations.ts';
import { createModelSim } from '../../src/sim/model.ts';
import { startSim } from '../../src/sim/server.ts';
import { toolsets } from '../../src/toolsets/index.ts';
import type { Tool } from '../../src/toolsets/tool.ts';
import { CANARY, HOSTILE_TEXTS } from '../support/hostile-texts.ts';
import { sized } from '../support/sized.ts';
import { outsideFence, ownTexts, problemsOf, speaks, type ToolAnswer } from '../support/stranger-oracle.ts';
import { someSearchers } from '../support/every-provider.ts';
import { createStrangerWorld, type StrangerWorld } from '../support/stranger-world.ts';

/**
 * Hostile texts in every field of every provider and in every part of a page, through every tool and every operation: none of them
 * stands in our own voice, and no answer has lines that the same answer from harmless strangers does not have.
 */

const HARMLESS = `${CANARY} words`;
const searchers = someSearchers('hostile texts');

let world: StrangerWorld;
beforeAll(async () => {
  world = await createStrangerWorld();
});
afterAll(() => world.gateway.close());

/** Some of the texts for each pair, others for the next pair, so that all of them are used in a small run as well. */
const perPair = sized('hostile texts for each tool and provider', { small: 1, large: 4, full: 300 });
let taken = 0;
const someTexts = (): string[] =>
  Array.from({ length: perPair }, () => HOSTILE_TEXTS[taken++ % HOSTILE_TEXTS.length] ?? '');

/** A call says several of them, one in each result; the pages of DuckDuckGo are not made of a list, and say one. */
function batchesFor(id: string, isSearch: boolean): string[][] {
  const size = isSearch && id !== 'duckduckgo' ? RESULTS : 1;
  const texts = someTexts();
  return Array.from({ length: Math.ceil(texts.length / size) }, (_none, index) =>
    texts.slice(index * size, (index + 1) * size),
  );
}
const RESULTS = 5;

const inputFor = (question: string): Record<string, unknown> => ({
  query: question,
  input: question,
  urls: ['https://mill.example/'],
  url: 'https://mill.example/',
  id: 'https://mill.example/',
  max_results: RESULTS,
  limit: 2,
  include_answer: true,
  include_raw_content: true,
  include_images: true,
  max_tokens: 20_000,
});

/** Tools that take one call to answer; research is tested below, because it takes many. */
const quick = toolsets.flatMap((toolset) =>
  toolset.tools.flatMap((tool) =>
    actionsOf(tool)
      .filter((action) => !/research/.test(action === '' ? tool.name : action))
      .map((action) => ({ toolset: toolset.id, tool, action })),
  ),
);

function actionsOf(tool: Tool): string[] {
  const { options } = (tool.input.shape['action'] ?? {}) as { options?: string[] };
  return options === undefined ? [''] : options.filter((name) => name === 'search' || name === 'extract');
}

async function callTool(
  { toolset, tool, action }: (typeof quick)[number],
  of: StrangerWorld = world,
): Promise<ToolAnswer> {
  const input = { ...inputFor(of.question()), ...(action === '' ? {} : { action }) };
  return of.callTool(toolset, tool.name, input);
}

const ask = (provider: string): void => {
  world.gateway.parts.services.config.search.provider = [provider];
};

const STATUSES = [401, 429, 500, 400, 403, 404, 422, 432, 451].slice(
  0,
  sized('statuses of refusals', { small: 1, large: 9, full: 9 }),
);

describe('words of strangers', () => {
  test('the oracle sees a forged line, a word outside of the fence and a word in a field of ours', () => {
    const twin: ToolAnswer = { text: 'Title: a', meta: { trust: 'untrusted_web' }, isError: false };
    const forged = { ...twin, text: `Title: a\nТitle: ${CANARY}` };
    expect(problemsOf('tavily', forged, twin)).toHaveLength(1);
    expect(problemsOf('default', { ...twin, text: CANARY }, twin)).toHaveLength(1);
    expect(problemsOf('tavily', { ...twin, meta: { ...twin.meta, warnings: [CANARY] } }, twin)).toHaveLength(
      1,
    );
    expect(problemsOf('tavily', { ...twin, meta: {} }, twin)).toEqual(['no mark in _meta']);
    expect(new Set(HOSTILE_TEXTS).size).toBe(300);
  });

  test('stay inside in the answers of every tool, whoever is asked', async () => {
    expect(quick.length).toBeGreaterThan(12);
    const wrong: string[] = [];
    const heard = new Set<string>();
    // What only reads pages does not depend on who searches.
    const isSearch = ({ tool, action }: (typeof quick)[number]) => (action || tool.scope) === 'search';
    const pairs = searchers.flatMap(({ id }, index) =>
      quick.filter((one) => index === 0 || isSearch(one)).map((one) => ({ id, one })),
    );
    for (const { id, one } of pairs) {
      ask(id);
      const name = `${one.toolset} ${one.tool.name} ${one.action}`;
      const twin = await world.say(HARMLESS, () => callTool(one));
      for (const texts of batchesFor(id, isSearch(one))) {
        const answer = await world.say(texts, () => callTool(one));
        if (speaks(answer.text)) heard.add(name);
        const problems = problemsOf(one.toolset, answer, twin);
        wrong.push(...problems.map((problem) => `${name} with ${id}, ${JSON.stringify(texts)}: ${problem}`));
      }
    }
    expect(wrong).toEqual([]);
    // A tool that shows nothing of what strangers say has not been tested; a map lists addresses only.
    expect(
      quick
        .filter(({ toolset, tool, action }) => !heard.has(`${toolset} ${tool.name} ${action}`))
        .map(({ tool }) => tool.name),
    ).toEqual(['tavily_map']);
  }, 3_600_000);

  test('stay data in the answers of every operation over HTTP', async () => {
    const wrong: string[] = [];
    const heard = new Set<string>();
    const names = operations
      .map(({ contract }) => contract.name)
      .filter((name) => !/research|quote/.test(name));
    const isSearch = (name: string) => name === 'search' || name === 'answer';
    const pairs = searchers.flatMap(({ id }, index) =>
      names.filter((name) => index === 0 || isSearch(name)).map((name) => ({ id, name })),
    );
    for (const { id, name } of pairs) {
      ask(id);
      for (const texts of batchesFor(id, isSearch(name))) {
        const body = { ...inputFor(world.question()), ...(name === 'search' ? { provider: id } : {}) };
        const response = await world.say(texts, () => world.gateway.post(`/${name}`, body));
        const answer: unknown = await response.json();
        if (speaks(JSON.stringify(answer))) heard.add(name);
        if (speaks(ownTexts(answer))) wrong.push(`/${name} with ${id}: ${ownTexts(answer).join('\n')}`);
      }
    }
    expect(wrong).toEqual([]);
    expect([...heard].sort()).toEqual(['answer', 'crawl', 'extract', 'search']);
  }, 3_600_000);

  test('are fenced in reports of research, and stay out of its warnings', async () => {
    ask('tavily');
    for (const text of HOSTILE_TEXTS.slice(0, Math.min(3, perPair))) {
      const answer = await world.say(text, () =>
        world.callTool('default', 'research', { query: `how old are ${world.question()}` }),
      );
      expect(answer).toMatchObject({ isError: false, text: expect.stringContaining(CANARY) as string });
      expect(outsideFence(answer.text)).not.toContain(CANARY);
      const wrapped = await world.say(text, () =>
        world.callTool('tavily', 'tavily_research', { input: `how old are ${world.question()}` }),
      );
      expect(ownTexts({ meta: wrapped.meta }).join('\n')).not.toContain(CANARY);
    }
  }, 600_000);

  test('reach a model only inside the fence of its prompt', async () => {
    const model = await startSim({ upstreams: [createModelSim()] });
    const modelled = await createStrangerWorld({
      'model.provider': 'openai',
      'model.base_url': `${model.url}/model/v1`,
      'model.api_key': 'sk-test-key-1234567890',
      'model.model': 'sim-1',
    });
    modelled.gateway.parts.services.config.search.provider = ['searxng'];
    for (const text of someTexts().slice(0, 20)) {
      await modelled.say(text, async () => {
        await modelled.gateway.post('/search', inputFor(modelled.question()));
        await modelled.gateway.post('/research', { query: `how old are ${modelled.question()}` });
        await modelled.callTool('default', 'research', { query: `how old are ${modelled.question()}` });
      });
    }
    await modelled.gateway.close();
    await model.close();
    const prompts = model.requests.flatMap(({ body }) =>
      (JSON.parse(body) as { messages: { content: string }[] }).messages.map(({ content }) => content),
    );
    expect(prompts.filter((prompt) => speaks(prompt)).length).toBeGreaterThan(1);
    const outside = prompts.map((prompt) => prompt.replaceAll(/<(web-[0-9a-f]{16})>\n.*?\n<\/\1>/gs, ''));
    expect(outside.filter((prompt) => speaks(prompt))).toEqual([]);
  }, 600_000);

  // A key that was refused is left alone for a while, so each status has a world of its own.
  test.each(STATUSES)(
    'are not repeated when a provider answers %i, over MCP and HTTP',
    async (status) => {
      const fresh = await createStrangerWorld();
      const wrong: string[] = [];
      let failures = 0;
      const hear = (who: string, isFailure: boolean, spoken: string[]): void => {
        failures += isFailure ? 1 : 0;
        if (isFailure && speaks(spoken)) wrong.push(`${who}: ${spoken.join('\n')}`);
      };
      const fail = async (): Promise<void> => {
        for (const { id } of searchers) {
          fresh.gateway.parts.services.config.search.provider = [id];
          for (const one of quick.filter((_tool, index) => perPair > 3 || index % 9 === status % 9)) {
            const answer = await callTool(one, fresh);
            const spoken = [outsideFence(answer.text), ...ownTexts({ meta: answer.meta })];
            hear(`${one.toolset} ${one.tool.name} with ${id}`, answer.isError, spoken);
          }
          for (const path of ['/search', '/extract', '/crawl', '/map', '/answer']) {
            const response = await fresh.gateway.post(path, { ...inputFor(fresh.question()), provider: id });
            hear(`${path} with ${id}`, true, ownTexts(await response.json()));
          }
        }
      };
      await fresh.say(HOSTILE_TEXTS[status % HOSTILE_TEXTS.length] ?? '', fail, status);
      await fresh.gateway.close();
      expect(wrong).toEqual([]);
      expect(failures).toBeGreaterThan(searchers.length);
    },
    600_000,
  );
});
