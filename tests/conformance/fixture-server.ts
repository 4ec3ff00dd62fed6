import {
  InMemoryServerEventBus,
  McpServer,
  ResourceTemplate,
  type ServerEvent,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { addAskingTools } from './asking-tools.ts';
import { addInputTools, state } from './input-tools.ts';
import { addPlainTools, PIXEL } from './plain-tools.ts';

/** Everything that the official suite asks a server for, under the names that it has for them. */

/** Where the two triggers publish, and open streams listen. */
export const bus = new InMemoryServerEventBus();

export function createFixtureServer(): McpServer {
  const server = new McpServer(
    { name: 'headgate-conformance', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: state.verify },
    },
  );
  addPlainTools(server);
  addAskingTools(server);
  addInputTools(server);
  addTriggers(server);
  addResources(server);
  addPrompts(server);
  server.server.setRequestHandler('logging/setLevel', () => ({}));
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  return server;
}

function addTriggers(server: McpServer): void {
  const triggers: [name: string, event: ServerEvent][] = [
    ['test_trigger_tool_change', { kind: 'tools_list_changed' }],
    ['test_trigger_prompt_change', { kind: 'prompts_list_changed' }],
  ];
  for (const [name, event] of triggers) {
    server.registerTool(name, { description: name, inputSchema: z.object({}) }, () => {
      bus.publish(event);
      return { content: [{ type: 'text', text: 'published' }] };
    });
  }
}

function addResources(server: McpServer): void {
  const text = (name: string, words: string): void =>
    void server.registerResource(name, `test://${name}`, { mimeType: 'text/plain' }, (uri) => ({
      contents: [{ uri: uri.href, mimeType: 'text/plain', text: words }],
    }));
  text('static-text', 'This is the content of the static text resource.');
  text('watched-resource', 'Watched.');
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'image/png', blob: PIXEL }],
  }));
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
}

function addPrompts(server: McpServer): void {
  const words = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } });
  server.registerPrompt('test_simple_prompt', { description: 'no arguments' }, () => ({
    messages: [words('This is a simple prompt for testing.')],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'two arguments', argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => ({ messages: [words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded.' },
          },
        },
        words('Use the resource.'),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'an image' }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
      words('Look at the image.'),
    ],
  }));
}
