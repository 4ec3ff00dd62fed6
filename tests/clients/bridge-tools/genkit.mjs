import { genkit, z } from 'genkit';

const ai = genkit({});

export const tools = [
  ai.defineTool(
    { name: 'weather', description: 'The weather in a city.', inputSchema: z.object({ city: z.string() }) },
    async ({ city }) => `sunny in ${city}`,
  ),
  ai.defineTool({ name: 'broken', description: 'Fails.', inputSchema: z.object({}) }, async () => {
    throw new RangeError('too far');
  }),
];
