import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as bridge from '../../src/bridge.ts';
import type { LogFields, Logger } from '../../src/core/log.ts';
import {
  callTool,
  convertTool,
  convertToolsToMcpServer,
  convertToolWithDeps,
  createDepsContext,
  createMcpServerFromTools,
  createToolRegistry,
  deserializeDeps,
  extractToolsFromToolsets,
  MissingDepsError,
  serializeDeps,
  ToolNotFoundError,
  ToolsetNotRegisteredError,
  toolNamesOf,
  ToolValidationError,
  TypeHintResolutionError,
  UnsupportedDepsTypeError,
  type AgentTool,
  type BridgeServer,
  type CallResult,
  type ToolContext,
} from '../../src/bridge.ts';

// The rules are those of docs/specs/bridge.md.

const parametersJsonSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const weather = {
  name: 'weather',
  description: 'The weather in a city.',
  parametersJsonSchema,
  function: ({ city }: { city: string }) => `sunny in ${city}`,
};
const plain = (name: string, run: (input: never, context: ToolContext) => unknown = () => name) => ({
  name,
  description: name,
  parametersJsonSchema: { type: 'object' },
  function: run,
});
const context = (signal = new AbortController().signal): ToolContext => ({ signal, callId: 'call-1' });

async function call(tool: unknown, input: Record<string, unknown> = {}): Promise<CallResult> {
  return callTool(await convertTool(tool), input, context());
}

async function connect(server: BridgeServer | undefined): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await server?.instance.connect(far);
  await client.connect(near);
  return client;
}

const namesIn = async (server: BridgeServer | undefined): Promise<string[]> =>
  (await (await connect(server)).listTools()).tools.map(({ name }) => name);

function recorder(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const write = (event: string, fields: LogFields = {}) =>
    void lines.push(`${event}: ${String(fields['message'])}`);
  return { logger: { debug: write, info: write, warn: write, error: write }, lines };
}

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

describe('US1: tools of an agent as an MCP server', () => {
  test('US1-1, FR-001, FR-002: registering a toolset gives a server config that the Agent SDK accepts', async () => {
    const registry = createToolRegistry();
    await registry.setAgentToolsets({ tools: { weather } });
    const server = registry.getMcpServers()['agent_tools'];
    expect(Object.keys(server ?? {})).toEqual(['type', 'name', 'instance']);
    expect(server).toMatchObject({ type: 'sdk', name: 'agent_tools' });
    expect(await namesIn(server)).toEqual(['weather']);
  });

  test('US1-2: all tools of a toolset are published as mcp__<server>__<tool>', async () => {
    const server = await createMcpServerFromTools({ toolsets: { tools: { a: plain('a'), b: plain('b') } } });
    expect(toolNamesOf(server)).toEqual(['mcp__agent_tools__a', 'mcp__agent_tools__b']);
  });

  test('US1-3, FR-006, SC-001, SC-002: a call runs the function and its result comes back as MCP content', async () => {
    const client = await connect(await createMcpServerFromTools({ toolsets: [weather] }));
    const result = await client.callTool({ name: 'weather', arguments: { city: 'Kyoto' } });
    expect(result.content).toEqual([{ type: 'text', text: 'sunny in Kyoto' }]);
  });

  test('US1-4: a function that throws is logged and answered as isError, on both levels alike', async () => {
    const broken = plain('broken', () => {
      throw new TypeError('no such city');
    });
    const failure = { content: [{ type: 'text', text: 'Error: TypeError: no such city' }], isError: true };
    const { logger, lines } = recorder();
    expect(await callTool(await convertTool(broken), {}, context(), { logger })).toEqual(failure);
    expect(lines).toHaveLength(1);
    const client = await connect(await createMcpServerFromTools({ toolsets: [broken] }));
    expect(await client.callTool({ name: 'broken' })).toMatchObject(failure);
  });
});

