// An agent of the OpenAI Agents SDK with Headgate's tools. What the model reads is marked as web text, and fits a budget of tokens.
//   npm install @openai/agents zod
import assert from 'node:assert/strict';
import { Agent, run, setTracingDisabled, tool } from '@openai/agents';
import { createClient } from 'headgate/client';
import { openAiAgentsTools } from 'headgate/tools';
import { startWorld } from '../world.ts';
import { openAiModel } from './model.ts';

// Tracing sends every run to OpenAI; leave this line out if you want that.
setTracingDisabled(true);
const question = 'rust programming';
const world = await startWorld();
try {
  const web = createClient({ baseUrl: await world.startGateway() });
  const agent = new Agent({
    name: 'Reader',
    instructions: 'Answer from the web, with numbered sources.',
    model: openAiModel(question),
    tools: await openAiAgentsTools(web, tool),
  });
  const { finalOutput, history } = await run(agent, `What is ${question}?`, { maxTurns: 5 });
  console.log(finalOutput);
  assert.match(finalOutput ?? '', /\[1\] https:/);
  assert.match(JSON.stringify(history), /<web-[0-9a-f]{16}>/);
} finally {
  await world.end();
}
process.exit(0);
