import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';
import { callTool } from './call.ts';
import { convertTool } from './convert.ts';
import { createMcpServerFromTools } from './mcp/mcp-server.ts';
import type { AgentTool, CallResult, ToolContext } from './tool.ts';
import { extractToolsFromToolsets } from './toolset.ts';

// Fixtures have the shape of each framework's tools as its package makes them; `npm run test:clients` runs
// the packages.

const schema = z.object({ city: z.string().describe('Where.'), days: z.int().max(7).default(3) });
const json = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', maximum: 7 } },
  required: ['city'],
};
const deps = { user: 'Ada' };

const controller = new AbortController();
const context = (): ToolContext => ({ signal: controller.signal, callId: 'call-1' });
const run = (tool: AgentTool, input: Record<string, unknown>): Promise<CallResult> =>
  callTool(tool, input, context());
const textOf = (result: CallResult): unknown => result.content[0]?.['text'];

/** What a tool was called with, as text. */
const seen = (...values: unknown[]): string => JSON.stringify(values);

interface Fixture {
  tool: unknown;
  key?: string;
  /** What the tool should see of `{ city: 'Kyoto' }`, of the call and of `deps`. */
  expected: string;
}

const invoke = (input: unknown, options: Record<string, unknown>): string =>
  seen(input, options['context'], options['configurable']);

const genkitTool = Object.assign(
  (input: unknown, options: { context: unknown; abortSignal: AbortSignal }) =>
    seen(input, options.context, options.abortSignal === controller.signal),
  { __action: { name: 'weather', description: 'Weather.', inputSchema: z3.object({ city: z3.string() }) } },
);

const FIXTURES: Record<string, Fixture> = {
  'AI SDK 5 and 6': {
    key: 'weather',
    tool: {
      description: 'Weather.',
      inputSchema: schema,
      execute: (input: unknown, options: Record<string, unknown>) =>
        seen(
          input,
          options['toolCallId'],
          options['experimental_context'],
          options['abortSignal'] === controller.signal,
        ),
    },
    expected: seen({ city: 'Kyoto', days: 3 }, 'call-1', deps, true),
  },
  'AI SDK 7': {
    key: 'weather',
    tool: {
      description: 'Weather.',
      inputSchema: () => Promise.resolve(schema),
      execute: (input: unknown, options: Record<string, unknown>) =>
        seen(input, options['messages'], options['context']),
    },
    expected: seen({ city: 'Kyoto', days: 3 }, [], deps),
  },
  'AI SDK with jsonSchema()': {
    key: 'weather',
    tool: {
      description: 'Weather.',
      type: 'dynamic',
      inputSchema: {
        [Symbol.for('vercel.ai.schema')]: true,
        jsonSchema: Promise.resolve(json),
        validate: undefined,
      },
      execute: (input: unknown) => seen(input),
    },
    expected: seen({ city: 'Kyoto' }),
  },
  'OpenAI Agents': {
    tool: {
      type: 'function',
      name: 'weather',
      description: 'Weather.',
      parameters: json,
      invoke: async (runContext: { context: unknown }, input: string, details: { signal: AbortSignal }) =>
        seen(JSON.parse(input), runContext.context, details.signal === controller.signal),
    },
    expected: seen({ city: 'Kyoto' }, deps, true),
  },
  LangChain: {
    tool: { lc_runnable: true, name: 'weather', description: 'Weather.', schema, invoke },
    expected: seen({ city: 'Kyoto' }, deps, deps),
  },
  Mastra: {
    tool: {
      id: 'weather',
      description: 'Weather.',
      inputSchema: schema,
      execute: async (
        input: unknown,
        options: { requestContext: Map<string, unknown>; abortSignal: AbortSignal },
      ) => seen(input, options.requestContext.get('user'), options.abortSignal === controller.signal),
    },
    expected: seen({ city: 'Kyoto' }, 'Ada', true),
  },
  VoltAgent: {
    tool: {
      id: 'weather',
      name: 'weather',
      type: 'user-defined',
      description: 'Weather.',
      parameters: schema,
      execute: (
        input: unknown,
        options: { context: Map<string, unknown>; abortController: AbortController },
      ) => seen(input, options.context.get('user'), options.abortController.signal.aborted),
    },
    expected: seen({ city: 'Kyoto', days: 3 }, 'Ada', false),
  },
  Genkit: { tool: genkitTool, expected: seen({ city: 'Kyoto' }, deps, true) },
  LlamaIndex: {
    tool: {
      metadata: { name: 'weather', description: 'Weather.', parameters: json },
      call: () => 'unbound',
      bind: (bound: unknown) => ({ call: (input: unknown) => seen(input, bound) }),
    },
    expected: seen({ city: 'Kyoto' }, deps),
  },
  'Google ADK': {
    tool: {
      name: 'weather',
      description: 'Weather.',
      parameters: {
        type: 'OBJECT',
        properties: { city: { type: 'STRING', minLength: '1' } },
        required: ['city'],
      },
      execute: () => 'wrong door',
      runAsync: async ({ args, toolContext }: { args: unknown; toolContext: { deps: unknown } }) =>
        seen(args, toolContext.deps),
    },
    expected: seen({ city: 'Kyoto' }, deps),
  },
  Strands: {
    tool: {
      toolSpec: { name: 'weather', description: 'Weather.', inputSchema: json },
      invoke: (input: unknown, options: { invocationState: unknown }) => seen(input, options.invocationState),
    },
    expected: seen({ city: 'Kyoto' }, deps),
  },
  'Anthropic SDK': {
    tool: {
      type: 'custom',
      name: 'weather',
      description: 'Weather.',
      input_schema: json,
      parse: (input: unknown) => ({ parsed: input }),
      run: (input: unknown) => seen(input),
    },
    expected: seen({ parsed: { city: 'Kyoto' } }),
  },
  'Claude Agent SDK tool()': {
    tool: {
      name: 'weather',
      description: 'Weather.',
      inputSchema: { city: z.string(), days: z.int().default(3) },
      handler: async (input: unknown, extra: { signal: AbortSignal }) => ({
        content: [{ type: 'text', text: seen(input, extra.signal === controller.signal) }],
      }),
    },
    expected: seen({ city: 'Kyoto', days: 3 }, true),
  },
  'the plain shape': {
    tool: {
      name: 'weather',
      description: 'Weather.',
      parametersJsonSchema: json,
      function: (input: unknown, given: ToolContext) => seen(input, given.deps),
    },
    expected: seen({ city: 'Kyoto' }, deps),
  },
};