describe('US2: one tool', () => {
  test('US2-1, FR-003: keeps its name, its description and its schema, to the byte', async () => {
    const tool = await convertTool(weather);
    expect(tool).toMatchObject({ name: 'weather', description: 'The weather in a city.' });
    expect(JSON.stringify(tool.inputSchema)).toBe(JSON.stringify(parametersJsonSchema));
    expect((await convertTool({ ...weather, description: undefined })).description).toBe('');
  });

  test('US2-2, FR-005: synchronous, asynchronous and awaitable-returning functions all work', async () => {
    // oxlint-disable-next-line unicorn/no-thenable -- any awaitable must do, not only promises
    const thenable = { then: (resolve: (value: string) => void) => resolve('awaited') };
    expect(await call(plain('sync', () => 'now'))).toEqual(text('now'));
    expect(await call(plain('async', async () => 'later'))).toEqual(text('later'));
    expect(await call(plain('thenable', () => thenable))).toEqual(text('awaited'));
  });

  test('US2-3: a tool that needs dependencies is refused without them', async () => {
    const needy = { ...plain('needy'), takesContext: true };
    await expect(convertTool(needy)).rejects.toThrow(MissingDepsError);
    await expect(
      createMcpServerFromTools({ toolsets: [needy, { ...needy, name: 'needier' }] }),
    ).rejects.toThrow('Tools that need dependencies were found (needy, needier), but none were given.');
  });

  test('US2-4: an object becomes JSON', async () => {
    expect(await call(plain('object', () => ({ a: [1, null] })))).toEqual(text('{"a":[1,null]}'));
  });

  test('US2-5: an answer in MCP form passes whole: isError, images, structured content, an empty list', async () => {
    const results: CallResult[] = [
      {
        content: [
          { type: 'image', data: 'aGk=', mimeType: 'image/png' },
          { type: 'text', text: 'hi' },
        ],
      },
      { content: [{ type: 'text', text: 'no' }], isError: true, _meta: { why: 1 } },
      { content: [], structuredContent: { a: 1 } },
      { content: [] },
    ];
    for (const result of results) expect(await call(plain('mcp', () => result))).toEqual(result);
  });
});

describe('US3: a tool with dependencies (experimental)', () => {
  const greet = {
    ...plain('greet', (_input, { deps }) => `hello ${(deps as { user: string }).user}`),
    takesContext: true,
  };

  test('US3-1, FR-007, FR-010, SC-003: plain data is injected through a DepsContext', async () => {
    const tool = await convertToolWithDeps(greet, { user: 'Ada', tags: ['x'], limits: { max: 3 } });
    expect(await callTool(tool, {}, context())).toEqual(text('hello Ada'));
    expect(createDepsContext({ user: 'Ada' }).deps).toEqual({ user: 'Ada' });
  });

  test('US3-2: an instance that a schema describes is injected as it is', async () => {
    class Config {
      readonly user: string;
      constructor(user: string) {
        this.user = user;
      }
    }
    const tool = await convertToolWithDeps(greet, new Config('Ada'), {
      schema: z.object({ user: z.string() }),
    });
    expect(await callTool(tool, {}, context())).toEqual(text('hello Ada'));
  });

  test('US3-3, FR-009, SC-004: what is not data is refused, with the place where it is', async () => {
    const client = new AbortController();
    await expect(convertToolWithDeps(greet, { http: { client } })).rejects.toThrow(
      'Unsupported dependency type: AbortController at deps.http.client.',
    );
  });

  test('dependencies of any kind may be given as toolContext, since the tool runs in this process', async () => {
    const live = { user: 'Ada', close: () => undefined };
    expect(await callTool(await convertTool(greet, { toolContext: live }), {}, context())).toEqual(
      text('hello Ada'),
    );
    const registry = createToolRegistry();
    await registry.setAgentToolsets([greet], { toolContext: live });
    await expect(registry.setAgentToolsets([greet], { deps: live })).rejects.toThrow(
      'function at deps.close',
    );
    expect(await namesIn(registry.getMcpServers()['agent_tools'])).toEqual(['greet']);
  });
});

