// Your own tools over MCP, with a price and a budget: `headgate bridge tools.mjs --http` for a workspace. No line of the tool knows of it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callTool, startWorld } from './world.ts';

const TOOLS = `export const tools = {
  tide: {
    description: 'Says when the tide is high.',
    inputSchema: { type: 'object', properties: { harbour: { type: 'string', description: 'Which harbour.' } }, required: ['harbour'] },
    execute: ({ harbour }) => 'High water in ' + harbour + ' at 14:20.',
  },
};`;

const world = await startWorld();
try {
  const file = join(world.home, 'tools.mjs');
  writeFileSync(file, TOOLS);
  const { id: workspace } = JSON.parse(
    world.run('workspace', 'create', 'Harbour', '--tier', 'pro', '--json'),
  ) as { id: string };
  world.run('credits', 'top-up', workspace, '1');
  world.run('budget', 'set', workspace, '--credits', '4', '--per', 'day');
  const { key } = JSON.parse(world.run('key', 'create', '--workspace', workspace, '--json')) as {
    key: string;
  };

  const bridge = await world.start(['bridge', file, '--http'], {
    HEADGATE_BRIDGE__WORKSPACE: workspace,
    HEADGATE_BRIDGE__CREDITS: 'tide=2',
    HEADGATE_BRIDGE__CREDIT_PRICE: '1000',
  });
  const tide = () => callTool(`${bridge}/mcp`, 'tide', { harbour: 'Brest' }, key);
  const [first, second, third] = [await tide(), await tide(), await tide()];
  console.log(first.content[0]?.text);
  assert.equal(second.content[0]?.text, 'High water in Brest at 14:20.');
  // Four credits are two calls. The model reads why, and when the next one is possible.
  console.log(third.content[0]?.text);
  assert.equal(third.isError, true);
  assert.match(third.content[0]?.text ?? '', /Budget used up: 4 of 4 credits/);
} finally {
  await world.end();
}
