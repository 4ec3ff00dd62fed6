import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HeadgateError } from '../../src/core/errors.ts';
import { KEY_SCOPES, type KeyScope, type WebTool } from '../../src/core/grant.ts';
import { operations } from '../../src/gateway/operations.ts';
import { createCall } from '../../src/operations/perform.ts';
import { createToolEngine, type ToolDeps } from '../../src/toolsets/engine.ts';
import { adminRoutes } from '../../src/gateway/admin/mount.ts';
import { toolsets } from '../../src/toolsets/index.ts';
import type { Tool } from '../../src/toolsets/tool.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { askWire, wireRoutes } from '../support/gateway/wire-shapes.ts';

/**
 * Every door of the product and every kind of caller: which operation a door leads to is found out by opening it with an engine
 * that only notes what it is asked; whether the caller may use it is what the operation says of itself.
 */

interface Identity {
  name: string;
  key: string;
  scopes: readonly KeyScope[];
  tools: readonly WebTool[] | undefined;
}

/** A door, and the operations behind it. */
interface Door {
  name: string;
  behind: string[];
  /** `forbidden`, another failure, or `ok`. */
  open(key: string): Promise<string>;
}

const WEB_TOOLS: readonly WebTool[] = ['search', 'fetch'];
/** Enough for every operation and tool; each takes what it knows. */
const INPUT = {
  query: 'tidal mills',
  input: 'tidal mills',
  urls: ['https://mill.example/'],
  url: 'https://mill.example/',
  id: 'https://mill.example/',
  quote: 'The mill on the river has ground wheat since 1742.',
  max_tokens: 1_000,
};

let gateway: TestGateway;
const identities: Identity[] = [];
const doors: Door[] = [];

beforeAll(async () => {
  // No time to finish: who is let in is seen from the refusal, and a research need not run to its end.
  gateway = await createTestGateway({
    config: {
      'search.timeout_ms': 150,
      'server.requests_per_minute': 100_000,
      'server.key_in_path': true,
    },
  });
  await addIdentities();
  await addDoors();
});
afterAll(() => gateway.close());

async function addIdentities(): Promise<void> {
  const add = async (
    name: string,
    scopes: readonly KeyScope[],
    tools?: readonly WebTool[],
  ): Promise<void> => {
    const { workspace } = await gateway.newKey({ tier: 'pro' });
    const agent = tools === undefined ? undefined : await agentWith(workspace, tools);
    const { key } = await gateway.world.store.keys.create({
      workspace,
      label: name,
      scopes: [...scopes],
      ...(agent === undefined ? {} : { agent }),
    });
    identities.push({ name, key, scopes, tools });
  };
  for (const scope of KEY_SCOPES) await add(`a key for ${scope} alone`, [scope]);
  await add('a key for everything', KEY_SCOPES);
  for (const tools of [[], ...WEB_TOOLS.map((tool) => [tool]), WEB_TOOLS])
    await add(`a key of an agent with ${tools.join(' and ') || 'no tools'}`, KEY_SCOPES, tools);
}

const agentWith = async (workspace: string, tools: readonly WebTool[]): Promise<string> =>
  (
    await gateway.store.agents.create({
      workspace,
      name: 'Agent',
      settings: {
        searchWebProvider: tools.includes('search') ? 'headgate' : null,
        fetchWebProvider: tools.includes('fetch') ? 'headgate' : null,
      },
    })
  ).id;

async function addDoors(): Promise<void> {
  for (const { contract } of operations) {
    for (const dryRun of [false, true])
      doors.push({
        name: `POST /${contract.name}${dryRun ? ' as a dry run' : ''}`,
        behind: [contract.name],
        open: async (key) => {
          const body = { ...bodyFor(contract.name), ...(dryRun ? { dry_run: true } : {}) };
          const response = await gateway.post(`/${contract.name}`, body, { authorization: `Bearer ${key}` });
          return codeOf((await response.json()) as never);
        },
      });
  }
  for (const route of wireRoutes)
    doors.push({
      name: route.name,
      behind: [route.operation],
      open: async (key) => STATUS_CODES[(await askWire(gateway, route, key)).status] ?? 'ok',
    });
  for (const toolset of toolsets)
    for (const tool of toolset.tools)
      for (const input of inputsOf(tool))
        doors.push({
          name: `${toolset.id}: ${tool.name} ${JSON.stringify(input['action'] ?? '')}`,
          behind: await operationsBehind(tool, input),
          open: (key) => callTool(`/mcp?tools=${toolset.id}`, tool.name, input, key),
        });
}

/** Each API has its own words for a refusal; the statuses are the same. */
const STATUS_CODES: Record<number, string> = {
  401: 'unauthenticated',
  403: 'forbidden',
  429: 'rate_limited',
};

function bodyFor(operation: string): Record<string, unknown> {
  if (operation === 'extract') return { urls: INPUT.urls };
  if (operation === 'crawl' || operation === 'map') return { url: INPUT.url };
  if (operation === 'research') return { input: INPUT.query };
  if (operation === 'research_session') return { action: 'list' };
  if (operation === 'verify_quote') return { quote: INPUT.quote, urls: INPUT.urls };
  return { query: INPUT.query };
}

/** A tool with actions is as many doors. */
function inputsOf(tool: Tool): Record<string, unknown>[] {
  const actions = (tool.input.shape['action'] as { options?: string[] } | undefined)?.options ?? [];
  if (actions.length === 0) return [INPUT];
  return actions.map((action) => ({ ...INPUT, action, research_id: 'deepres-000000000000' }));
}