describe('US4: dependencies as text', () => {
  test('US4-1, US4-3, FR-008, SC-009: plain data goes to JSON and back, checked against a JSON Schema', () => {
    const deps = { key: 'k', at: new Date(0), seen: new Set([1]), by: new Map([['a', { b: undefined }]]) };
    const json = serializeDeps(deps);
    expect(() => JSON.parse(json) as unknown).not.toThrow();
    expect(deserializeDeps(json)).toStrictEqual(deps);
    const schema = { type: 'object', required: ['key'], properties: { key: { type: 'string' } } };
    expect(deserializeDeps(json, schema)).toStrictEqual(deps);
    expect(() => deserializeDeps('{"key":1}', schema)).toThrow('key: must be text, not a whole number.');
    expect(() => deserializeDeps('{', schema)).toThrow(SyntaxError);
  });

  test('US4-2, SC-009: what a zod schema describes comes back as what the schema makes', () => {
    class Config {
      readonly user: string;
      constructor(user: string) {
        this.user = user;
      }
    }
    const schema = z.object({ user: z.string() }).transform(({ user }) => new Config(user));
    const back = deserializeDeps(serializeDeps(new Config('Ada'), { schema }), schema);
    expect(back).toStrictEqual(new Config('Ada'));
  });

  test('US4-4: what is not data is refused at once, however deep it is', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = { loop };
    const cases: [unknown, string][] = [
      [{ f: () => 1 }, 'function at deps.f'],
      [[1, { n: Number.NaN }], 'NaN at deps[1].n'],
      [{ big: 1n }, 'bigint at deps.big'],
      [{ [Symbol('s')]: 1 }, 'symbol at deps[Symbol(s)]'],
      [new Map([[{}, 1]]), 'Object at deps.keys()'],
      [{ date: new Date(Number.NaN) }, 'Date at deps.date (not a point in time)'],
      [{ re: /x/ }, 'RegExp at deps.re'],
      [{ bytes: new Uint8Array(1) }, 'Uint8Array at deps.bytes'],
      [loop, 'Object at deps.self.loop (refers to itself)'],
      [Promise.resolve(1), 'Promise at deps'],
    ];
    for (const [deps, message] of cases) {
      expect(() => serializeDeps(deps)).toThrow(UnsupportedDepsTypeError);
      expect(() => createDepsContext(deps)).toThrow(message);
    }
  });
});

describe('US5: the tools of one request', () => {
  const three = { tools: [plain('a'), plain('b'), plain('c')] };

  test('US5-1, FR-011, SC-006: only the tools that were asked for, in the order of the request', async () => {
    const registry = createToolRegistry();
    await registry.setAgentToolsets(three);
    const selection = registry.processFunctionTools(['c', 'a']);
    expect(await namesIn(selection.mcpServers['agent_tools'])).toEqual(['c', 'a']);
    expect(selection.toolNames).toEqual(['mcp__agent_tools__c', 'mcp__agent_tools__a']);
  });

  test('US5-2, SC-006: a tool that nobody registered is named, beside those there are', async () => {
    const registry = createToolRegistry();
    await registry.setAgentToolsets(three);
    const wrong = () => registry.processFunctionTools(['a', 'x', 'y']);
    expect(wrong).toThrow(ToolNotFoundError);
    expect(wrong).toThrow('Tools not found in the registered toolsets: x, y. Available tools: a, b, c.');
  });

  test('US5-3: asking before anything is registered says what to call', () => {
    const early = () => createToolRegistry().processFunctionTools(['a', 'b']);
    expect(early).toThrow(ToolsetNotRegisteredError);
    expect(early).toThrow('Tools were asked for (a, b), but no toolsets are registered.');
  });

  test('a filter leaves nothing behind: later and concurrent requests see their own tools', async () => {
    const registry = createToolRegistry();
    await registry.setAgentToolsets(three);
    const [one, two] = [registry.processFunctionTools(['a']), registry.processFunctionTools(['b', 'c'])];
    const listed = await Promise.all([one, two].map(({ mcpServers }) => namesIn(mcpServers['agent_tools'])));
    expect(listed).toEqual([['a'], ['b', 'c']]);
    const client = await connect(one.mcpServers['agent_tools']);
    await expect(client.callTool({ name: 'b' })).rejects.toThrow("Unknown tool 'b'. This server has: a.");
    expect(await namesIn(registry.processFunctionTools().mcpServers['agent_tools'])).toEqual(['a', 'b', 'c']);
    expect(await namesIn(registry.getMcpServers()['agent_tools'])).toEqual(['a', 'b', 'c']);
  });

  test('one server serves several connections at once', async () => {
    const server = await createMcpServerFromTools({ toolsets: [weather] });
    expect(await Promise.all([namesIn(server), namesIn(server)])).toEqual([['weather'], ['weather']]);
  });

  test('no names means all tools, an empty list means none, and an unrestricted list stays unrestricted', async () => {
    const registry = createToolRegistry();
    await registry.setAgentToolsets(three);
    expect(registry.processFunctionTools([]).mcpServers).toEqual({});
    const all = registry.processFunctionTools();
    expect(all.allowedTools(undefined)).toBeUndefined();
    expect(all.allowedTools(['Read'])).toEqual([
      'Read',
      'mcp__agent_tools__a',
      'mcp__agent_tools__b',
      'mcp__agent_tools__c',
    ]);
    await registry.setAgentToolsets(null);
    expect(registry.getMcpServers()).toEqual({});
  });
});

