import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';

export const tools = [
  tool(async ({ city, days }) => `sunny in ${city} for ${days} days`, {
    name: 'weather',
    description: 'The weather in a city.',
    schema: z.object({ city: z.string(), days: z.number().default(3) }),
  }),
  tool(async ({ city }) => ({ city }), {
    name: 'old',
    description: 'Described with zod 3.',
    schema: z3.object({ city: z3.string().describe('Where.') }),
  }),
  tool(
    async () => {
      throw new RangeError('too far');
    },
    { name: 'broken', description: 'Fails.', schema: { type: 'object', properties: {} } },
  ),
];
