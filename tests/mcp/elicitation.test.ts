import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { tavilySim } from '../../src/sim/tavily.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { BARE, MAIN } from '../support/mcp/built.ts';
import { sized } from '../support/sized.ts';

/** An address that nobody showed to an agent is confirmed by the person at its client, in both protocol eras. */

interface Form {
  message: string;
}
type Person = (form: Form) => { action: 'accept' | 'decline' | 'cancel'; content?: { approve: boolean } };
interface Connected {
  read(url: string): Promise<string>;
  close(): Promise<void>;
}

let sim: Sim;
let gateway: TestGateway;
const open: Connected[] = [];
beforeAll(async () => {
  sim = await startSim({ upstreams: [tavilySim] });
});
afterAll(() => sim.close());
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  await gateway?.close();
});

const settings = () => ({
  'providers.tavily.api_key': 'tvly-test',
  'providers.tavily.base_url': `${sim.url}/tavily`,
  'search.provider': 'tavily',
  'extract.provider': 'tavily',
  'policy.fetch': 'admitted',
});

const envOf = (config: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(config).map(([name, value]) => [
      `HEADGATE_${name.toUpperCase().replaceAll('.', '__')}`,
      value,
    ]),
  );

const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? '';
const called = (url: string) => ({ name: 'fetch_url', arguments: { url } });

const endpointOf = async (policy: object): Promise<URL> => {
  gateway = await createTestGateway({ config: { ...settings(), ...policy } });
  return new URL(`${(await gateway.listen()).url}/mcp`);
};

async function connectFirst(person: Person | undefined, policy = {}): Promise<Connected> {
  const capabilities = person === undefined ? {} : { elicitation: {} };
  const client = new FirstClient({ name: 'v1', version: '1' }, { capabilities });
  if (person !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params as Form) as never);
  const endpoint = await endpointOf(policy);
  const headers = { authorization: `Bearer ${(await gateway.newKey({ tier: 'pro' })).key}` };
  await client.connect(new FirstHttp(endpoint, { requestInit: { headers } }));
  return { read: async (url) => textOf(await client.callTool(called(url))), close: () => client.close() };
}

async function connectModern(
  person: Person | undefined,
  policy = {},
  mode: 'auto' | 'legacy' = 'auto',
  road: 'stdio' | 'http' = 'stdio',
): Promise<Connected> {
  const capabilities = person === undefined ? {} : { elicitation: { form: {} } };
  const client = new ModernClient(
    { name: 'v2', version: '1' },
    { capabilities, versionNegotiation: { mode } },
  );
  if (person !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => person(params as Form) as never);
  const server = {
    command: process.execPath,
    args: [MAIN, 'mcp'],
    env: {
      ...BARE,
      HEADGATE_HOME: mkdtempSync(join(tmpdir(), 'headgate-elicitation-')),
      ...envOf({ ...settings(), ...policy }),
    },
    stderr: 'ignore' as const,
  };
  await client.connect(
    road === 'http' ? new ModernHttp(await endpointOf(policy)) : new ModernTransport(server),
  );
  return { read: async (url) => textOf(await client.callTool(called(url))), close: () => client.close() };
}

type Connect = (person?: Person, policy?: object) => Promise<Connected>;
const CLIENTS: [string, Connect][] = [
  ['the v1 SDK client over HTTP', connectFirst],
  ['the v2 SDK client, 2026 era', (person, policy) => connectModern(person, policy)],
  ['the v2 SDK client, 2025 era', (person, policy) => connectModern(person, policy, 'legacy')],
  [
    'the v2 SDK client, 2025 era, over HTTP',
    (person, policy) => connectModern(person, policy, 'legacy', 'http'),
  ],
];
const count = sized('clients whose person is asked', { small: 2, large: 4, full: 4 });
const yes: Person = () => ({ action: 'accept', content: { approve: true } });

describe.each(CLIENTS.slice(0, count))('an address that nobody showed, at %s', (_name, connect) => {
  const connected = async (person?: Person, policy?: object): Promise<Connected> => {
    const made = await connect(person, policy);
    open.push(made);
    return made;
  };
  const url = 'https://mill.example/?by=agent';

  test('is read when the person says yes, once, and no other', async () => {
    const asked: string[] = [];
    const answers = [yes, yes, () => ({ action: 'cancel' as const })];
    const client = await connected((form) => {
      asked.push(form.message);
      return answers[asked.length - 1]?.(form) ?? { action: 'decline' };
    });
    expect(await client.read(url)).toContain('</web-');
    expect(asked).toEqual([expect.stringContaining(url)]);
    // Every reading is a question of its own; who walks away has not answered, and who declines has.
    expect(await client.read(`${url}2`)).toContain('</web-');
    expect(await client.read(`${url}3`)).toMatch(/headgate policy approve/);
    expect(await client.read(`${url}4`)).toContain('A person has denied this address');
    expect(await client.read(`${url}4`)).toContain('A person has denied this address');
    expect(asked).toHaveLength(4);
  });

  test('waits for the console where the client offers no form, or the rules want that', async () => {
    const without = await connected();
    expect(await without.read(url)).toMatch(/headgate policy approve/);
    await gateway?.close();
    const console = await connected(yes, { 'policy.approvals': 'console' });
    expect(await console.read(url)).toMatch(/headgate policy approve/);
  });
});
