import { FunctionTool } from '@google/adk';
import { z } from 'zod';

export const tools = [
  new FunctionTool({
    name: 'weather',
    description: 'The weather in a city.',
    parameters: z.object({ city: z.string() }),
    execute: async ({ city }) => `sunny in ${city}`,
  }),
  new FunctionTool({
    name: 'genai',
    description: 'Described with a schema of Google.',
    parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
    execute: async ({ city }) => ({ city }),
  }),
  new FunctionTool({
    name: 'broken',
    description: 'Fails.',
    parameters: z.object({}),
    execute: async () => {
      throw new RangeError('too far');
    },
  }),
];
