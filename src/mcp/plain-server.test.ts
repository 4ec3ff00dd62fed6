import { describe, expect, test } from 'vitest';
import type { AgentTool } from '../bridge/tool.ts';
import { HeadgateError } from '../core/errors.ts';
import { websearch } from '../toolsets/compat/websearch/websearch.ts';
import type { Message, RealServer } from './front.ts';
import { failedOffers } from './offers.ts';
import { createPlainServer } from './plain-server.ts';
import { createStdioServer } from './stdio.ts';

/** What is answered without the MCP SDK is what the SDK would have answered. */

const inputSchema = { type: 'object', properties: { word: { type: 'string' } } } as const;
const tools = (seen: (event: 'started' | 'aborted') => void = () => undefined): AgentTool[] => [
  { name: 'echo', inputSchema, execute: (input) => ({ said: input, also: 'ünïcode' }) },
  {
    name: 'steps',
    inputSchema,
    execute: (_input, { progress, callId, meta, protocolVersion }) => {
      for (const done of [1, 2]) progress?.(done, 2, `step ${done}`);
      return { content: [{ type: 'text', text: `call ${callId}` }], _meta: { seen: meta, protocolVersion } };
    },
  },
  {
    name: 'fails',
    inputSchema,
    execute: () => {
      throw new Error('The well is dry.');
    },
  },
  {
    name: 'waits',
    inputSchema,
    execute: (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        seen('started');
        signal.addEventListener('abort', () => {
          seen('aborted');
          reject(signal.reason as Error);
        });
      }),
  },
];

const hello = (capabilities = {}): Message[] => [
  {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities, clientInfo: { name: 'test', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
];
const request = (id: unknown, method: string, params?: object): Message =>
  ({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }) as Message;
const call = (name: string, more: object = {}, id: unknown = 7): Message =>
  request(id, 'tools/call', { name, arguments: { word: 'a' }, ...more });

/** Sends the messages after the handshake and returns what came back, without the answer to the handshake. */
async function answers(
  start: (write: (message: unknown) => void) => RealServer,
  messages: Message[],
  capabilities = {},
): Promise<unknown[]> {
  const written: unknown[] = [];
  const server = start((message) => {
    if ((message as Message).id !== 0) written.push(message);
  });
  for (const message of hello(capabilities)) server.deliver(message, true);
  for (const message of messages) server.deliver(message);
  const expected = messages.filter(({ id }) => id !== undefined).length;
  await expect.poll(() => written.filter((one) => (one as Message).id !== undefined).length).toBe(expected);
  await server.close();
  return written;
}

const offers = failedOffers(websearch, new HeadgateError('not_configured', 'There is no engine.'));
const full = (write: (message: unknown) => void): RealServer =>
  createStdioServer(websearch, tools(), write, offers);
function plain(loads: { count: number }) {
  return (write: (message: unknown) => void): RealServer =>
    createPlainServer({
      tools: tools(),
      offers,
      write,
      loadFull: async () => {
        loads.count += 1;
        return full(write);
      },
    });
}

describe('the plain server', () => {
  test.each<[string, Message[]]>([
    ['a call', [call('echo')]],
    ['a call without arguments', [request('seven', 'tools/call', { name: 'echo' })]],
    ['a call with progress', [call('steps', { _meta: { progressToken: 'p', other: 1 } })]],
    ['a tool that fails', [call('fails')]],
    ['arguments that do not fit', [call('echo', { arguments: { word: 1 } })]],
    ['two calls', [call('echo', {}, 1), call('fails', {}, 2)]],
    ['a ping', [request(3, 'ping')]],
    ['prompts', [request(1, 'prompts/list'), request(2, 'prompts/get', { name: 'none' })]],
    [
      'a prompt',
      [request(1, 'prompts/get', { name: 'compare_sources', arguments: { question: 'Which mill?' } })],
    ],
    ['resources that cannot be listed', [request(1, 'resources/list')]],
    ['resource templates', [request(1, 'resources/templates/list')]],
  ])('answers %s as the SDK does, without loading it', async (_name, messages) => {
    const loads = { count: 0 };
    expect(await answers(plain(loads), messages)).toEqual(await answers(full, messages));
    expect(loads.count).toBe(0);
  });

  test.each<[string, Message[], object?]>([
    ['an unknown tool', [call('nothing')]],
    ['an unknown method', [request(1, 'no/such/method')]],
    ['arguments that are no object', [call('echo', { arguments: [1] })]],
    ['a parameter that is not known here', [call('echo', { task: { ttl: 1 } })]],
    ['a client whose model may be asked', [call('echo')], { sampling: {} }],
  ])('leaves %s to the SDK', async (_name, messages, capabilities = {}) => {
    const loads = { count: 0 };
    expect(await answers(plain(loads), messages, capabilities)).toEqual(
      await answers(full, messages, capabilities),
    );
    expect(loads.count).toBe(1);
  });

  test('a cancelled call is aborted and gets no answer; so is every call when the client leaves', async () => {
    const events: string[] = [];
    const written: unknown[] = [];
    const server = createPlainServer({
      tools: tools((event) => events.push(event)),
      offers,
      write: (message) => written.push(message),
      loadFull: () => Promise.reject(new Error('not needed')),
    });
    for (const message of hello()) server.deliver(message, true);
    for (const id of [1, 2]) server.deliver(call('waits', {}, id));
    await expect.poll(() => events.length).toBe(2);
    server.deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await expect.poll(() => events).toEqual(['started', 'started', 'aborted']);
    await server.close();
    await expect.poll(() => events.length).toBe(4);
    expect(written).toEqual([]);
  });
});
