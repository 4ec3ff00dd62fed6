import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { PAGE_MAX } from '../../src/mcp/offers.ts';
import { OFFERED } from '../../src/toolsets/offered.ts';
import { toolsets } from '../../src/toolsets/index.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { environment, MAIN } from '../support/mcp/built.ts';
import { sized } from '../support/sized.ts';

/** Resources, prompts and completions, as clients of both SDKs get them over HTTP and over `headgate mcp --gateway`. */

let gateway: TestGateway;
let url: string;
interface Tenant {
  key: string;
  workspace: string;
  research: string;
  request: string;
}
let ours: Tenant;
let theirs: Tenant;
beforeAll(async () => {
  gateway = await createTestGateway({ config: { 'calls.keep_queries': true } });
  url = (await gateway.listen()).url;
  ours = await newTenant('tidal mills of Brittany');
  theirs = await newTenant('secret plans of the neighbours');
});
afterAll(() => gateway.close());

/** A workspace that keeps the texts of its calls, with one research and one search. */
async function newTenant(question: string): Promise<Tenant> {
  const { key, workspace } = await gateway.newKey({ tier: 'pro' });
  const kept = await gateway.admin('PATCH', `/workspaces/${workspace}`, {
    keep_queries: true,
    keep_answers: true,
  });
  expect(kept.status).toBe(200);
  const authorization = { authorization: `Bearer ${key}` };
  const started = await gateway.post('/research', { input: question, model: 'mini' }, authorization);
  const { request_id: research } = (await started.json()) as { request_id: string };
  await vi.waitFor(
    async () => {
      const answer = await gateway.app.request(`http://127.0.0.1/research/${research}`, {
        headers: authorization,
      });
      expect(await answer.json()).toMatchObject({ status: 'completed' });
    },
    { timeout: 30_000 },
  );
  const searched = await gateway.post('/search', { query: `${question} searched` }, authorization);
  const { request_id: request } = (await searched.json()) as { request_id: string };
  return { key, workspace, research, request };
}

type Given = Record<string, unknown>;

/** What both SDKs have in common. */
interface OfferClient {
  listResources(params?: {
    cursor: string;
  }): Promise<{ resources: Given[]; nextCursor?: string | undefined }>;
  listResourceTemplates(): Promise<{ resourceTemplates: Given[] }>;
  readResource(params: { uri: string }): Promise<{ contents: unknown[] }>;
  listPrompts(): Promise<{ prompts: Given[] }>;
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<{ messages: unknown[] }>;
  complete(params: Given): Promise<{ completion: { values: string[] } }>;
  close(): Promise<void>;
}

const stdio = (key: string, tools: string) => ({
  command: process.execPath,
  args: [MAIN, 'mcp', '--gateway', url, '--tools', tools],
  env: environment('http://127.0.0.1:9', { HEADGATE_API_KEY: key }),
  stderr: 'ignore' as const,
});
const http = (key: string, tools: string) =>
  [
    new URL(`${url}/mcp?tools=${tools}`),
    { requestInit: { headers: { authorization: `Bearer ${key}` } } },
  ] as const;

const DOORS: Record<string, (key: string, tools: string) => Promise<OfferClient>> = {
  '--gateway, 2025': async (key, tools) => {
    const client = new FirstClient({ name: 'v1', version: '1' });
    await client.connect(new FirstStdio(stdio(key, tools)));
    return client;
  },
  'HTTP, 2026': async (key, tools) => {
    const client = modern();
    await client.connect(new StreamableHTTPClientTransport(...http(key, tools)));
    return client;
  },
  'HTTP, 2025': async (key, tools) => {
    const client = new FirstClient({ name: 'v1', version: '1' });
    await client.connect(new FirstHttp(...http(key, tools)));
    return client;
  },
  '--gateway, 2026': async (key, tools) => {
    const client = modern();
    await client.connect(new ModernStdio(stdio(key, tools)));
    return client;
  },
};
const modern = (): ModernClient =>
  new ModernClient({ name: 'v2', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });

const textOf = ({ contents: [content] }: { contents: unknown[] }): string =>
  (content as { text: string }).text;

