// An agent of the AI SDK that answers with citations, and a check that every citation is a page that it was shown.
//   npm install ai zod
import assert from 'node:assert/strict';
import { generateText, jsonSchema, stepCountIs } from 'ai';
import { createClient } from 'headgate/client';
import { aiSdkTools } from 'headgate/tools';
import { startWorld } from '../world.ts';
import { aiSdkModel } from './model.ts';

const question = 'rust programming';
const world = await startWorld();
try {
  const web = createClient({ baseUrl: await world.startGateway() });
  const { text, steps } = await generateText({
    model: aiSdkModel(question),
    tools: await aiSdkTools(web, jsonSchema),
    stopWhen: stepCountIs(5),
    system:
      'Answer from the web. After each statement write the number of its source, and list the sources at the end.',
    prompt: `What is ${question}?`,
  });
  console.log(text);

  // A model can invent an address; the tool results cannot.
  const shown = JSON.stringify(steps.flatMap(({ toolResults }) => toolResults));
  const cited = [...text.matchAll(/^\[\d+\] (\S+)$/gm)].map((match) => match[1] ?? '');
  assert.ok(cited.length > 0);
  for (const url of cited) assert.ok(shown.includes(url), `${url} was never shown.`);
} finally {
  await world.end();
}
