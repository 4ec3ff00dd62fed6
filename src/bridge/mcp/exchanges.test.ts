import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, test } from 'vitest';
import { createExchanges } from './exchanges.ts';
import { createHttpHandler } from './http-handler.ts';
import { createMcpServerFromTools } from './mcp-server.ts';
import type { ToolContext } from '../tool.ts';

/**
 * 2025 clients over HTTP: each request has a server of its own, and still they can be asked, and can cancel.
 */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const ask = {
  name: 'ask',
  inputSchema: { type: 'object', properties: { prompt: { type: 'string' } } },
  execute: async ({ prompt }: { prompt: string }, { requestSampling }: ToolContext) =>
    requestSampling === undefined
      ? 'no model'
      : (await requestSampling({ system: 'Be short.', prompt, tokensMax: 20 })).text,
};

/** A handler, and clients that reach it without a socket. */
async function serve(tools: unknown[], auth?: unknown) {
  const exchanges = createExchanges();
  const handler = createHttpHandler(await createMcpServerFromTools({ toolsets: tools }), {
    isChecked: true,
    exchanges,
  });
  open.push(handler);
  const fetch = (who: unknown) => (url: string | URL, init?: RequestInit) =>
    handler.fetch(new Request(url, init), who === undefined ? {} : { auth: who });
  const connect = async (capabilities: object = {}, who: unknown = auth): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' }, { capabilities });
    if ('sampling' in capabilities)
      client.setRequestHandler('sampling/createMessage', async ({ params }) => {
        const text = params.messages.map(({ content }) => (content as { text: string }).text).join(' ');
        if (text === 'refuse') throw new Error('The person said no');
        return {
          role: 'assistant',
          model: 'test',
          content: { type: 'text', text: `${params.systemPrompt} ${text}!` },
        };
      });
    await client.connect(
      new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch: fetch(who) }),
    );
    open.push(client);
    return client;
  };
  return { exchanges, connect, handler };
}

/** A promise and the function that keeps it. */
function later<Value>(): { promise: Promise<Value>; resolve(value: Value): void } {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((keep) => (resolve = keep));
  return { promise, resolve: (value) => resolve(value) };
}

const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? '';

describe('asking the client’s model', () => {
  test('works on the stream of the call, and calls side by side get their own replies', async () => {
    const { connect, exchanges } = await serve([ask]);
    const client = await connect({ sampling: {} });
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((prompt) => client.callTool({ name: 'ask', arguments: { prompt } })),
    );
    expect(answers.map(textOf)).toEqual(['Be short. one!', 'Be short. two!', 'Be short. three!']);
    expect(exchanges.size).toBe(0);
  });

  test('is not offered to tools when the client does not offer it', async () => {
    const { connect } = await serve([ask]);
    const client = await connect();
    expect(textOf(await client.callTool({ name: 'ask', arguments: { prompt: 'x' } }))).toBe('no model');
  });

  test('a refusal of the client is an error of the call', async () => {
    const { connect } = await serve([ask]);
    const client = await connect({ sampling: {} });
    const result = await client.callTool({ name: 'ask', arguments: { prompt: 'refuse' } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('The person said no');
  });
});

describe('cancelling one call', () => {
  /** A tool that waits, and tells when it began and when it was told to stop. */
  function slowTool() {
    const begun = later<ToolContext>();
    const stopped = later<string>();
    const slow = {
      name: 'slow',
      inputSchema: { type: 'object' },
      execute: (_input: unknown, context: ToolContext) => {
        context.signal.addEventListener('abort', () => stopped.resolve('stopped'));
        begun.resolve(context);
        return stopped.promise;
      },
    };
    return { slow, begun: begun.promise, stopped };
  }

  const cancel = (requestId: unknown) => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId, reason: 'enough' },
  });

  test('aborts the tool’s signal, ends the stream, and leaves the client’s other calls alone', async () => {
    const { slow, begun, stopped } = slowTool();
    const { connect, exchanges } = await serve([slow, ask]);
    const client = await connect();
    const controller = new AbortController();
    const call = client.callTool({ name: 'slow' }, { signal: controller.signal });
    await begun;
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    expect(await stopped.promise).toBe('stopped');
    expect(textOf(await client.callTool({ name: 'ask', arguments: { prompt: 'x' } }))).toBe('no model');
    expect(exchanges.size).toBe(0);
  });

  test('cannot be done from another session or by another caller', async () => {
    const { slow, begun, stopped } = slowTool();
    const { connect, handler } = await serve([slow], { key: 'mine' });
    const client = await connect();
    const session = (client.transport as StreamableHTTPClientTransport).sessionId ?? '';
    const call = client.callTool({ name: 'slow' });
    const { callId, signal } = await begun;
    const post = (id: string, auth: unknown): Promise<Response> =>
      handler.fetch(
        new Request('http://127.0.0.1/mcp', {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-session-id': id,
          },
          body: JSON.stringify(cancel(Number(callId))),
        }),
        { auth },
      );
    const other = (await connect()).transport as StreamableHTTPClientTransport;
    await post(other.sessionId ?? '', { key: 'mine' });
    await post(session, { key: 'other' });
    expect(signal.aborted).toBe(false);
    stopped.resolve('done by itself');
    expect(textOf(await call)).toBe('done by itself');
  });
});

describe('a session', () => {
  test('is told at the start, holds nothing here, and a foreign id is simply not one', async () => {
    const { connect, handler, exchanges } = await serve([ask]);
    const client = await connect({ sampling: {} });
    expect((client.transport as StreamableHTTPClientTransport).sessionId).toMatch(/^hg-[0-9a-f-]+-sampling$/);
    expect(exchanges.size).toBe(0);
    const answer = await handler.fetch(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': 'somebody-elses',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'ask', arguments: {} },
        }),
      }),
    );
    expect(await answer.text()).toContain('no model');
  });
});
