import { expect, test } from 'vitest';
import type { ToolParameters, WebTool, WebToolResult } from './tools.ts';
import { aiSdkTools, langChainTools, mastraTools, openAiAgentsTools } from './tools.ts';
import { HeadgateError } from './core/errors.ts';
import { createToolEngine } from './toolsets/engine.ts';
import { agentTools } from './toolsets/agent-tools.ts';
import { defaultTools } from './toolsets/default/default.ts';

type Run = (input: unknown, signal?: AbortSignal) => Promise<string>;

/** Each framework, with constructors that show what they are given. */
const FRAMEWORKS: Record<
  string,
  (tools: WebTool[]) => Promise<{ name: string; parameters: ToolParameters; run: Run }[]>
> = {
  'the AI SDK': async (tools) =>
    Object.entries(await aiSdkTools(from(tools), (schema) => schema)).map(([name, tool]) => ({
      name,
      parameters: tool.inputSchema,
      run: (input, signal) => tool.execute(input, signal === undefined ? {} : { abortSignal: signal }),
    })),
  LangChain: async (tools) =>
    langChainTools(from(tools), (run, { name, schema }) => ({
      name,
      parameters: schema,
      run: (input, signal) => run(input, signal === undefined ? {} : { signal }),
    })),
  'OpenAI Agents': async (tools) =>
    openAiAgentsTools(from(tools), ({ name, parameters, execute }) => ({
      name,
      parameters,
      run: (input, signal) => execute(input, undefined, signal === undefined ? {} : { signal }),
    })),
  Mastra: async (tools) =>
    Object.values(
      await mastraTools(from(tools), ({ id, inputSchema, execute }) => ({
        name: id,
        parameters: inputSchema,
        run: (input, signal) => execute(input, signal === undefined ? {} : { abortSignal: signal }),
      })),
    ),
};

const from = (tools: WebTool[]) => ({ agentTools: async () => tools });
const answering = (result: Partial<WebToolResult> & { text: string }): WebTool => ({
  name: 'web_search',
  inputSchema: { type: 'object' },
  execute: async () => ({ content: [{ type: 'text', text: result.text }], ...result }),
});
/** What the model reads: the result, or the message of what the AI SDK makes a `tool-error` of. */
const read = async (run: Run | undefined, input: unknown = { query: 'mills' }): Promise<string> =>
  (await run?.(input).catch((thrown: unknown) => (thrown as HeadgateError).message)) ?? '';

test.each(Object.entries(FRAMEWORKS))(
  '%s is given the names and schemas of the default toolset',
  async (_name, make) => {
    const fail = () => Promise.reject(new HeadgateError('network_error', 'No network.'));
    const tools = await agentTools(createToolEngine({ search: fail, extract: fail }));
    const made = await make(tools);
    expect(made.map(({ name }) => name)).toEqual(defaultTools.tools.map(({ name }) => name));
    expect(made[0]?.parameters).toMatchObject({ ...tools[0]?.inputSchema, required: ['query'] });
    expect(await read(made[0]?.run)).toBe(
      'No network. Call again in a minute, or ask in other words.\nRetryable: yes.',
    );
    expect(await read(made[0]?.run, { query: '' })).toMatch(/^query: is blank\. .*\nRetryable: no\.$/);
  },
);

test.each(Object.entries(FRAMEWORKS))(
  '%s: failures say what to do, whether a tool reports or throws them',
  async (_name, make) => {
    const meta = { 'headgate/result': { code: 'rate_limited', retryable: true, retry_after_ms: 2_500 } };
    const [reported] = await make([answering({ text: 'Slow down.', isError: true, _meta: meta })]);
    expect(await read(reported?.run)).toBe('Slow down.\nRetryable: yes after 3 s.');
    const error = new HeadgateError('unauthenticated', 'The key is wrong.', { remediation: 'Send another.' });
    const [thrown] = await make([{ ...answering({ text: '' }), execute: () => Promise.reject(error) }]);
    expect(await read(thrown?.run)).toBe('The key is wrong. Send another.\nRetryable: no.');
    const [unknown] = await make([answering({ text: 'It broke.', isError: true })]);
    expect(await read(unknown?.run)).toBe('It broke.');
  },
);

test('in the AI SDK a failure is a HeadgateError that programs can branch on', async () => {
  const meta = {
    'headgate/result': { code: 'over_budget', retryable: false, remediation: 'Raise the budget.' },
  };
  const { web_search: tool } = await aiSdkTools(
    from([answering({ text: 'Budget used up.', isError: true, _meta: meta })]),
    (schema) => schema,
  );
  const failed = tool?.execute({}, {});
  await expect(failed).rejects.toBeInstanceOf(HeadgateError);
  await expect(failed).rejects.toMatchObject({
    code: 'over_budget',
    retryable: false,
    remediation: 'Raise the budget.',
  });
});

test.each(Object.entries(FRAMEWORKS))('%s cancels a call with its signal', async (_name, make) => {
  const controller = new AbortController();
  let isBegun = false;
  const execute: WebTool['execute'] = (_input, { signal } = {}) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('stopped')));
      isBegun = true;
    });
  const [tool] = await make([{ ...answering({ text: '' }), execute }]);
  const running = tool?.run({}, controller.signal);
  expect(isBegun).toBe(true);
  controller.abort(new Error('The user left.'));
  await expect(running).rejects.toThrow('The user left.');
  await expect(tool?.run({}, controller.signal)).rejects.toThrow('The user left.');
});

test.each(Object.entries(FRAMEWORKS))('%s gets no more text than a bound', async (_name, make) => {
  const [tool] = await make([answering({ text: 'x'.repeat(1_000_000) })]);
  expect((await read(tool?.run)).length).toBeLessThanOrEqual(200_000);
});
