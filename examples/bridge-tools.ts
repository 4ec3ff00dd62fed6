// Tools as the AI SDK shapes them (a record of description, inputSchema and execute), served over MCP without importing it.
import assert from 'node:assert/strict';
import { createHttpHandler, createMcpServerFromTools } from 'headgate/bridge';

const tools = {
  tide: {
    description: 'Says when the tide is high.',
    inputSchema: {
      type: 'object',
      properties: { harbour: { type: 'string', minLength: 1 } },
      required: ['harbour'],
    },
    execute: ({ harbour }: { harbour: string }) => `High water in ${harbour} at 14:20.`,
  },
};
const server = await createMcpServerFromTools({ name: 'harbour', toolsets: tools });

// Over stdio it is `serveStdio(server, { input: process.stdin, output: process.stdout })`, over HTTP `serveHttp(server)`. A handler
// takes web-standard requests and fits into any HTTP server; here it is called directly.
const handler = createHttpHandler(server);
const call = async (
  name: string,
  input: object,
): Promise<{ isError?: boolean; content: { text: string }[] }> => {
  const response = await handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        host: 'localhost',
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-06-18',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: input },
      }),
    }),
  );
  const text = await response.text();
  const { result } = JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text) as {
    result: { isError?: boolean; content: { text: string }[] };
  };
  return result;
};
const answer = await call('tide', { harbour: 'Brest' });
console.log(answer.content[0]?.text);
assert.equal(answer.content[0]?.text, 'High water in Brest at 14:20.');

const wrong = await call('tide', {});
console.log(wrong.content[0]?.text);
assert.equal(wrong.isError, true);
await handler.close();
