// The Claude Agent SDK with Headgate as its MCP server, and nothing else allowed. It needs ANTHROPIC_API_KEY; the tests put a scripted
// model in its place (ANTHROPIC_BASE_URL).
//   npm install @anthropic-ai/claude-agent-sdk
import assert from 'node:assert/strict';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { bin, startWorld } from '../world.ts';

const world = await startWorld();
try {
  const prompt = process.argv[2] ?? 'What is Rust programming? Cite your sources.';
  const conversation: unknown[] = [];
  for await (const message of query({
    prompt,
    options: {
      mcpServers: {
        headgate: { type: 'stdio', command: process.execPath, args: [bin, 'mcp'], env: world.env },
      },
      allowedTools: ['mcp__headgate__web_search', 'mcp__headgate__fetch_url'],
      env: { ...process.env, HOME: world.home, CLAUDE_CONFIG_DIR: world.home },
      cwd: world.home,
      settingSources: [],
      maxTurns: 6,
    },
  })) {
    conversation.push(message);
    if (message.type === 'result') console.log(message.subtype);
  }
  // What the tool gave is in the conversation, marked as text from the web.
  assert.match(JSON.stringify(conversation), /<web-[0-9a-f]{16}>/);
} finally {
  await world.end();
}
