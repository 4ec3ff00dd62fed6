import { tool } from 'llamaindex';
import { z } from 'zod';

export const tools = [
  tool({
    name: 'weather',
    description: 'The weather in a city.',
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => `sunny in ${city}`,
  }),
  tool({
    name: 'broken',
    description: 'Fails.',
    parameters: z.object({}),
    execute: () => {
      throw new RangeError('too far');
    },
  }),
];