describe.each(Object.entries(FIXTURES))('%s', (_name, { tool, key, expected }) => {
  test('is converted and gets its input, its context and its dependencies', async () => {
    const converted = await convertTool(tool, { toolContext: deps, ...(key !== undefined && { key }) });
    expect(converted).toMatchObject({
      name: 'weather',
      description: 'Weather.',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    });
    expect(textOf(await run(converted, { city: 'Kyoto' }))).toBe(expected);
  });

  test('is not called with arguments that do not fit', async () => {
    const converted = await convertTool(tool, { toolContext: deps, ...(key !== undefined && { key }) });
    const result = await run(converted, { city: 5 });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe('Invalid arguments for weather.\ncity: must be text, not a whole number.');
  });
});

describe('schemas', () => {
  const of = async (inputSchema: unknown) =>
    (await convertTool({ name: 't', inputSchema, execute: () => 1 })).inputSchema;

  test('zod 4, zod/mini, a raw shape and zod 3 say the same', async () => {
    const expected = {
      type: 'object',
      properties: {
        a: { type: 'string', minLength: 1 },
        b: { type: ['number', 'null'] },
      },
      required: ['a'],
    };
    expect(await of(z.object({ a: z.string().min(1), b: z.number().nullable().optional() }))).toEqual(
      expected,
    );
    expect(
      await of(
        mini.object({
          a: mini.string().check(mini.minLength(1)),
          b: mini.optional(mini.nullable(mini.number())),
        }),
      ),
    ).toEqual(expected);
    expect(await of({ a: z.string().min(1), b: z.number().nullable().optional() })).toEqual(expected);
    expect(await of(z3.object({ a: z3.string().min(1), b: z3.number().nullable().optional() }))).toEqual(
      expected,
    );
  });

  test('zod 3 in all its kinds', async () => {
    // What TypeScript makes of `enum Size { Small, Large }`.
    const Size = { 0: 'Small', 1: 'Large', Small: 0, Large: 1 } as const;
    const tree: z3.ZodType = z3.lazy(() => z3.object({ children: z3.array(tree) }));
    const made = await of(
      z3
        .object({
          text: z3.string().max(5).regex(/^a/).email().describe('Text.'),
          whole: z3.number().int().gt(0).max(9).multipleOf(3),
          when: z3.date(),
          one: z3.enum(['a', 'b']).default('a'),
          size: z3.nativeEnum(Size),
          list: z3.array(z3.boolean()).length(2),
          pair: z3.tuple([z3.string(), z3.null()]),
          map: z3.record(z3.bigint()),
          either: z3.union([z3.literal(1), z3.any()]).optional(),
          kind: z3.discriminatedUnion('k', [
            z3.object({ k: z3.literal('x') }),
            z3.object({ k: z3.literal('y') }),
          ]),
          both: z3.intersection(z3.object({}), z3.object({})),
          wrapped: z3.string().brand('x').readonly().transform(Number).pipe(z3.number()),
          caught: z3.string().catch('x'),
          set: z3.set(z3.string()),
          entries: z3.map(z3.string(), z3.number()),
        })
        .strict(),
    );
    expect(made).toMatchObject({
      type: 'object',
      additionalProperties: false,
      required: [
        'text',
        'whole',
        'when',
        'size',
        'list',
        'pair',
        'map',
        'kind',
        'both',
        'wrapped',
        'set',
        'entries',
      ],
      properties: {
        text: { type: 'string', maxLength: 5, pattern: '^a', format: 'email', description: 'Text.' },
        whole: { type: 'integer', exclusiveMinimum: 0, maximum: 9, multipleOf: 3 },
        when: { type: 'string', format: 'date-time' },
        one: { type: 'string', enum: ['a', 'b'], default: 'a' },
        size: { enum: [0, 1] },
        list: { type: 'array', items: { type: 'boolean' }, minItems: 2, maxItems: 2 },
        pair: { prefixItems: [{ type: 'string' }, { type: 'null' }], items: false },
        map: { additionalProperties: { type: 'integer' } },
        either: { anyOf: [{ const: 1 }, {}] },
        kind: { anyOf: [{ required: ['k'] }, { required: ['k'] }] },
        both: { allOf: [{ type: 'object' }, { type: 'object' }] },
        wrapped: { type: 'string' },
        caught: { type: 'string' },
        set: { type: 'array', uniqueItems: true },
        entries: { items: { minItems: 2 } },
      },
    });
    expect((await of(tree)).type).toBe('object');
  });

  test('a date is asked for as text although zod has no JSON Schema for it', async () => {
    expect(await of(z.object({ at: z.coerce.date() }))).toMatchObject({
      properties: { at: { type: 'string', format: 'date-time' } },
    });
  });

  test('lazy and promised schemas, and schemas that write themselves', async () => {
    expect(await of(() => Promise.resolve(() => json))).toEqual(json);
    expect(await of({ toJsonSchema: () => json, expression: true })).toEqual(json);
    const callable = Object.assign(() => 'called', {
      '~standard': {
        vendor: 'arktype',
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => json },
      },
    });
    expect(await of(callable)).toEqual(json);
  });

  test('a root that only implies an object is completed; any other is refused', async () => {
    expect(await of({ anyOf: [{ type: 'object' }] })).toEqual({
      type: 'object',
      anyOf: [{ type: 'object' }],
    });
    await expect(of(z.string())).rejects.toThrow(
      'The schema of tool \'t\' at inputSchema must describe an object, not "string".',
    );
    await expect(of([])).rejects.toThrow("Tool 't' inputSchema must be an object, got list.");
  });

  test('a schema that cannot be had says where it is and what to do', async () => {
    const valibot = { '~standard': { vendor: 'valibot', validate: (value: unknown) => ({ value }) } };
    await expect(of(valibot)).rejects.toThrow(
      'Wrap it with toStandardJsonSchema of @valibot/to-json-schema.',
    );
    const failing = () => Promise.reject(new Error('offline'));
    await expect(of(failing)).rejects.toThrow(
      "The schema of tool 't' at inputSchema could not be resolved: offline.",
    );
    const endless = (): unknown => endless;
    await expect(of(endless)).rejects.toThrow('is a function that keeps returning functions');
  });

  test("a schema's own check converts and fills in, and its refinements are told", async () => {
    const tool = await convertTool({
      name: 't',
      inputSchema: z.object({
        n: z.coerce.number(),
        even: z.number().refine((n) => n % 2 === 0, 'must be even'),
      }),
      execute: (input: unknown) => input,
    });
    expect(textOf(await run(tool, { n: '5', even: 2 }))).toBe('{"n":5,"even":2}');
    expect(textOf(await run(tool, { n: 5, even: 3 }))).toBe('Invalid arguments for t.\neven: must be even');
  });
});

