import { type } from 'arktype';
import { Type } from '@sinclair/typebox';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { z as z3 } from 'zod3';
import * as mini from 'zod/mini';

const weather = (inputSchema) => ({
  description: 'The weather in a city.',
  inputSchema,
  execute: ({ city }) => `sunny in ${city}`,
});

export const tools = {
  weather: weather(type({ city: 'string' })),
  valibot: weather(toStandardJsonSchema(v.object({ city: v.string() }))),
  typebox: weather(Type.Object({ city: Type.String() })),
  zod3: weather(z3.object({ city: z3.string() })),
  zod_mini: weather(mini.object({ city: mini.string() })),
  broken: {
    description: 'Fails.',
    inputSchema: type({}),
    execute: () => {
      throw new RangeError('too far');
    },
  },
};

/** Without the wrapper Valibot cannot say its JSON Schema. */
export const bare = { weather: weather(v.object({ city: v.string() })) };
