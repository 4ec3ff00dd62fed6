import { tool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';

export const tools = [
  tool(
    'weather',
    'The weather in a city.',
    { city: z.string(), days: z.number().default(3) },
    async ({ city, days }) => ({
      content: [{ type: 'text', text: `sunny in ${city} for ${days} days` }],
    }),
  ),
  tool('broken', 'Fails.', {}, async () => {
    throw new RangeError('too far');
  }),
];
