import { inputRequired, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

/** The suite's tools that talk to the client in the middle of a call, as 2025 clients know it. */

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const nothing = z.object({});

export function addAskingTools(server: McpServer): void {
  const add = (name: string, run: (context: ServerContext) => Promise<ReturnType<typeof said>>): void =>
    void server.registerTool(name, { description: name, inputSchema: nothing }, (_input, context) =>
      run(context),
    );

  add('test_tool_with_logging', async ({ mcpReq }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } });
      await wait(20);
    }
    return said('logged');
  });
  add('test_logging_tool', async ({ mcpReq }) => {
    await mcpReq.log('info', 'Only for those who asked for logs.');
    return said('logged on request');
  });
  add('test_elicitation_sep1034_defaults', (context) => elicit(context, 'Check these', DEFAULTS));
  add('test_elicitation_sep1330_enums', (context) => elicit(context, 'Choose', CHOICES));
  server.registerTool(
    'test_elicitation',
    { description: 'asks the user', inputSchema: z.object({ message: z.string() }) },
    ({ message }, context) => elicit(context, message, { response: { type: 'string' } }, ['response']),
  );
  server.registerTool(
    'test_sampling',
    { description: 'asks the model', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const answer = (await mcpReq.send({
        method: 'sampling/createMessage',
        params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 100 },
      })) as { content?: { text?: string } };
      return said(`LLM response: ${answer.content?.text ?? ''}`);
    },
  );
  server.registerTool(
    'test_missing_capability',
    { description: 'needs sampling', inputSchema: nothing },
    (_input, { mcpReq }) =>
      mcpReq.inputResponses?.['answer'] === undefined
        ? inputRequired({
            inputRequests: {
              answer: inputRequired.createMessage({
                messages: [{ role: 'user', content: { type: 'text', text: 'Say pong.' } }],
                maxTokens: 10,
              }),
            },
          })
        : said('sampled'),
  );
}

async function elicit(
  { mcpReq }: ServerContext,
  message: string,
  properties: object,
  required: string[] = [],
) {
  const answer = (await mcpReq.send({
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties, required } },
  } as never)) as { action?: string; content?: unknown };
  return said(`User response: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`);
}

/** One field of every primitive type, each with a default (SEP-1034). */
const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

const options = ['option1', 'option2', 'option3'];
const titled = options.map((_, index) => ({ const: `value${index + 1}`, title: `Choice ${index + 1}` }));

/** Every way to offer a choice (SEP-1330). */
const CHOICES = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
  untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: titled } },
};
