import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCall } from '../../src/operations/perform.ts';
import { countTokens } from '../../src/rank/tokens.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { defaultTools } from '../../src/toolsets/default/default.ts';
import { engineOf } from '../../src/toolsets/engine.ts';
import { runHeadgate } from '../support/cli.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { createScriptedResults, scriptedResultsConfig } from '../support/scripted-results.ts';

/** A token budget over all results of a search: the best passages are in it, whichever page has them. */
const QUERY = 'Who paid for the headgate of the Aldana canal?';
const ANSWER = 'The headgate of the Aldana canal was paid for by Marta Ribero, who owned the mill.';
const filler = (topic: string): string =>
  Array.from(
    { length: 6 },
    (_, at) =>
      `The ${topic} of the valley has its own page, part ${at}, with notes that readers of the archive have collected over many years and letters.`,
  ).join(' ');
const RESULTS = [
  { title: 'The canal', content: `The Aldana canal is long. ${filler('canal')}` },
  { title: 'The river', content: filler('river') },
  { title: 'The mill', content: `${filler('mill')} ${ANSWER} ${filler('bridge')}` },
];

let web: Sim;
let gateway: TestGateway;
beforeAll(async () => {
  web = await startSim({ upstreams: [createScriptedResults(RESULTS)] });
  gateway = await createTestGateway({ web: 'guarded', config: scriptedResultsConfig(web.url) });
});
afterAll(async () => {
  await gateway.close();
  await web.close();
});

describe.each(['basic', 'advanced'])('with depth %s', (depth) => {
  test.each([60, 150, 400])('the best passages are inside %i tokens', async (budget) => {
    const body = { query: QUERY, search_depth: depth, max_tokens: budget };
    const response = await gateway.post('/search', body);
    const { results, warnings } = (await response.json()) as {
      results: { content: string }[];
      warnings: string[];
    };
    const contents = results.map(({ content }) => content);
    const counts = await Promise.all(contents.map((content) => countTokens(content)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(budget);
    expect(contents.join('\n')).toContain('paid for by Marta Ribero');
    expect(results).toHaveLength(3);
    expect(warnings.some((warning) => warning.includes('max_tokens'))).toBe(contents.includes(''));
  });
});

test('the command line fills a budget in the same way', async () => {
  const env = {
    HEADGATE_PROVIDERS__SEARXNG__BASE_URL: `${web.url}/results`,
    HEADGATE_PROVIDERS__SEARXNG__PACE_MS: '0',
    HEADGATE_SEARCH__PROVIDER: 'searxng',
  };
  const home = mkdtempSync(join(tmpdir(), 'search-budget-'));
  const { out, err } = await runHeadgate(['search', QUERY, '--max-tokens', '60'], { home, env });
  expect(err).toBe('');
  expect(out).toContain('paid for by Marta Ribero');
  expect(out).not.toContain('river of the valley');
});

test('web_search fills its budget in the same way', async () => {
  const { services } = gateway.parts;
  const call = createCall(services);
  const tool = defaultTools.tools.find(({ name }) => name === 'web_search');
  const result = await tool?.run({ query: QUERY, max_tokens: 350 }, call, engineOf(services));
  call.end();
  expect(await countTokens(result?.text ?? '')).toBeLessThanOrEqual(350);
  expect(result?.text).toContain('paid for by Marta Ribero');
});
