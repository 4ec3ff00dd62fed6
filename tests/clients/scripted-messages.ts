import { createServer, type IncomingMessage } from 'node:http';

/** What the model was sent in one turn. */
export interface Turn {
  /** The first text of the user, by which a conversation is known. */
  prompt: string;
  /** The tools of MCP servers that the model was offered. */
  tools: { name: string; description?: string; input_schema?: unknown }[];
  /** What came back from the tool, when it was called before. */
  toolResult?: { content: unknown; is_error?: boolean };
}

/**
 * A stand-in for Anthropic's Messages API that does what its prompt says: `CALL <tool> <json>` makes it ask for that
 * tool once; then, or without that, it ends the turn. It drives the real Claude Agent SDK without a network.
 */
export async function startScriptedMessages(): Promise<{
  url: string;
  turns: Turn[];
  close(): Promise<void>;
}> {
  const turns: Turn[] = [];
  const server = createServer((request, response) => {
    void readJson(request).then((body) => {
      if (!request.url?.includes('/v1/messages') || request.url.includes('count_tokens')) {
        response.setHeader('content-type', 'application/json').end('{"input_tokens":1}');
        return;
      }
      const turn = turnOf(body);
      turns.push(turn);
      response.setHeader('content-type', 'text/event-stream');
      for (const event of reply(turn, String(body['model']))) {
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      }
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    turns,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Json = Record<string, unknown>;

async function readJson(request: IncomingMessage): Promise<Json> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return JSON.parse(body || '{}') as Json;
}

function turnOf(body: Json): Turn {
  const messages = (body['messages'] ?? []) as { role: string; content: string | Json[] }[];
  const blocks = messages.map(({ content }) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  );
  const texts = blocks.flat().map((block) => (typeof block['text'] === 'string' ? block['text'] : ''));
  const result = blocks.at(-1)?.find((block) => block['type'] === 'tool_result');
  const tools = (body['tools'] ?? []) as Turn['tools'];
  return {
    prompt: texts.find((text) => text.startsWith('CALL') || text.startsWith('LIST')) ?? '',
    tools: tools.filter(({ name }) => name.startsWith('mcp__')),
    ...(result !== undefined && { toolResult: result as unknown as NonNullable<Turn['toolResult']> }),
  };
}

function reply({ prompt, toolResult }: Turn, model: string): (Json & { type: string })[] {
  const [, tool, input] = /^CALL (\S+) (.*)$/.exec(prompt) ?? [];
  const asks = tool !== undefined && toolResult === undefined;
  const block = asks
    ? { type: 'tool_use', id: 'toolu_1', name: tool, input: {} }
    : { type: 'text', text: '' };
  const delta = asks
    ? { type: 'input_json_delta', partial_json: input }
    : { type: 'text_delta', text: 'done' };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    usage,
  };
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: asks ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage,
    },
    { type: 'message_stop' },
  ];
}
