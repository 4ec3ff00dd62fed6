import { tool } from '@openai/agents';
import { z } from 'zod';

export const tools = [
  tool({
    name: 'weather',
    description: 'The weather in a city.',
    parameters: z.object({ city: z.string() }),
    execute: async ({ city }) => `sunny in ${city}`,
  }),
  tool({
    name: 'broken',
    description: 'Fails.',
    parameters: z.object({}),
    execute: async () => {
      throw new RangeError('too far');
    },
  }),
];
