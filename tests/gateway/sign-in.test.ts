import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createClientMemory,
  createSignInWorld,
  REGISTRATIONS,
  type ClientMemory,
  type SignInWorld,
} from '../support/gateway/sign-in.ts';

let world: SignInWorld;
beforeAll(async () => {
  world = await createSignInWorld();
});
afterAll(() => world.close());

/** Connects, signs in when asked to, and calls the tool. */
const GENERATIONS = {
  'a client of the 2026 era': (path: string, memory: ClientMemory) => {
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(`${world.url}${path}`), {
      authProvider: memory.provider,
    });
    return {
      client,
      connect: () => client.connect(transport),
      finish: (back: URL) => transport.finishAuth(back.searchParams),
    };
  },
  'a client of the 2025 era': (path: string, memory: ClientMemory) => {
    const client = new OldClient({ name: 'test', version: '1' });
    const transport = new OldTransport(new URL(`${world.url}${path}`), {
      authProvider: memory.provider,
    });
    return {
      client,
      connect: () => client.connect(transport),
      finish: (back: URL) => transport.finishAuth(back.searchParams.get('code') ?? ''),
    };
  },
};
type Generation = keyof typeof GENERATIONS;

async function signIn(generation: Generation, path: string, memory: ClientMemory, decision: object = {}) {
  const first = GENERATIONS[generation](path, memory);
  await expect(first.connect()).rejects.toThrow(/Unauthorized/i);
  const browser = await world.browser();
  const begun = await browser.begin(memory.sentTo());
  if ('refused' in begun) throw new Error(await begun.refused.text());
  const back = await browser.decide(begun.id, { allow: true, workspace: world.workspace, ...decision });
  await first.finish(back);
  const second = GENERATIONS[generation](path, memory);
  await second.connect();
  return second.client as Client;
}

const call = (client: Client, name: string, input: Record<string, unknown>) =>
  client.callTool({ name, arguments: input });

describe('signing in to a client', () => {
  const cases = (Object.keys(GENERATIONS) as Generation[]).flatMap((generation) =>
    REGISTRATIONS.map((registration) => [generation, registration] as const),
  );
  test.each(cases)('%s with a %s registration calls a tool', async (generation, registration) => {
    const memory = createClientMemory(registration);
    const client = await signIn(generation, '/mcp', memory);
    const result = await call(client, 'web_search', { query: 'tidal mills' });
    expect(JSON.stringify(result)).toContain('tidal mills');
    expect(result.isError ?? false).toBe(false);
    await client.close();
    const keys = await world.gateway.store.keys.list(world.workspace);
    expect(keys.at(-1)).toMatchObject({ person: 'alice', revoked: null });
    expect(keys.at(-1)?.client).toBeTruthy();
  });
});
