import { createTool } from '@voltagent/core';
import { z } from 'zod';

export const tools = [
  createTool({
    name: 'weather',
    description: 'The weather in a city.',
    parameters: z.object({ city: z.string(), days: z.number().default(3) }),
    execute: async ({ city, days }) => `sunny in ${city} for ${days} days`,
  }),
  createTool({
    name: 'broken',
    description: 'Fails.',
    parameters: z.object({}),
    execute: async () => {
      throw new RangeError('too far');
    },
  }),
];
