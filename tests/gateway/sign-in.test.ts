import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  Browser,
  createClientMemory,
  createSingleSignOnWorld,
  MIRA,
  PASSWORD,
  REGISTRATIONS,
  type ClientMemory,
  type SingleSignOnWorld,
} from '../support/gateway/sign-in.ts';

let world: SingleSignOnWorld;
beforeAll(async () => {
  world = await createSingleSignOnWorld();
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

/** How the person signs in to the gateway when the consent page asks them to, and who they are then. */
const WAYS = {
  'a password': { person: 'alice', enter: (browser: Browser) => browser.signIn('alice', PASSWORD) },
  'an identity provider': {
    person: MIRA,
    enter: async (browser: Browser, consent: string) =>
      expect(await browser.signInThrough(consent)).toBe(`#/${consent}`),
  },
};
type Way = keyof typeof WAYS;

async function signIn(generation: Generation, path: string, memory: ClientMemory, way: Way) {
  const first = GENERATIONS[generation](path, memory);
  await expect(first.connect()).rejects.toThrow(/Unauthorized/i);
  const browser = new Browser(world.url);
  const begun = await browser.begin(memory.sentTo());
  if ('refused' in begun) throw new Error(await begun.refused.text());
  await WAYS[way].enter(browser, `consent/${begun.id}`);
  const back = await browser.decide(begun.id, { allow: true, workspace: world.workspace });
  await first.finish(back);
  const second = GENERATIONS[generation](path, memory);
  await second.connect();
  return second.client as Client;
}

const call = (client: Client, name: string, input: Record<string, unknown>) =>
  client.callTool({ name, arguments: input });

describe('signing in to a client', () => {
  const cases = (Object.keys(GENERATIONS) as Generation[]).flatMap((generation) =>
    REGISTRATIONS.flatMap((registration) =>
      (Object.keys(WAYS) as Way[]).map((way) => [generation, registration, way] as const),
    ),
  );
  test.each(cases)('%s with a %s registration and %s calls a tool', async (generation, registration, way) => {
    const memory = createClientMemory(registration);
    const client = await signIn(generation, '/mcp', memory, way);
    const result = await call(client, 'web_search', { query: 'tidal mills' });
    expect(JSON.stringify(result)).toContain('tidal mills');
    expect(result.isError ?? false).toBe(false);
    await client.close();
    const keys = await world.gateway.store.keys.list(world.workspace);
    expect(keys.at(-1)).toMatchObject({ person: WAYS[way].person, revoked: null });
    expect(keys.at(-1)?.client).toBeTruthy();
  });
});