/** What a tool asks of the engine when everything is refused. */
async function operationsBehind(tool: Tool, input: Record<string, unknown>): Promise<string[]> {
  const asked = new Set<string>();
  const refuse = (name: string) => async (): Promise<never> => {
    asked.add(name);
    throw new HeadgateError('forbidden', 'No.');
  };
  const engine = createToolEngine({
    ...Object.fromEntries(
      operations.map(({ contract: { name } }) => [
        name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()),
        refuse(name),
      ]),
    ),
    isReady: () => true,
  } as unknown as ToolDeps);
  const call = createCall(gateway.parts.services);
  await tool.run(input, call, engine);
  call.end();
  return [...asked];
}

async function callTool(path: string, name: string, input: object, key: string): Promise<string> {
  const response = await gateway.post(
    path,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } },
    { authorization: `Bearer ${key}`, accept: 'application/json, text/event-stream' },
  );
  if (response.status !== 200) return codeOf((await response.json()) as never);
  const text = await response.text();
  const message = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text) as {
    result?: { _meta?: Record<string, { code?: string }> };
  };
  return message.result?._meta?.['headgate/result']?.code ?? 'ok';
}

const codeOf = (body: { detail?: { code?: string } | string }): string =>
  typeof body.detail === 'object' ? (body.detail.code ?? 'ok') : 'ok';

const may = (identity: Identity, names: string[]): boolean =>
  names.every((name) => {
    const operation = operations.find(({ contract }) => contract.name === name);
    if (operation === undefined) throw new Error(`There is no operation ${name}.`);
    return (
      identity.scopes.includes(operation.scope) &&
      operation.webTools.every((tool) => identity.tools?.includes(tool) !== false)
    );
  });

describe('scopes and agents', () => {
  test('hold at every door: each operation, each tool of each toolset, each action', async () => {
    expect(doors.length).toBeGreaterThan(30);
    expect(doors.filter(({ behind }) => behind.length === 0).map(({ name }) => name)).toEqual([]);
    const wrong: string[] = [];
    for (const door of doors) {
      await Promise.all(
        identities.map(async (identity) => {
          const expected = may(identity, door.behind) ? 'open' : 'forbidden';
          const code = await door.open(identity.key);
          if ((code === 'forbidden' ? 'forbidden' : 'open') !== expected)
            wrong.push(`${identity.name} at ${door.name}: ${code}, should be ${expected}`);
        }),
      );
    }
    expect(wrong).toEqual([]);
  }, 60_000);

  test('hold at every route of the administration', async () => {
    const wrong: string[] = [];
    for (const { method, path, scopeToWorkspace: within, body } of adminRoutes) {
      for (const { name, key, scopes } of identities) {
        const needed = method === 'GET' ? 'admin:read' : 'admin:write';
        const expected = within !== undefined && scopes.includes(needed) ? 'open' : 'forbidden';
        const response = await gateway.app.request(`http://127.0.0.1/admin${path.replace(':id', 'nobody')}`, {
          method,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: '{}' }),
        });
        if ((response.status === 403 ? 'forbidden' : 'open') !== expected)
          wrong.push(`${name} at ${method} ${path}: ${response.status}, should be ${expected}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('a key for search alone does not read, crawl or research over MCP', async () => {
    const { key } = await gateway.newKey({ scopes: ['search'] });
    expect(await callTool('/mcp', 'web_search', INPUT, key)).not.toBe('forbidden');
    expect(await callTool('/mcp', 'fetch_url', INPUT, key)).toBe('forbidden');
    expect(await callTool('/mcp', 'research', INPUT, key)).toBe('forbidden');
    expect(await callTool('/mcp?tools=tavily', 'tavily_crawl', INPUT, key)).toBe('forbidden');
  });

  test('a key of an agent whose tools are off does not search, read or research anywhere', async () => {
    const { workspace } = await gateway.newKey();
    const agent = await agentWith(workspace, []);
    const { key } = await gateway.world.store.keys.create({ workspace, label: 'off', agent });
    for (const path of ['/search', '/extract', '/research'])
      expect(
        (await gateway.post(path, bodyFor(path.slice(1)), { authorization: `Bearer ${key}` })).status,
      ).toBe(403);
    expect(await callTool('/mcp', 'web_search', INPUT, key)).toBe('forbidden');
    expect(await callTool('/mcp', 'fetch_url', INPUT, key)).toBe('forbidden');
    await gateway.world.store.agents.update(agent, { settings: { searchWebProvider: 'headgate' } });
    expect(await callTool('/mcp', 'web_search', INPUT, key)).not.toBe('forbidden');
  });

  test('research needs its own scope alone: what it searches and reads on its way is part of it', async () => {
    const { key } = await gateway.newKey({ scopes: ['research'] });
    const output = await callTool('/mcp', 'research', INPUT, key);
    expect(output).not.toBe('forbidden');
  });

  test('whoever shows a wrong key gets through no door', async () => {
    for (const door of doors)
      expect([door.name, await door.open('hg_live_wrong')]).toEqual([
        door.name,
        expect.stringMatching(/^(unauthenticated|rate_limited)$/),
      ]);
  });
});

test('a tool names the scope of the operation that it leads to, unless its actions have several', async () => {
  for (const toolset of toolsets)
    for (const tool of toolset.tools) {
      const behind = await Promise.all(inputsOf(tool).map((input) => operationsBehind(tool, input)));
      const scopes = new Set(
        behind.flat().map((name) => operations.find(({ contract }) => contract.name === name)?.scope),
      );
      const [only] = scopes;
      expect([toolset.id, tool.name, tool.scope]).toEqual([
        toolset.id,
        tool.name,
        scopes.size === 1 ? only : undefined,
      ]);
    }
});