describe('edge cases', () => {
  test.each(['', '  '])('the name %j is refused (FR-012)', async (name) => {
    await expect(convertTool({ ...weather, name })).rejects.toThrow(ToolValidationError);
    await expect(convertTool({ ...weather, name })).rejects.toThrow('Tool name cannot be empty.');
  });

  test('a tool without a function is refused (FR-012, SC-005)', async () => {
    await expect(convertTool({ ...weather, function: undefined })).rejects.toThrow(
      "Tool 'weather' has no function registered. Each tool must have a callable function.",
    );
  });

  test('FR-004: the schema is taken from three places in order; without any, all places are named', async () => {
    const at = (city: string) => ({ type: 'object', properties: { [city]: {} } });
    const tool = { name: 't', function: () => 1 };
    const third = { ...tool, toolDef: { parametersJsonSchema: at('third') } };
    const second = { ...third, functionSchema: { jsonSchema: at('second') } };
    const first = { ...second, parametersJsonSchema: at('first') };
    for (const [given, expected] of [
      [first, 'first'],
      [second, 'second'],
      [third, 'third'],
    ] as const) {
      expect((await convertTool(given)).inputSchema).toEqual(at(expected));
    }
    await expect(convertTool(tool)).rejects.toThrow(
      "Cannot extract JSON schema from tool 't'. Expected one of: parametersJsonSchema, functionSchema.jsonSchema, toolDef.parametersJsonSchema, __action.inputJsonSchema",
    );
  });

  test.each([
    [{ parametersJsonSchema: 'text' }, 'parametersJsonSchema must be an object, got string'],
    [{ parametersJsonSchema: [] }, 'parametersJsonSchema must be an object, got list'],
    [{ functionSchema: { jsonSchema: 5 } }, 'functionSchema.jsonSchema must be an object, got number'],
    [
      { toolDef: { parametersJsonSchema: true } },
      'toolDef.parametersJsonSchema must be an object, got boolean',
    ],
  ])('a schema that is no object is refused (FR-012): %j', async (fields, message) => {
    await expect(convertTool({ name: 't', function: () => 1, ...fields })).rejects.toThrow(
      `Tool 't' ${message}.`,
    );
  });

  test('a type that refers to nothing is a TypeHintResolutionError; so is a lazy type that fails', () => {
    const dangling = { type: 'object', properties: { next: { $ref: '#/$defs/Missing' } } };
    expect(() => serializeDeps({}, { schema: dangling })).toThrow(TypeHintResolutionError);
    expect(() => deserializeDeps('{}', dangling)).toThrow(
      "Cannot resolve the type '#/$defs/Missing': field 'next' refers to nothing.",
    );
    const lazy = () => {
      throw new ReferenceError('Config is not defined');
    };
    expect(() => deserializeDeps('{}', lazy)).toThrow(
      "Cannot resolve the type 'lazy': Config is not defined.",
    );
  });

  test('a type of another document is let pass with a warning', () => {
    const { logger, lines } = recorder();
    const schema = { type: 'object', properties: { other: { $ref: 'other.json' } } };
    expect(createDepsContext({ other: 1 }, { schema, logger }).deps).toEqual({ other: 1 });
    expect(lines).toEqual([
      "unresolved_reference: Unresolved reference 'other.json' for field 'other'. Assuming serialisable (permissive approach).",
    ]);
  });

  test('a cancelled call is not turned into a result: the cancellation goes on', async () => {
    const controller = new AbortController();
    const slow = plain('slow', (_input, { signal }) => {
      controller.abort(new Error('the user left'));
      signal.throwIfAborted();
    });
    const stubborn = plain('stubborn', () => 'done anyway');
    await expect(callTool(await convertTool(slow), {}, context(controller.signal))).rejects.toThrow(
      'the user left',
    );
    await expect(callTool(await convertTool(stubborn), {}, context(controller.signal))).rejects.toThrow(
      'the user left',
    );
  });

  test('nothing becomes empty text', async () => {
    expect(await call(plain('none', () => null))).toEqual(text(''));
    expect(await call(plain('none', () => undefined))).toEqual(text(''));
  });

  test('registering again replaces everything, under whichever name, with a warning', async () => {
    const { logger, lines } = recorder();
    const registry = createToolRegistry({ logger });
    await registry.setAgentToolsets([plain('a')], { serverName: 'first' });
    await registry.setAgentToolsets([plain('b')], { serverName: 'second' });
    expect(Object.keys(registry.getMcpServers())).toEqual(['second']);
    expect(lines).toEqual([
      "toolsets_replaced: Overwriting existing MCP server 'first'. Previous toolsets will be replaced.",
    ]);
  });

  test('names count with their prefix, must be letters, digits, _ and -, and may not repeat', async () => {
    const server = (tools: unknown, serverName = 's') =>
      convertToolsToMcpServer(tools, { serverName, serverVersion: '1' });
    await expect(server([plain('a'.repeat(64))])).rejects.toThrow('more than 64');
    await expect(server([plain('a'.repeat(56))])).resolves.toMatchObject({ name: 's' });
    await expect(server([plain('a b')])).rejects.toThrow("may only have letters, digits, '_' and '-'");
    await expect(server([plain('a'), plain('a')])).rejects.toThrow("Two tools are named 'a'.");
    await expect(server([plain('a')], 'my server')).rejects.toThrow(ToolValidationError);
    expect(await extractToolsFromToolsets(null)).toEqual([]);
  });
});

