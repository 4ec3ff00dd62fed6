import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { runHeadgate } from '../support/cli.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { createScriptedResults, scriptedResultsConfig } from '../support/scripted-results.ts';

/** `answer` over instant answers, and over pages when those do not match. */
const FACT = 'The headgate of the Aldana canal was built by Marta Ribero in 1911.';
const snippet = 'The headgate of the Aldana canal has a page of its own.';
let web: Sim;
let gateway: TestGateway;
beforeAll(async () => {
  const results = [
    { title: 'The mill', content: 'The mill of the valley grinds wheat and is open on Sundays.' },
    { title: 'The headgate', content: `${snippet} ${FACT}` },
  ];
  web = await startSim({ upstreams: [...simUpstreams, createScriptedResults(results)] });
  gateway = await createTestGateway({
    web: 'guarded',
    config: {
      ...scriptedResultsConfig(web.url),
      'providers.duckduckgo.enabled': true,
      'providers.duckduckgo.answer_base_url': `${web.url}/duckduckgo-answer`,
      'providers.duckduckgo.pace_ms': 0,
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await web.close();
});

const QUERY = 'Who built the headgate of the Aldana canal (noresult)?';
const ask = async (body: object) =>
  (await (await gateway.post('/answer', body)).json()) as {
    answer?: string;
    answer_by?: string;
    match?: string;
    outcome: string;
    results: { title: string; url: string }[];
    attempts: { provider: string }[];
  };

test('without an instant answer pages are searched and read, and quoted with their numbers', async () => {
  const output = await ask({ query: QUERY });
  expect(output).toMatchObject({ answer_by: 'quotes', outcome: 'ok' });
  expect(output.answer).toContain(`“${FACT}”`);
  const [, number = ''] = /in 1911\.” \(\S+ \[(\d)\]\)/.exec(output.answer ?? '') ?? [];
  expect(output.results[Number(number) - 1]?.title).toBe('The headgate');
  expect(new Set(output.attempts.map(({ provider }) => provider))).toEqual(
    new Set(['duckduckgo', 'searxng']),
  );
});

test('an instant answer that matches is enough, and nothing is searched', async () => {
  const output = await ask({ query: '2+3' });
  expect(output.answer_by).toBeUndefined();
  expect(output.attempts.map(({ provider }) => provider)).toEqual(['duckduckgo']);
});

test('`web: false` looks up and does not search', async () => {
  const output = await ask({ query: QUERY, web: false });
  expect(output.answer_by).toBeUndefined();
  expect(output.attempts.map(({ provider }) => provider)).not.toContain('searxng');
});

test('the command prints the quotes and the numbered pages, also when instant answers are switched off', async () => {
  const env = {
    HEADGATE_PROVIDERS__SEARXNG__BASE_URL: `${web.url}/results`,
    HEADGATE_PROVIDERS__SEARXNG__PACE_MS: '0',
    HEADGATE_SEARCH__PROVIDER: 'searxng',
    HEADGATE_PROVIDERS__DUCKDUCKGO__ENABLED: 'false',
  };
  const home = mkdtempSync(join(tmpdir(), 'answer-'));
  const { out, code } = await runHeadgate(['answer', QUERY], { home, env });
  expect(code).toBe(0);
  expect(out).toContain(FACT);
  expect(out).toMatch(/^\d\. \*\*The headgate\*\* - http/m);
});