describe('tools that cannot be served', () => {
  test.each([
    [{ type: 'provider-defined', name: 'web', args: {} }, "Tool 'web' runs at its provider"],
    [{ type: 'hosted_tool', name: 'web' }, "Tool 'web' runs at its provider"],
    [{ name: 'client', inputSchema: json }, "Tool 'client' has no function registered."],
    [5, 'Expected a tool, got number.'],
    [null, 'Expected a tool, got null.'],
    [[], 'Expected a tool, got list.'],
    [{ inputSchema: json, execute: () => 1 }, 'Tool name cannot be empty.'],
  ])('%j', async (tool, message) => {
    await expect(convertTool(tool)).rejects.toThrow(message);
  });
});

describe('what a framework swallows is brought back', () => {
  test('the sentence of OpenAI Agents for a failure is an error', async () => {
    const tool = await convertTool({
      type: 'function',
      name: 't',
      parameters: json,
      invoke: () => 'An error occurred while running the tool. Please try again.',
    });
    expect(await run(tool, { city: 'x' })).toMatchObject({ isError: true });
  });

  test("Mastra's refusal is an error", async () => {
    const execute = () => ({ error: true, message: 'Tool validation failed' });
    const tool = await convertTool({ id: 't', inputSchema: undefined, execute });
    expect(await run(tool, {})).toMatchObject({ isError: true });
  });
});

