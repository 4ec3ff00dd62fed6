// A newcomer's road, timed: a fresh clone, the README's commands and nothing else, and the first answer with citations through a real
// MCP client. It fails when the road takes more than three minutes, or its installation more than 90 seconds. The web is the
// simulator's, so that the road and not the network is measured. `npm run newcomer`.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const TOTAL_SECONDS_MAX = 180;
const INSTALL_SECONDS_MAX = 90;
const QUESTION = 'When was the headgate of the Aldana canal built?';

const root = join(import.meta.dirname, '..');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'headgate-newcomer-')));
const clone = join(folder, 'headgate');
const own = Object.entries(process.env).filter(([name]) => !/^(?:npm|headgate)_/i.test(name));
const env = {
  ...Object.fromEntries(own),
  HOME: folder,
  npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? folder, '.npm'),
  npm_config_prefix: join(folder, 'prefix'),
  npm_config_update_notifier: 'false',
  PATH: [join(folder, 'prefix/bin'), process.env.PATH].join(delimiter),
};
const children = [];
const began = performance.now();
const times = [];

try {
  timed('git clone', () =>
    execFileSync(
      'git',
      ['clone', '--quiet', '--no-hardlinks', '--depth', '1', pathToFileURL(root).href, clone],
      { env },
    ),
  );
  const commands = [...readFileSync(join(clone, 'README.md'), 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm)]
    .flatMap((match) => match[1].trim().split('\n'))
    .map((line) => line.replace(/\s+#.*$/, ''));
  const [first] = commands;
  if (first !== 'npm start') throw new Error(`The README begins with \`${first}\`, not with \`npm start\`.`);

  // The gateway on a port of its own, since another one may run here.
  const startedAt = performance.now() / 1_000;
  let installedAt = startedAt;
  // It installs, builds and starts; what it says tells where the installation ends.
  const gateway = await timed('npm start', () =>
    serve('sh', ['-c', 'npm start'], { HEADGATE_SERVER__PORT: '0' }, (said) => {
      if (installedAt === startedAt && said.includes('building')) installedAt = performance.now() / 1_000;
    }),
  );
  const installed = installedAt - startedAt;
  const page = await fetch(gateway);
  if (!page.ok) throw new Error(`The console answered ${page.status}.`);

  for (const command of commands.filter((line) => /^npm run build|--print-config/.test(line)))
    timed(command, () =>
      execFileSync('sh', ['-c', command], { cwd: clone, env, stdio: ['ignore', 'pipe', 'ignore'] }),
    );
  const { mcpServers } = JSON.parse(
    execFileSync('headgate', ['mcp', '--print-config', 'claude'], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const web = await serve('headgate', ['sim', '--port', '0']);
  const answer = await timed('an answer through an MCP client', () => ask(mcpServers.headgate, web));
  const cited = answer.match(/\[\d+\]/g) ?? [];
  if (!/1911/.test(answer) || cited.length === 0) throw new Error(`The answer has no citation:\n${answer}`);

  const total = (performance.now() - began) / 1_000;
  for (const { what, seconds } of times) console.log(`${seconds.toFixed(1).padStart(6)} s  ${what}`);
  console.log(`${installed.toFixed(1).padStart(6)} s  of \`npm start\` is installation`);
  console.log(`${total.toFixed(1).padStart(6)} s  in all; ${cited.length} citations`);
  if (installed > INSTALL_SECONDS_MAX)
    throw new Error(`The installation took ${Math.round(installed)} s; ${INSTALL_SECONDS_MAX} are allowed.`);
  if (total > TOTAL_SECONDS_MAX)
    throw new Error(`The road took ${Math.round(total)} s; ${TOTAL_SECONDS_MAX} are allowed.`);
} finally {
  for (const child of children) {
    const { pid, exitCode, signalCode } = child;
    if (pid === undefined || exitCode !== null || signalCode !== null) continue;
    // Their output ends with the last process of the group, which may still write into the folder.
    const ended = once(child, 'close');
    process.kill(-pid);
    await ended;
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** Starts a command that says where it listens, in a group of its own. */
function serve(command, args, settings = {}, heard = () => undefined) {
  const child = spawn(command, args, {
    cwd: clone,
    env: { ...env, ...settings },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk) => {
      said += chunk;
      heard(said);
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`\`${command}\` ended: ${said}`)));
  });
}

/** The official client, started with what `--print-config` printed. */
async function ask({ command, args }, web) {
  const require = createRequire(join(clone, 'package.json'));
  const load = (name) => import(pathToFileURL(require.resolve(name)).href);
  const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');
  const client = new Client({ name: 'newcomer', version: '1.0.0' });
  const simulated = {
    TAVILY_API_KEY: 'any',
    HEADGATE_PROVIDERS__TAVILY__BASE_URL: `${web}/topics`,
    HEADGATE_SEARCH__PROVIDER: 'tavily',
    HEADGATE_EXTRACT__PROVIDER: 'tavily',
  };
  await client.connect(
    new StdioClientTransport({ command, args, cwd: folder, env: { ...env, ...simulated }, stderr: 'ignore' }),
  );
  try {
    const { tools } = await client.listTools();
    if (!tools.some(({ name }) => name === 'research')) throw new Error('There is no tool named research.');
    const { content, isError } = await client.callTool({ name: 'research', arguments: { query: QUESTION } });
    if (isError === true) throw new Error(content[0].text);
    return content[0].text;
  } finally {
    await client.close();
  }
}

function timed(what, work) {
  const start = performance.now();
  const note = () => times.push({ what, seconds: (performance.now() - start) / 1_000 });
  const result = work();
  if (!(result instanceof Promise)) {
    note();
    return result;
  }
  return result.then((value) => {
    note();
    return value;
  });
}
