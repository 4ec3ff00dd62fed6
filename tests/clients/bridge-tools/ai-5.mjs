import { dynamicTool, jsonSchema, tool } from 'ai';
import { z } from 'zod';

export const tools = {
  weather: tool({
    description: 'The weather in a city.',
    inputSchema: z.object({ city: z.string(), days: z.number().int().max(7).default(3) }),
    execute: async ({ city, days }, { toolCallId }) =>
      `sunny in ${city} for ${days} days, ${typeof toolCallId}`,
  }),
  broken: tool({
    description: 'Fails.',
    inputSchema: z.object({}),
    execute: async () => {
      throw new RangeError('too far');
    },
  }),
  stream: tool({
    description: 'Streams.',
    inputSchema: z.object({}),
    async *execute() {
      yield 'working';
      yield 'done';
    },
  }),
  dynamic: dynamicTool({
    description: 'Dynamic.',
    inputSchema: jsonSchema({ type: 'object', properties: { city: { type: 'string' } } }),
    execute: async ({ city }) => ({ city }),
  }),
};
