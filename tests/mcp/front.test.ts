import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { serveFront, type FrontTable, type RealServer } from '../../src/mcp/front.ts';
import { frontTable } from '../../scripts/reference/front-table.ts';
import table from '../../src/mcp/front-table.json' with { type: 'json' };
import { toAgentTools } from '../../src/mcp/agent-tools.ts';
import { createOffers } from '../../src/mcp/offers.ts';
import { createStdioServer } from '../../src/mcp/stdio.ts';
import { toolsets } from '../../src/toolsets/index.ts';

/** The front answers, before the engine is loaded, exactly what the full server would answer. */

interface Message {
  id?: unknown;
  result?: unknown;
  error?: { code: number };
}

const engine = createEngine(loadConfig({ env: {}, flags: {} }).config, { log: silentLogger });
afterAll(() => engine.close());

const MODERN = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};
const hello = (protocolVersion: string) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

type Opening = [method: string, params: Record<string, unknown>][];
const ERAS: [era: string, opening: Opening][] = [
  ...['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2099-01-01'].map(
    (version): [string, Opening] => [
      version,
      [
        ['initialize', hello(version)],
        ['notifications/initialized', {}],
        ['tools/list', {}],
        ['prompts/list', {}],
        ['resources/templates/list', {}],
      ],
    ],
  ),
  [
    '2026-07-28',
    [
      ['server/discover', MODERN],
      ['tools/list', MODERN],
      ['prompts/list', MODERN],
      ['resources/templates/list', MODERN],
    ],
  ],
];

/** Sends the opening and resolves to the answers, one per request. */
function collect(opening: Opening): {
  messages: Record<string, unknown>[];
  take(message: unknown): void;
  done: Promise<Message[]>;
} {
  const answers: Message[] = [];
  let finish = (_answers: Message[]): void => undefined;
  const done = new Promise<Message[]>((resolve) => (finish = resolve));
  const messages = opening.map(([method, params], index) => ({
    jsonrpc: '2.0',
    ...(method.startsWith('notifications/') ? {} : { id: index }),
    method,
    params,
  }));
  const expected = messages.filter((message) => 'id' in message).length;
  return {
    messages,
    done,
    take: (message) => {
      answers.push(message as Message);
      if (answers.length === expected) finish(answers);
    },
  };
}

describe('the table in the repository', () => {
  test('is the one that the tools give: run `npm run generate`', () => {
    expect(table).toEqual(frontTable());
  });
});

describe.each(toolsets.map((toolset) => [toolset.id, toolset] as const))('the front of %s', (id, toolset) => {
  const entry = (table as unknown as Record<string, FrontTable>)[id] as FrontTable;

  test('gives every tool a title, and says whether it changes anything and reaches the web', () => {
    expect(entry.tools.length).toBeGreaterThan(0);
    for (const tool of entry.tools) {
      // Hosts run a tool that only reads without a question, so whatever deletes must not claim to.
      const deletes = JSON.stringify(tool).includes('delete');
      expect(tool).toMatchObject({
        title: expect.stringMatching(/^[\p{L} ]{3,40}$/u) as string,
        annotations: {
          openWorldHint: true,
          readOnlyHint: !deletes,
          ...(deletes && { destructiveHint: true }),
        },
      });
    }
  });

  test.each(ERAS)(
    'answers a client of %s as the real server does, without loading it',
    async (_era, opening) => {
      const fromFront = collect(opening);
      const input = new PassThrough();
      let isLoaded = false;
      const closed = serveFront({
        input,
        write: (line) => fromFront.take(JSON.parse(line)),
        table: entry,
        load: async () => {
          isLoaded = true;
          return { deliver: () => undefined, close: async () => undefined };
        },
      });
      for (const message of fromFront.messages) input.write(`${JSON.stringify(message)}\n`);
      const said = await fromFront.done;
      expect(isLoaded).toBe(false);
      input.end();
      await closed;

      const fromReal = collect(opening);
      const real: RealServer = createStdioServer(
        toolset,
        toAgentTools(toolset, engine.services),
        fromReal.take,
        createOffers({ toolset, services: engine.services, calls: undefined, surface: 'stdio' }),
      );
      for (const message of fromReal.messages) real.deliver(message);
      expect(said).toEqual(await fromReal.done);
      await real.close();
    },
  );
});

describe('a front whose engine is loaded late', () => {
  const websearch = toolsets.find((toolset) => toolset.id === 'websearch');

  test.each([
    ['a call at once after the opening', [['tools/call', { name: 'web_search', arguments: {} }]] as Opening],
    ['a method that nobody knows', [['no/such/method', {}]] as Opening],
    ['a list with a cursor', [['tools/list', { cursor: 'x' }]] as Opening],
  ])('%s: every request is answered exactly once, and initialize by the front', async (_name, rest) => {
    if (websearch === undefined) throw new Error('no websearch toolset');
    const { messages, take, done } = collect([
      ['initialize', hello('2025-11-25')],
      ['notifications/initialized', {}],
      ['tools/list', {}],
      ...rest,
    ]);
    const input = new PassThrough();
    const closed = serveFront({
      input,
      write: (line) => take(JSON.parse(line)),
      table: (table as unknown as Record<string, FrontTable>)['websearch'] as FrontTable,
      load: async (write) => createStdioServer(websearch, toAgentTools(websearch, engine.services), write),
    });
    for (const message of messages) input.write(`${JSON.stringify(message)}\n`);
    const answers = await done;
    input.end();
    await closed;
    expect(answers.map((answer) => answer.id)).toEqual([0, 2, 3]);
  });
});
