import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listTools } from '../support/mcp-client.ts';
import { root } from '../support/packed.ts';
import { sized } from '../support/sized.ts';

/** What the README and the page for the first ten minutes say, done from top to bottom as a newcomer would, over the simulated web. */
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const firstMinutes = readFileSync(join(root, 'docs/start.md'), 'utf8');
const lines = [readme, firstMinutes]
  .flatMap((page) => blocksOf('sh', page))
  .join('')
  .trim()
  .split('\n');
const commands = [...new Set(lines.map((line) => line.replace(/\s+#.*$/, '')))];
const run = promisify(execFile);
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'headgate-readme-')));
const bin = join(folder, 'prefix/bin');
const main = join(root, 'dist/main.cjs');
const TOOLS = `
  export const tools: Record<string, object> = {
    tide: { description: 'Says when the tide is high.', inputSchema: { type: 'object' }, execute: (): string => '14:20' },
  };`;
let web: { url: string; process: ChildProcess };
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  const tide = join(folder, 'project/node_modules/tide');
  mkdirSync(tide, { recursive: true });
  writeFileSync(join(tide, 'package.json'), '{"name":"tide","version":"1.0.0"}');
  writeFileSync(join(tide, 'README.md'), '# Tide\n\nTells when the tide is high.\n');
  writeFileSync(join(folder, 'project/package.json'), '{"type":"module","dependencies":{"tide":"*"}}');
  writeFileSync(join(folder, 'project/my-tools.ts'), TOOLS);
  // What npm and the test run set for themselves must not steer the npm and the Headgate that are started here.
  const own = Object.entries(process.env).filter(([name]) => !/^(?:npm|headgate)_/i.test(name));
  env = {
    ...Object.fromEntries(own),
    PATH: [bin, process.env['PATH']].join(delimiter),
    npm_config_prefix: join(folder, 'prefix'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
  web = await start('node', [main, 'sim', '--port', '0'], env);
  env = {
    ...env,
    HEADGATE_HOME: join(folder, 'home'),
    HEADGATE_GUARD__ALLOW: '127.0.0.1',
    HEADGATE_GUARD__PORTS: new URL(web.url).port,
    HEADGATE_PROVIDERS__DUCKDUCKGO__PACE_MS: '0',
    HEADGATE_PROVIDERS__DUCKDUCKGO__BASE_URL: `${web.url}/duckduckgo`,
    HEADGATE_PROVIDERS__JINA__BASE_URL: `${web.url}/jina`,
    HEADGATE_PROVIDERS__JINA__SEARCH_BASE_URL: `${web.url}/jina-search`,
  };
}, 60_000);
afterAll(() => web.process.kill());

describe('README', () => {
  test('has commands to run', () => {
    expect(commands.length).toBeGreaterThanOrEqual(10);
  });

  test('`npm start` prints what is shown, with the path of this clone, and answers the requests that are shown', async () => {
    expect(commands[0]).toBe('npm start');
    const gateway = await start('npm', ['start'], { ...env, HEADGATE_SERVER__PORT: '0' });
    try {
      const shown = /^Headgate is ready on[^]*?(?=\n```)/m.exec(readme)?.[0] ?? 'nothing';
      const expected = shown
        .replaceAll('http://127.0.0.1:8787', gateway.url)
        .replace('/path/to/headgate/dist/main.cjs', realpathSync(main));
      expect(expected.split('\n').filter((line) => !gateway.said.includes(line))).toEqual([]);
      const requests = [...commands, ...expected.split('\n')].flatMap((line) => /curl .*/.exec(line) ?? []);
      expect(requests).toHaveLength(2);
      for (const request of requests) {
        const asked = request.replace('http://127.0.0.1:8787', gateway.url);
        const { stdout } = await run('sh', ['-c', asked], { timeout: 50_000 });
        expect(JSON.parse(stdout)).toMatchObject({ outcome: 'ok' });
      }
    } finally {
      // The group: npm does not always hand a signal on to what it runs.
      process.kill(-(gateway.process.pid ?? 0));
    }
  });

  // The gateway is above, and `npm test` is what runs this.
  const others = commands.filter(
    (command) => !/^(?:npm start|npm test|headgate serve|curl .*)$/.test(command),
  );
  const count = sized('commands of the README that are run', {
    small: 5,
    large: others.length,
    full: others.length,
  });
  // Each stands on those before it: the first installs what the others call.
  test.each(others.slice(0, count))(
    '`%s` does what it says',
    async (command) => {
      const there = command
        .replace('https://example.com/docs', `${web.url}/web/`)
        .replace('https://example.com', `${web.url}/web/river/gate`);
      const cwd = command.startsWith('npm') ? root : join(folder, 'project');
      const running = run('sh', ['-c', there], { cwd, env, timeout: 100_000 });
      // A server on standard input answers, and ends when its client goes away; the others may be gone by then.
      running.child.stdin?.on('error', () => undefined);
      running.child.stdin?.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
      const { stdout } = await running;
      expect(stdout.trim()).not.toBe('');
    },
    120_000,
  );

  test('the configuration for MCP clients is what is printed, and starts this clone', async () => {
    const shown = JSON.parse(blocksOf('json', readme)[0] ?? '{}') as {
      mcpServers: Record<string, { command: string; args: string[] }>;
    };
    const { stdout } = await run('headgate', ['mcp', '--print-config', 'claude'], { env });
    expect(JSON.parse(stdout)).toEqual(shown);
    const { command = '', args = [] } = shown.mcpServers['headgate'] ?? {};
    const named = join(bin, command);
    expect(realpathSync(named)).toBe(realpathSync(main));
    expect(await listTools(named, args, folder, {})).toContain('web_search');
  });

  test('the TypeScript program runs in a project that has the clone installed', async () => {
    const [install] = /npm install \/path\/to\/headgate/.exec(readme) ?? [''];
    const cwd = join(folder, 'program');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
    await run('sh', ['-c', install.replace('/path/to/headgate', root)], { cwd, env });
    const program = blocksOf('ts', readme).find((block) => block.includes("from 'headgate'")) ?? '';
    writeFileSync(
      join(cwd, 'program.ts'),
      `${program}\nconsole.log(outcome, results.length, attempts.length);`,
    );
    const tsx = join(root, 'node_modules/tsx/dist/loader.mjs');
    const { stdout } = await run(process.execPath, ['--import', tsx, 'program.ts'], { cwd, env });
    expect(stdout).toMatch(/^ok 5 \d/);
  });
});

function blocksOf(language: string, page: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(
    (match) => match[1] ?? '',
  );
}

/** Starts a command that says where it listens, and waits until it has said everything. */
async function start(
  command: string,
  args: string[],
  settings: NodeJS.ProcessEnv,
): Promise<{ url: string; said: string; process: ChildProcess }> {
  const child = spawn(command, args, {
    cwd: root,
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
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
    child.once('exit', () => reject(new Error(`\`${command} ${args.join(' ')}\` ended: ${said}`)));
  });
  return { url, said, process: child };
}