describe('groups of tools', () => {
  const tool = (name?: string) => ({
    ...(name !== undefined && { name }),
    inputSchema: json,
    execute: () => name,
  });
  const namesOf = async (source: unknown) => (await extractToolsFromToolsets(source)).map(({ name }) => name);

  test('a tool, a list, a record, a map, a toolset, and toolsets of these', async () => {
    expect(await namesOf(tool('a'))).toEqual(['a']);
    expect(await namesOf([tool('a'), tool('b')])).toEqual(['a', 'b']);
    expect(await namesOf({ first: tool(), second: tool('own') })).toEqual(['first', 'own']);
    expect(await namesOf(new Map([['m', tool()]]))).toEqual(['m']);
    expect(await namesOf(new Set([tool('s')]))).toEqual(['s']);
    expect(await namesOf(await createMcpServerFromTools({ toolsets: [tool('again')] }))).toEqual(['again']);
    expect(await namesOf({ name: 'kit', tools: [tool('a')] })).toEqual(['a']);
    expect(await namesOf([{ tools: { x: tool() } }, { tools: new Map([['y', tool()]]) }, tool('z')])).toEqual(
      ['x', 'y', 'z'],
    );
  });

  test('an entry that is no tool is named', async () => {
    await expect(namesOf([tool('a'), null])).rejects.toThrow('The toolset has nothing at one of its places.');
    await expect(namesOf({ broken: { inputSchema: json } })).rejects.toThrow("Tool 'broken' has no function");
  });

  test('annotations, titles, _meta and structured output of MCP tools are kept', async () => {
    const extras = {
      title: 'T',
      annotations: { readOnlyHint: true },
      _meta: { a: 1 },
      outputSchema: { type: 'object' },
    };
    expect(await convertTool({ ...tool('t'), ...extras })).toMatchObject(extras);
    expect(await convertTool({ ...tool('t'), mcp: { annotations: { title: 'M' } } })).toMatchObject({
      annotations: { title: 'M' },
    });
  });
});