/** The first two are one client of each era, one of them through a process. */
const doors = sized('doors to what an MCP server offers', { small: 2, large: 4, full: 4 });
describe.each(Object.entries(DOORS).slice(0, doors))('%s', (_door, connect) => {
  test('has the researches and calls of its workspace, and nothing of another', async () => {
    const client = await connect(ours.key, 'default');
    try {
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual([
        'headgate://calls',
        `headgate://research/${ours.research}`,
      ]);
      const report = textOf(await client.readResource({ uri: `headgate://research/${ours.research}` }));
      expect(report).toMatch(/completed, \d+ sources?\.[^]*<web-[0-9a-f]+>[^]*tidal mills/);
      expect(report.length).toBeLessThan(LIMITS.toolTextCharsMax + 1_000);

      const recent = textOf(await client.readResource({ uri: 'headgate://calls' }));
      const { calls } = JSON.parse(recent) as { calls: Given[] };
      expect(calls.map(({ operation }) => operation)).toEqual(expect.arrayContaining(['search', 'research']));
      // Looking at what is there is no call.
      expect(calls.map(({ operation }) => operation)).not.toContain('research_session');
      expect(JSON.stringify([resources, calls])).not.toContain('neighbours');
      const uri = `headgate://calls/${ours.request}`;
      expect(calls).toContainEqual(expect.objectContaining({ uri, outcome: 'ok' }));
      const call = await client.readResource({ uri });
      expect(JSON.parse(textOf(call))).toMatchObject({
        request: ours.request,
        query: 'tidal mills of Brittany searched',
        attempts: [{ outcome: 'ok' }],
      });
      expect(call.contents).toHaveLength(2);

      for (const foreign of [
        `headgate://research/${theirs.research}`,
        `headgate://calls/${theirs.request}`,
        'headgate://keys',
        'headgate://research/../calls/x/y',
        'file:///etc/passwd',
        'nonsense',
      ])
        await expect(client.readResource({ uri: foreign })).rejects.toThrow(/not found|There is no resource/);
      await expect(client.listResources({ cursor: theirs.research })).rejects.toThrow(/not a cursor/);
    } finally {
      await client.close();
    }
  });

  test('has prompts and completes their arguments from its own workspace', async () => {
    const client = await connect(ours.key, 'default');
    try {
      const { prompts } = await client.listPrompts();
      expect(prompts).toMatchObject(OFFERED.en.prompts);
      expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject(OFFERED.en.templates);
      const { messages } = await client.getPrompt({
        name: 'research_question',
        arguments: { question: 'Who built\nthe mills?', mode: 'academic' },
      });
      expect(messages).toMatchObject([
        {
          role: 'user',
          content: {
            text: expect.stringMatching(
              /^Research .*: Who built the mills\?\n\nStart with research \(mode: academic\)/,
            ) as string,
          },
        },
      ]);
      const quoted = await client.getPrompt({
        name: 'check_quote',
        arguments: { quote: 'The mill ground wheat', research: ours.research },
      });
      expect(quoted.messages).toMatchObject([
        { content: { type: 'text' } },
        { content: { type: 'resource', resource: { uri: `headgate://research/${ours.research}` } } },
      ]);
      for (const [name, input, reason] of [
        ['research_question', {}, /question: is missing/],
        ['research_question', { question: 'x'.repeat(2_001) }, /question: is longer than 2000 characters/],
        ['no_such_prompt', {}, /There is no prompt "no_such_prompt"\. Use one of research_question/],
        ['check_quote', { quote: 'x', research: theirs.research }, /not found/],
      ] as const)
        await expect(client.getPrompt({ name, arguments: input })).rejects.toThrow(reason);

      const complete = async (ref: Given, name: string, value: string): Promise<string[]> =>
        (await client.complete({ ref, argument: { name, value } })).completion.values;
      const prompt = { type: 'ref/prompt', name: 'research_question' };
      expect(await complete(prompt, 'question', 'MILLS')).toEqual(['tidal mills of Brittany']);
      expect(await complete(prompt, 'question', 'neighbours')).toEqual([]);
      expect(await complete(prompt, 'mode', 'a')).toEqual(
        ['general', 'academic', 'technical'].filter((one) => one.includes('a')),
      );
      expect(await complete(prompt, 'nothing', '')).toEqual([]);
      const template = { type: 'ref/resource', uri: 'headgate://research/{id}' };
      expect(await complete(template, 'id', '')).toEqual([ours.research]);
      const call = { type: 'ref/resource', uri: 'headgate://calls/{request}' };
      expect(await complete(call, 'request', ours.request.slice(0, 13))).toEqual([ours.request]);
      expect(await complete(call, 'request', theirs.request)).toEqual([]);
    } finally {
      await client.close();
    }
  });
});

