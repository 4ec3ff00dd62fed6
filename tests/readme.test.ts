import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packHeadgate, root, type Packed } from './packed.ts';

/** What the README says, done with the packed package over the simulated web. */
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const commands = [...readme.matchAll(/^headgate (.+?)(?:\s+#.*)?$/gm)].map((match) => match[1] ?? '');
const run = promisify(execFile);
const TOOLS = `
  export const tools: Record<string, object> = {
    tide: { description: 'Says when the tide is high.', inputSchema: { type: 'object' }, execute: (): string => '14:20' },
  };`;
let packed: Packed;
let web: { url: string; process: ChildProcess };
let env: Record<string, string>;

beforeAll(async () => {
  packed = packHeadgate();
  // Node 20 has neither SQLite nor TypeScript of its own; npm installs the first, and who has TypeScript has the second.
  for (const name of ['libsql', '@libsql', '@neon-rs', 'detect-libc', 'tsx']) {
    symlinkSync(join(root, 'node_modules', name), join(packed.folder, 'node_modules', name));
  }
  mkdirSync(join(packed.folder, 'node_modules/tide'));
  writeFileSync(join(packed.folder, 'node_modules/tide/package.json'), '{"name":"tide","version":"1.0.0"}');
  writeFileSync(
    join(packed.folder, 'node_modules/tide/README.md'),
    '# Tide\n\nTells when the tide is high.\n',
  );
  writeFileSync(join(packed.folder, 'my-tools.ts'), TOOLS);
  web = await start(['sim', '--port', '0'], {});
  env = {
    HEADGATE_HOME: join(packed.folder, 'home'),
    HEADGATE_GUARD__ALLOW: '127.0.0.1',
    HEADGATE_GUARD__PORTS: new URL(web.url).port,
    HEADGATE_PROVIDERS__DUCKDUCKGO__BASE_URL: `${web.url}/duckduckgo`,
    HEADGATE_PROVIDERS__JINA__BASE_URL: `${web.url}/jina`,
    HEADGATE_PROVIDERS__JINA__SEARCH_BASE_URL: `${web.url}/jina-search`,
  };
}, 180_000);
afterAll(() => {
  web.process.kill();
  packed.remove();
});

describe('README', () => {
  test('has commands to run', () => expect(commands.length).toBeGreaterThanOrEqual(6));

  test.each(commands)('`headgate %s` does what it says', async (command) => {
    const there = command
      .replace('https://example.com/docs', `${web.url}/web/`)
      .replace('https://example.com', `${web.url}/web/river/gate`);
    const args = [...there.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');
    const running = run(process.execPath, [bin(), ...args], {
      cwd: packed.folder,
      env: { ...process.env, ...env },
      timeout: 50_000,
    });
    // A server on standard input answers, and ends when its client goes away; the others do not listen.
    running.child.stdin?.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    const { stdout } = await running;
    expect(stdout.trim()).not.toBe('');
  });

  test('shows what `npm start` really prints', async () => {
    const gateway = await start(['serve'], { ...env, HEADGATE_SERVER__PORT: '0' });
    try {
      const shown = /^Headgate is ready on[^]*?(?=\n```)/m.exec(readme)?.[0] ?? 'nothing';
      const lines = shown.replaceAll('http://127.0.0.1:8787', gateway.url).split('\n');
      expect(lines.filter((line) => !gateway.said.includes(line))).toEqual([]);
    } finally {
      gateway.process.kill();
    }
  });

  test('the configuration for MCP clients starts this package', () => {
    const block = /```json\n([^]*?)```/.exec(readme)?.[1] ?? '{}';
    expect(JSON.parse(block)).toEqual({
      mcpServers: { headgate: { command: 'npx', args: ['-y', 'headgate', 'mcp'] } },
    });
  });
});

const bin = (): string => join(packed.installed, 'dist/main.cjs');

/** Starts a command that says where it listens, and waits until it has said everything. */
async function start(
  args: string[],
  more: Record<string, string>,
): Promise<{ url: string; said: string; process: ChildProcess }> {
  const child = spawn(process.execPath, [bin(), ...args], {
    cwd: packed.folder,
    env: { ...process.env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
      if (found !== undefined && /\n\n(For example|Ctrl-C)[^]*\n/.test(said)) resolve(found);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('exit', () => reject(new Error(`\`headgate ${args.join(' ')}\` ended: ${said}`)));
  });
  return { url, said, process: child };
}
