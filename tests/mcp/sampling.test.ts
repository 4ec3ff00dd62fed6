import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { BARE, MAIN } from '../support/mcp/built.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { honestAnswer } from '../../src/sim/model.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { topicsSim } from '../../src/sim/topics.ts';
import { sized } from '../support/sized.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

/** With no model configured, research uses the client's model (sampling), over stdio and HTTP, in both protocol eras. */

/** What a client's model says to a prompt, or throws when the person says no. */
type Model = (prompt: string) => string;

interface Connected {
  research(): Promise<string>;
  close(): Promise<void>;
}

let sim: Sim;
let gateway: TestGateway;
let endpoint: URL;
const open: Connected[] = [];
beforeAll(async () => {
  sim = await startSim({ upstreams: [topicsSim] });
  gateway = await createTestGateway({
    config: {
      'providers.tavily.api_key': 'tvly-test',
      'providers.tavily.base_url': `${sim.url}/topics`,
      'search.provider': 'tavily',
      'extract.provider': 'tavily',
    },
  });
  endpoint = new URL(`${(await gateway.listen()).url}/mcp`);
});
afterAll(async () => {
  await gateway.close();
  await sim.close();
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const server = (road: Road) => ({
  command: process.execPath,
  args: [MAIN, 'mcp', ...(road === 'gateway' ? ['--gateway', endpoint.href] : [])],
  env: {
    ...BARE,
    HEADGATE_HOME: mkdtempSync(join(tmpdir(), 'headgate-sampling-')),
    TAVILY_API_KEY: 'tvly-test',
    HEADGATE_PROVIDERS__TAVILY__BASE_URL: `${sim.url}/topics`,
    HEADGATE_SEARCH__PROVIDER: 'tavily',
    HEADGATE_EXTRACT__PROVIDER: 'tavily',
  },
  stderr: 'ignore' as const,
});

const question = {
  name: 'research',
  arguments: { query: 'When was the headgate of the Aldana canal built?' },
};
const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? '';
const promptOf = (messages: { content: unknown }[]): string =>
  messages.map(({ content }) => (content as { text: string }).text).join('\n');
const answer = (text: string) => ({
  role: 'assistant' as const,
  model: 'client-1',
  content: { type: 'text' as const, text },
});

type Road = 'stdio' | 'http' | 'gateway';

async function connectFirst(model: Model | undefined, road: Road = 'stdio'): Promise<Connected> {
  const capabilities = model === undefined ? {} : { sampling: {} };
  const client = new FirstClient({ name: 'v1', version: '1' }, { capabilities });
  if (model !== undefined)
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) =>
      answer(model(promptOf(params.messages))),
    );
  await client.connect(road === 'http' ? new FirstHttp(endpoint) : new FirstTransport(server(road)));
  return { research: async () => textOf(await client.callTool(question)), close: () => client.close() };
}

async function connectModern(
  model: Model | undefined,
  mode: 'auto' | 'legacy',
  road: Road = 'stdio',
): Promise<Connected> {
  const capabilities = model === undefined ? {} : { sampling: {} };
  const client = new ModernClient(
    { name: 'v2', version: '1' },
    { capabilities, versionNegotiation: { mode } },
  );
  if (model !== undefined)
    client.setRequestHandler('sampling/createMessage', ({ params }) =>
      answer(model(promptOf(params.messages))),
    );
  await client.connect(road === 'http' ? new ModernHttp(endpoint) : new ModernTransport(server(road)));
  expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
  return { research: async () => textOf(await client.callTool(question)), close: () => client.close() };
}

type Connect = (model?: Model) => Promise<Connected>;
const CLIENTS: [string, Connect][] = [
  ['the v1 SDK client over HTTP', (model) => connectFirst(model, 'http')],
  ['the v1 SDK client', connectFirst],
  ['the v2 SDK client, 2026 era', (model) => connectModern(model, 'auto')],
  ['the v2 SDK client, 2025 era, over HTTP', (model) => connectModern(model, 'legacy', 'http')],
  ['the v2 SDK client, 2025 era', (model) => connectModern(model, 'legacy')],
  ['the v1 SDK client through --gateway', (model) => connectFirst(model, 'gateway')],
];
const count = sized('clients whose model is asked', { small: 1, large: 6, full: 6 });