test.each(toolsets.map((toolset) => [toolset.id, toolset] as const))(
  'the prompts of %s are in its language and name only tools that it has',
  async (id, { language = 'en', tools }) => {
    const client = await (DOORS['HTTP, 2026'] as (typeof DOORS)[string])(ours.key, id);
    try {
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ title }) => title)).toEqual(OFFERED[language].prompts.map(({ title }) => title));
      for (const { name, arguments: given } of OFFERED[language].prompts) {
        const input = Object.fromEntries(given.map((one) => [one.name, `given ${one.name}`]));
        delete input['research'];
        const { messages } = await client.getPrompt({ name, arguments: input });
        const { text } = (messages[0] as { content: { text: string } }).content;
        expect(text).not.toContain('undefined');
        expect(/[\u3040-\u30ff]/.test(text)).toBe(language === 'ja');
        const names = new Set(text.match(/\b[a-z]+_[a-z]+\b/g));
        for (const tool of names) expect(tools.map((one) => one.name)).toContain(tool);
        for (const one of given.filter(({ required }) => required))
          expect(text).toContain(`given ${one.name}`);
      }
    } finally {
      await client.close();
    }
  },
);

test('a long list comes in pages, and a key without the scope sees no research', async () => {
  const { key, workspace } = await gateway.newKey();
  const now = Date.now();
  const { store } = gateway;
  const [example] = await store.research.list(ours.workspace, { limit: 1 });
  const count = PAGE_MAX + 7;
  for (let index = 0; index < count; index += 1) {
    const id = `deepres-${index.toString(16).padStart(12, '0')}`;
    const record = { ...(JSON.parse(example?.record ?? '') as Given), id, workspace, createdAt: now - index };
    await store.research.insert(
      { id, owner: 'x', workspace, record: JSON.stringify(record), created: now - index, expires: now + 1e6 },
      0,
    );
  }
  const connect = DOORS['HTTP, 2025'] as (typeof DOORS)[string];
  const client = await connect(key, 'default');
  const first = await client.listResources();
  expect(first.resources).toHaveLength(PAGE_MAX + 1);
  const second = await client.listResources({ cursor: first.nextCursor ?? '' });
  expect(second).toMatchObject({ resources: { length: 7 } });
  expect(second.nextCursor).toBeUndefined();
  expect(new Set([...first.resources, ...second.resources].map(({ uri }) => uri)).size).toBe(count + 1);
  await client.close();

  const { key: reader } = await store.keys.create({ workspace, label: 'reader', scopes: ['search'] });
  const limited = await connect(reader, 'default');
  expect((await limited.listResources()).resources).toMatchObject([{ uri: 'headgate://calls' }]);
  await expect(limited.readResource({ uri: 'headgate://research/deepres-000000000001' })).rejects.toThrow(
    /may not be used for research/,
  );
  await limited.close();
});

test('an agent sees its own calls only', async () => {
  const { key, workspace } = await gateway.newKey({ tier: 'pro' });
  const { id: agent } = await gateway.store.agents.create({
    workspace,
    name: 'Reader',
    settings: { searchWebProvider: 'headgate', fetchWebProvider: 'headgate' },
  });
  const { key: agentKey } = await gateway.store.keys.create({ workspace, label: 'agent', agent });
  await gateway.post('/search', { query: 'by a person' }, { authorization: `Bearer ${key}` });
  await gateway.post('/search', { query: 'by the agent' }, { authorization: `Bearer ${agentKey}` });
  const connect = DOORS['HTTP, 2026'] as (typeof DOORS)[string];
  const counts: number[] = [];
  for (const one of [key, agentKey]) {
    const client = await connect(one, 'default');
    const page = JSON.parse(textOf(await client.readResource({ uri: 'headgate://calls' }))) as { calls: [] };
    counts.push(page.calls.length);
    await client.close();
  }
  expect(counts).toEqual([2, 1]);
});
