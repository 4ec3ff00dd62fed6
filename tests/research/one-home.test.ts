import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHeadgate } from '../../src/index.ts';
import { runHeadgate } from '../support/cli.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { environment, MAIN } from '../support/mcp/built.ts';

/** Research of one home is listed everywhere: a gateway keeps it in its database, everything else in the data folder. */

let gateway: TestGateway;
let url: string;
beforeAll(async () => {
  gateway = await createTestGateway();
  url = (await gateway.listen()).url;
});
afterAll(() => gateway.close());

const post = async (path: string, body: object): Promise<Record<string, unknown>> =>
  (await (await gateway.post(path, body)).json()) as Record<string, unknown>;
const envOf = (): Record<string, string> => ({
  ...environment(gateway.sim.url),
  HEADGATE_HOME: gateway.home,
  HEADGATE_PROVIDERS__JINA__ENABLED: 'false',
  HEADGATE_PROVIDERS__FIRECRAWL__ENABLED: 'false',
  HEADGATE_PROVIDERS__YOUCOM__ENABLED: 'false',
});

async function withMcp<Value>(isStdio: boolean, use: (client: Client) => Promise<Value>): Promise<Value> {
  const client = new Client({ name: 'test', version: '1' });
  const stdio = { command: process.execPath, args: [MAIN, 'mcp'], env: envOf(), stderr: 'ignore' as const };
  await client.connect(
    isStdio ? new StdioClientTransport(stdio) : new StreamableHTTPClientTransport(new URL(`${url}/mcp`)),
  );
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** Reading pages would leave the simulator. */
const QUESTION = { query: 'tidal mills', max_iterations: 1, max_sub_queries: 1, follow_links: false };
const ARGV = ['--max-iterations', '1', '--max-sub-queries', '1', '--follow-links', 'false', '--json'];

interface Seen {
  ids: string[];
  /** The reports of these. */
  reports: string[];
}

/** How each surface starts a research, and what it sees of those that there are. */
const SURFACES: Record<string, { start?(): Promise<string>; look(ids: string[]): Promise<Seen> }> = {
  HTTP: {
    start: async () =>
      String((await post('/research', { input: 'tidal mills', model: 'mini' }))['request_id']),
    look: (ids) => lookWith(ids, (input) => post('/research_session', input)),
  },
  'the command line': {
    start: async () => {
      const argv = ['research', QUESTION.query, ...ARGV];
      const { out } = await runHeadgate(argv, { home: gateway.home, env: envOf() });
      return idsIn(out)[0] ?? out;
    },
    look: async (ids) => {
      const run = async (...argv: string[]): Promise<string> =>
        (await runHeadgate(['research', ...argv], { home: gateway.home, env: envOf() })).out;
      const reports: string[] = [];
      for (const id of ids) reports.push(await run('--report', id));
      return { ids: idsIn(await run('--list')), reports };
    },
  },
  'a program': {
    start: () => withProgram(async (headgate) => (await headgate.research(QUESTION)).session.research_id),
    look: (ids) => withProgram((headgate) => lookWith(ids, (input) => headgate.researchSession(input))),
  },
  'MCP over HTTP': {
    start: () =>
      withMcp(false, async (client) => {
        const { _meta } = await client.callTool({ name: 'research', arguments: { query: 'tidal mills' } });
        return (_meta as { 'headgate/result': { research_id: string } })['headgate/result'].research_id;
      }),
    look: (ids) => withMcp(false, (client) => lookOverMcp(client, ids)),
  },
  'MCP over stdio': { look: (ids) => withMcp(true, (client) => lookOverMcp(client, ids)) },
};

const idsIn = (text: string): string[] => [...new Set(text.match(/deepres-[0-9a-f]{12}/g))];

type Action = { action: 'list' | 'report' | 'delete'; research_id?: string };

async function lookWith(ids: string[], ask: (input: Action) => Promise<object>): Promise<Seen> {
  const { sessions = [] } = (await ask({ action: 'list' })) as { sessions?: { research_id: string }[] };
  const reports: string[] = [];
  for (const id of ids) reports.push(JSON.stringify(await ask({ action: 'report', research_id: id })));
  return { ids: sessions.map((one) => one.research_id), reports };
}

async function lookOverMcp(client: Client, ids: string[]): Promise<Seen> {
  const { resources } = await client.listResources();
  const reports: string[] = [];
  for (const id of ids)
    reports.push(JSON.stringify(await client.readResource({ uri: `headgate://research/${id}` })));
  return { ids: idsIn(resources.map(({ uri }) => uri).join(' ')), reports };
}

async function withProgram<Value>(
  use: (headgate: ReturnType<typeof createHeadgate>) => Promise<Value>,
): Promise<Value> {
  const headgate = createHeadgate({ env: envOf() });
  try {
    return await use(headgate);
  } finally {
    await headgate.close();
  }
}

test('what one surface has started, every surface lists and reads', async () => {
  const started: string[] = [];
  for (const { start } of Object.values(SURFACES)) if (start !== undefined) started.push(await start());
  expect(new Set(started).size).toBe(4);
  // The first one is in the database, the second one in the folder.
  const [first = '', second = ''] = started;
  for (const [name, { look }] of Object.entries(SURFACES)) {
    const { ids, reports } = await look([first, second]);
    expect([name, ...ids.sort()]).toEqual([name, ...[...started].sort()]);
    for (const report of reports) expect(`${name}: ${report}`).toContain('tidal mills');
  }
  await withProgram((headgate) => headgate.researchSession({ action: 'delete', research_id: first }));
  await post('/research_session', { action: 'delete', research_id: second });
  for (const { look } of [SURFACES['HTTP'], SURFACES['a program']] as {
    look(ids: string[]): Promise<Seen>;
  }[])
    expect((await look([])).ids.sort()).toEqual(started.slice(2).sort());
});