describe('the public API', () => {
  test('FR-013, SC-007: has the converters, the context and the errors', () => {
    const tool: AgentTool = { name: 'x', inputSchema: { type: 'object' }, execute: () => 1 };
    const deps: bridge.DepsContext<number> = createDepsContext(1);
    expect([tool.name, deps.deps]).toEqual(['x', 1]);
    expect(Object.keys(bridge)).toEqual(
      expect.arrayContaining([
        'convertTool',
        'convertToolWithDeps',
        'convertToolsToMcpServer',
        'createDepsContext',
      ]),
    );
  });

  test('SC-008: every public function says what it returns', () => {
    const folder = join(import.meta.dirname, '../../src/bridge');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /(?<!\.test)\.ts$/.test(file),
    );
    const sources = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
    const functions = Object.entries(bridge).filter(
      ([name, value]) => typeof value === 'function' && /^[a-z]/.test(name),
    );
    const untyped = functions.filter(([name]) => !saysWhatItReturns(sources, name));
    expect(functions.length).toBeGreaterThan(15);
    expect(untyped.map(([name]) => name)).toEqual([]);
    expect(saysWhatItReturns('export function open(a: (b: 1) => void) {}; function f(): 1 {}', 'open')).toBe(
      false,
    );
  });
});

/** Finds the end of the parameters by counting parentheses, and looks for a type behind it. */
function saysWhatItReturns(source: string, name: string): boolean {
  const start = new RegExp(`export (?:(?:async )?function ${name}\\b|const ${name} = (?:async )?)[^(]*`).exec(
    source,
  );
  let at = start === null ? source.length : start.index + start[0].length;
  let depth = 0;
  for (; at < source.length; at += 1) {
    if (source[at] === '(') depth += 1;
    if (source[at] === ')') depth -= 1;
    if (depth === 0) break;
  }
  return source.slice(at, at + 3) === '): ';
}
