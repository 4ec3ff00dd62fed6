import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { z } from 'zod';

export const tools = [
  betaZodTool({
    name: 'weather',
    description: 'The weather in a city.',
    inputSchema: z.object({ city: z.string(), days: z.number().default(3) }),
    run: ({ city, days }) => `sunny in ${city} for ${days} days`,
  }),
  betaZodTool({
    name: 'broken',
    description: 'Fails.',
    inputSchema: z.object({}),
    run: () => {
      throw new RangeError('too far');
    },
  }),
];
