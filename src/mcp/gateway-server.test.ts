import { describe, expect, test } from 'vitest';
import { VERSION } from '../core/version.ts';
import type { Message } from './front.ts';
import { createGatewayServer } from './gateway-server.ts';

/** What becomes of a message when the gateway answers in unusual ways. */

const url = new URL('https://gateway.example/mcp');
const identity = { name: 'headgate', version: VERSION };
const CLAIM = 'io.modelcontextprotocol/protocolVersion';
const call: Message = {
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'web_search', arguments: {}, _meta: { [CLAIM]: '2026-07-28' } },
};

/** Sends one message, and resolves to what the client was written and the person was told. */
async function played(
  answer: (request: RequestInit) => Response | Promise<Response>,
  messages: Message[] = [call],
): Promise<{ written: Message[]; said: string; requests: RequestInit[] }> {
  const written: Message[] = [];
  const requests: RequestInit[] = [];
  let said = '';
  const last = messages.at(-1)?.id;
  await new Promise<void>((resolve) => {
    const server = createGatewayServer({
      url,
      key: 'hg_live_k',
      table: { identity, tools: [] },
      send: async (_url, request) => {
        requests.push(request);
        return answer(request);
      },
      write: (message) => {
        written.push(message as Message);
        if ((message as Message).id === last) setTimeout(resolve);
      },
      say: (line) => (said += line),
    });
    for (const message of messages) server.deliver(message);
  });
  return { written, said, requests };
}

const json = (body: unknown, init: ResponseInit = {}): Response => Response.json(body, init);
const result = (value: unknown) => json({ jsonrpc: '2.0', id: 7, result: value });
const stream = (text: string): Response =>
  new Response(text, { headers: { 'content-type': 'text/event-stream' } });

describe('a call', () => {
  test.each<[name: string, answer: () => Response, text: RegExp]>([
    ['is refused in words of the gateway', () => json({ detail: { error: 'No.' } }, { status: 432 }), /No\./],
    [
      'is redirected',
      () => new Response(null, { status: 308, headers: { location: '/x' } }),
      /redirects to \/x/,
    ],
    ['meets a proxy', () => new Response('<html>', { status: 502 }), /HTTP 502, not as a gateway does/],
    ['is cut off', () => stream(': wait\n\n'), /may have been made and charged/],
    ['gets no message', () => json('nonsense', { status: 500 }), /HTTP 500/],
  ])('that %s says so', async (_name, answer, text) => {
    const { written } = await played(answer);
    expect(written).toEqual([
      {
        jsonrpc: '2.0',
        id: 7,
        result: { isError: true, content: [{ type: 'text', text: expect.stringMatching(text) as string }] },
      },
    ]);
  });

  test('that fails in the protocol’s own way is answered so, whatever the status', async () => {
    const error = { code: -32_022, message: 'Unsupported protocol version' };
    const { written } = await played(() => json({ jsonrpc: '2.0', id: null, error }, { status: 400 }));
    expect(written).toEqual([{ jsonrpc: '2.0', id: 7, error }]);
  });

  test('hears what comes before its answer, split anywhere', async () => {
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } };
    const answer = { jsonrpc: '2.0', id: 7, result: { content: [] } };
    const text = `event: message\r\ndata: ${JSON.stringify(progress)}\r\n\r\ndata: ${JSON.stringify(answer)}\n\n`;
    const bytes = new TextEncoder().encode(text);
    const pieces = new ReadableStream({
      start: (controller) => {
        for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7));
        controller.close();
      },
    });
    const headers = { 'content-type': 'text/event-stream' };
    expect((await played(() => new Response(pieces, { headers }))).written).toEqual([progress, answer]);
  });
});

test('a gateway of another version is named once', async () => {
  const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'headgate', version: '9.0.0' } };
  const { said } = await played(() => result({ content: [], _meta }));
  expect(said).toBe(
    `headgate: The gateway is version 9.0.0, this command ${VERSION}. Update the older one if something is missing.\n`,
  );
});

test('a client of 2025 is introduced before its first message, and its session is kept', async () => {
  const hello: Message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18' },
  };
  const ask: Message = { jsonrpc: '2.0', id: 2, method: 'prompts/list' };
  const { requests, written } = await played(
    (request) => {
      const { id } = JSON.parse(request.body as string) as Message;
      return json(
        { jsonrpc: '2.0', id, result: { protocolVersion: '2025-06-18', serverInfo: { version: VERSION } } },
        { headers: { 'mcp-session-id': 'hg-1' } },
      );
    },
    [hello, ask],
  );
  expect(written.map(({ id }) => id)).toEqual([1, 2]);
  expect(requests.map(({ headers }) => headers)).toMatchObject([
    { authorization: 'Bearer hg_live_k' },
    { 'mcp-session-id': 'hg-1', 'mcp-protocol-version': '2025-06-18' },
  ]);
});
