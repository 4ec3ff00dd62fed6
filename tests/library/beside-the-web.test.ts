import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LIBRARY_CHOICES } from '../../src/contract/search.ts';
import { createHeadgate, type Headgate } from '../../src/index.ts';
import { createCall } from '../../src/operations/perform.ts';
import { engineOf } from '../../src/toolsets/engine.ts';
import { toolsets } from '../../src/toolsets/index.ts';
import { runHeadgate } from '../support/cli.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

/** The documents of the library beside the results of the web, on every surface; never in their place. */
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createTestGateway({ config: { 'cache.enabled': false } });
  const text = 'The mill of Vrindal grinds rye on Tuesdays.';
  await gateway.engine.services.library.add([
    {
      id: 'mill',
      url: 'file:///notes/mill.md',
      title: 'The mill',
      content: text,
      format: 'markdown',
      kind: 'file',
    },
  ] as never);
}, 60_000);
beforeEach(() => gateway.sim.reset());
afterAll(async () => {
  await program?.close();
  await gateway.close();
});

/** What a surface showed, in the words of the contract. */
interface Seen {
  results: number;
  documents: string[];
  hasFailed: boolean;
}
type Surface = (query: string, library?: string) => Promise<Seen>;
const settings = () => ({
  'providers.duckduckgo.base_url': `${gateway.sim.url}/duckduckgo`,
  'providers.duckduckgo.pace_ms': 0,
  'providers.jina.enabled': false,
  'search.retries': 0,
  'cache.enabled': false,
});
let program: Headgate | undefined;
interface Answered {
  results: { provider: string }[];
  library?: { title: string }[];
}
const seen = ({ results, library = [] }: Answered): Seen => ({
  results: results.length,
  documents: library.map(({ title }) => title),
  hasFailed: false,
});
const failed: Seen = { results: 0, documents: [], hasFailed: true };
/** A text for people or models: results are numbered, and the library's come after its title. */
const read = (text: string): Seen => {
  const [web = '', local = ''] = text.split('From the local library:');
  const count = (part: string): number => part.match(/^\d+\. /gm)?.length ?? 0;
  return { results: count(web), documents: local.match(/The mill$/gm) ?? [], hasFailed: false };
};

const surfaces: Record<string, Surface> = {
  SDK: async (query, library) => {
    program ??= createHeadgate({ home: gateway.home, config: settings() });
    const output = program.search({ query, ...(library !== undefined && { library }) } as never);
    return output.then(seen, () => failed);
  },
  HTTP: async (query, library) => {
    const response = await gateway.post('/search', { query, library });
    return response.ok ? seen((await response.json()) as Answered) : failed;
  },
  CLI: async (query, library) => {
    const env = Object.fromEntries(
      Object.entries(settings()).map(([name, value]) => [
        `HEADGATE_${name.replaceAll('.', '__').toUpperCase()}`,
        String(value),
      ]),
    );
    const argv = ['search', query, ...(library === undefined ? [] : ['--library', library])];
    const { code, out } = await runHeadgate(argv, { home: gateway.home, env });
    return code === 0 ? read(out) : failed;
  },
  MCP: async (query, library) => {
    const { services } = gateway.engine;
    const tool = toolsets.find(({ id }) => id === 'default')?.tools.find(({ name }) => name === 'web_search');
    const call = createCall(services);
    const input = { query, ...(library !== undefined && { library }) };
    const result = await tool?.run(input, call, engineOf(services)).finally(() => call.end());
    return result?.isError === true || result === undefined ? failed : read(result.text);
  },
};
const apart: Seen = { results: 10, documents: ['The mill'], hasFailed: false };
const web: Seen = { ...apart, documents: [] };
const local: Seen = { ...web, results: 1 };
/** Whoever did not name the library may read `results` only, and would take an empty list for "nothing found". */
const bare: Seen = { ...apart, results: 0 };
const expected: Record<string, { open: Seen; blocked: (isText: boolean) => Seen }> = {
  'not set': { open: apart, blocked: (isText) => (isText ? bare : failed) },
  also: { open: apart, blocked: () => bare },
  only: { open: local, blocked: () => local },
  never: { open: web, blocked: () => failed },
};

describe.each(Object.entries(surfaces))('library over %s', (name, ask) => {
  test.each(['not set', ...LIBRARY_CHOICES])(
    '%s',
    async (choice) => {
      const library = choice === 'not set' ? undefined : choice;
      const { open, blocked } = expected[choice] ?? {};
      const answer = await ask('rye on Tuesdays', library);
      expect({ ...answer, results: answer.results > 1 ? 10 : answer.results }).toEqual(open);
      gateway.sim.script('/duckduckgo', [{ kind: 'status', status: 503, times: 'always' }]);
      expect(await ask('rye on Tuesdays', library)).toEqual(blocked?.(name === 'CLI' || name === 'MCP'));
    },
    60_000,
  );
});

test('documents about something else are not listed beside the web, and the attempt says that it was asked', async () => {
  const response = await gateway.post('/search', {
    query: 'cheap flights to Lisbon on Tuesdays in December',
  });
  const body = (await response.json()) as { library?: unknown; attempts: { provider: string }[] };
  expect(body.library).toBeUndefined();
  expect(body.attempts.map(({ provider }) => provider)).toEqual(['duckduckgo', 'local']);
});