describe.each(CLIENTS.slice(0, count))('research with the model of %s', (_name, connect) => {
  const ask = async (model?: Model): Promise<string> => {
    const connected = await connect(model);
    open.push(connected);
    return connected.research();
  };

  test('plans, analyses and writes with it, a bounded number of times', async () => {
    const tasks: string[] = [];
    const text = await ask((prompt) => {
      tasks.push(/^TASK: (\w+)/m.exec(prompt)?.[1] ?? '');
      return honestAnswer(prompt);
    });
    expect(tasks).toEqual(['plan', 'analysis', 'refinement', 'synthesis']);
    expect(text).toContain('A language model chose and worded the findings');
    expect(text).toContain('The source says: The headgate of the Aldana canal was built in');
  }, 30_000);

  test('does not ask for ever', async () => {
    let asked = 0;
    const text = await ask(() => {
      asked += 1;
      return 'I would rather talk about something else.';
    });
    expect(asked).toBeLessThanOrEqual(LIMITS.samplingAsksMax);
    expect(text).toContain('was built in 1911');
  }, 30_000);

  test('asks nobody who did not offer it', async () => {
    expect(await ask()).toContain('No language model was used');
  }, 30_000);
});

const REFUSING: [string, Connect][] = [
  ['the v1 SDK client', connectFirst],
  ['the v2 SDK client, 2025 era', (model) => connectModern(model, 'legacy')],
];
const refusing = sized('clients whose person says no to sampling', { small: 1, large: 2, full: 2 });
describe.each(REFUSING.slice(0, refusing))('a person who says no to %s', (_name, connect) => {
  test('is not asked again; the research goes on without a model, and says so', async () => {
    let asked = 0;
    const connected = await connect(() => {
      asked += 1;
      throw new Error('The person said no');
    });
    open.push(connected);
    const text = await connected.research();
    expect(asked).toBe(1);
    expectQuotes(text);
  }, 30_000);
});

describe('a 2026 client over HTTP', () => {
  test('is not asked, since its next round may reach another gateway', async () => {
    let asked = 0;
    const connected = await connectModern(
      () => {
        asked += 1;
        return '';
      },
      'auto',
      'http',
    );
    open.push(connected);
    expect(await connected.research()).toContain('No language model was used');
    expect(asked).toBe(0);
  }, 30_000);
});

describe('a 2026 client that drives the rounds itself', () => {
  interface Asked {
    resultType?: string;
    inputRequests?: Record<string, { method: string; params: { maxTokens: number } }>;
    requestState?: string;
  }
  const connect = async () => {
    const client = new ModernClient(
      { name: 'v2', version: '1' },
      { capabilities: { sampling: {} }, versionNegotiation: { mode: 'auto' } },
    );
    await client.connect(new ModernTransport(server('stdio')));
    open.push({ research: async () => '', close: () => client.close() });
    const call = async (more: object = {}): Promise<Asked> =>
      (await client.callTool({ ...question, ...more }, { allowInputRequired: true })) as Asked;
    return call;
  };

  test('is told what is wanted, and may call again without a reply: the person said no', async () => {
    const call = await connect();
    const first = await call();
    expect(first.resultType).toBe('input_required');
    const [request] = Object.values(first.inputRequests ?? {});
    expect(request).toMatchObject({ method: 'sampling/createMessage', params: { maxTokens: 4_000 } });
    const last = await call({ inputResponses: {}, requestState: first.requestState });
    expectQuotes(textOf(last));
  }, 30_000);

  test('cannot go on with a state that is not its own, or twice with the same', async () => {
    const call = await connect();
    await expect(call({ inputResponses: {}, requestState: 'made-up' })).rejects.toThrow('requestState');
    const first = await call();
    await call({ inputResponses: {}, requestState: first.requestState });
    await expect(call({ inputResponses: {}, requestState: first.requestState })).rejects.toThrow(
      'requestState',
    );
  }, 30_000);
});

function expectQuotes(text: string): void {
  expect(text).toContain('The client’s model could not be asked');
  expect(text).toContain('No language model was used');
  expect(text).toContain('was built in 1911');
}
