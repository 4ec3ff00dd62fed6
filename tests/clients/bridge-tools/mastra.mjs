import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

export const tools = {
  weather: createTool({
    id: 'weather',
    description: 'The weather in a city.',
    inputSchema: z.object({ city: z.string(), days: z.number().default(3) }),
    execute: async ({ city, days }) => `sunny in ${city} for ${days} days`,
  }),
  ready: createTool({ id: 'ready', description: 'Takes nothing.', execute: async () => ({ ready: true }) }),
  broken: createTool({
    id: 'broken',
    description: 'Fails.',
    inputSchema: z.object({}),
    execute: async () => {
      throw new RangeError('too far');
    },
  }),
};
