import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import { setTimeout as wait } from 'node:timers/promises';
import { callTool } from '../../src/bridge/call.ts';
import type { AgentTool, JsonObjectSchema } from '../../src/bridge/tool.ts';

/** The suite's plain tools, in the bridge's shape: they are called as everybody's tools are. */

/** One grey pixel, and a sound of one sample. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';
const SOUND = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==';
const NOTHING: JsonObjectSchema = { type: 'object', properties: {} };
const text = (words: string) => ({ type: 'text', text: words });
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };
const resource = (uri: string, mimeType: string, words: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
});

const SCHEMA_2020_12: JsonObjectSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const TOOLS: AgentTool[] = [
  tool('test_simple_text', () => 'This is a simple text response for testing.'),
  tool('test_image_content', () => ({ content: [image] })),
  tool('test_audio_content', () => ({ content: [{ type: 'audio', data: SOUND, mimeType: 'audio/wav' }] })),
  tool('test_embedded_resource', () => ({
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  })),
  tool('test_multiple_content_types', () => ({
    content: [
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  })),
  tool('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  }),
  tool('test_streaming_elicitation', () => 'Nothing was asked on the way.'),
  tool('json_schema_2020_12_tool', (input) => input, SCHEMA_2020_12),
  tool('test_x_mcp_header', ({ region }) => `region ${String(region)}`, {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, level: { type: 'integer' } },
  }),
  tool('test_tool_with_progress', async (_input, { progress }) => {
    for (const done of [0, 50, 100]) {
      progress?.(done, 100, `Completed step ${done} of 100`);
      await wait(20);
    }
    return 'done';
  }),
];

/** Registers them; progress and errors take the bridge's own road. */
export function addPlainTools(server: McpServer): void {
  for (const one of TOOLS) {
    server.registerTool(
      one.name,
      { description: one.description ?? one.name, inputSchema: fromJsonSchema(one.inputSchema as never) },
      async (input, { mcpReq }) => {
        const token = mcpReq._meta?.progressToken;
        return (await callTool(one, input as Record<string, unknown>, {
          signal: mcpReq.signal,
          callId: String(mcpReq.id),
          progress: (progress, total, message) => {
            if (token === undefined) return;
            const params = { progressToken: token, progress, ...(total !== undefined && { total }), message };
            void mcpReq.notify({ method: 'notifications/progress', params });
          },
        })) as never;
      },
    );
  }
}

function tool(name: string, execute: AgentTool['execute'], inputSchema = NOTHING): AgentTool {
  return { name, description: `A fixture of the conformance suite: ${name}`, inputSchema, execute };
}
