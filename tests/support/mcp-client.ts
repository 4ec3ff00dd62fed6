import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The names of the tools of a stdio server that is started and ended for this, as the oldest common client asks. */
export async function listTools(
  command: string,
  args: string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string[]> {
  const server = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let complaints = '';
  server.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  for (const message of [
    { id: 1, method: 'initialize', params },
    { id: 2, method: 'tools/list' },
  ]) {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
  const answers: { id: number; result: { tools?: { name: string }[] } }[] = [];
  for await (const line of createInterface({ input: server.stdout })) {
    answers.push(JSON.parse(line) as (typeof answers)[number]);
    if (answers.length === 2) server.stdin.end();
  }
  const tools = answers[1]?.result.tools;
  if (tools === undefined) throw new Error(`${command} ${args.join(' ')} listed no tools: ${complaints}`);
  return tools.map((tool) => tool.name);
}
