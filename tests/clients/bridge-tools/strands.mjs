import { tool } from '@strands-agents/sdk';
import { z } from 'zod';

export const tools = [
  tool({
    name: 'weather',
    description: 'The weather in a city.',
    inputSchema: z.object({ city: z.string() }),
    callback: ({ city }) => `sunny in ${city}`,
  }),
  tool({
    name: 'broken',
    description: 'Fails.',
    inputSchema: z.object({}),
    callback: () => {
      throw new RangeError('too far');
    },
  }),
];
