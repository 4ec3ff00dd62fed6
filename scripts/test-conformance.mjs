// Runs the official MCP conformance suite: the suite's own fixtures through our HTTP handler, and the product as it is.
// The suite is installed into a temporary folder and stays there. When it cannot be installed this says so and passes.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const folder = join(tmpdir(), 'headgate-conformance');
const fixtures = ['--import', 'tsx', 'tests/conformance/server.ts'];

/** What can be held of a server that has other tools than the suite's. */
const PRODUCT = {
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'prompts-list',
    'completion-complete',
    'caching',
    'server-sse-multiple-streams',
    'sep-2164-resource-not-found',
    'dns-rebinding-protection',
    'input-required-result-missing-input-response',
    'input-required-result-unsupported-methods',
    'input-required-result-ignore-extra-params',
    'input-required-result-validate-input',
    'http-header-validation',
  ],
  '2025-11-25': [
    'server-initialize',
    'ping',
    'logging-set-level',
    'tools-list',
    'resources-list',
    'prompts-list',
    'completion-complete',
    'dns-rebinding-protection',
  ],
};

const suite = install();
if (suite === undefined) {
  say(`SKIPPED: ${SUITE} could not be installed, so nothing was tested.`);
  process.exit(0);
}

const problems = [];
await withServer('fixtures', fixtures, {}, async (url) => {
  for (const revision of ['2026-07-28', '2025-11-25'])
    problems.push(...judge(revision, await run(url, revision)).failed);
});
const home = mkdtempSync(join(tmpdir(), 'headgate-conformance-home-'));
const product = {
  HEADGATE_SERVER__PORT: '0',
  HEADGATE_HOME: home,
  HEADGATE_LIBRARY__INDEX_PROJECT: 'false',
};
process.once('exit', () => rmSync(home, { recursive: true, force: true }));
await withServer('product', ['dist/main.cjs', 'serve'], product, async (url) => {
  for (const [revision, expected] of Object.entries(PRODUCT)) {
    const { passed } = read(await run(`${url}/mcp`, revision));
    const missing = expected.filter((name) => !passed.includes(name));
    const count = `${expected.length - missing.length} of ${expected.length}`;
    say(`headgate serve, ${revision}: ${count} scenarios that need no tools of the suite pass.`);
    problems.push(...missing);
  }
});
const authorization = spawnSync(
  process.execPath,
  ['--import', 'tsx', 'tests/conformance/authorization.ts', suite],
  { cwd: root, encoding: 'utf8', timeout: 300_000 },
);
say(`authorization server: ${/^Total: .*/m.exec(authorization.stdout)?.[0] ?? 'no result'}`);
if (authorization.status !== 0) {
  process.stderr.write(`${authorization.stdout}\n${authorization.stderr}`);
  problems.push('authorization server');
}
if (problems.length > 0) {
  say(`FAILED: ${[...new Set(problems)].join(', ')}`);
  process.exit(1);
}
say('everything that was to pass has passed.');

/** The path of the suite's program, or undefined. */
function install() {
  const dist = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist');
  const mark = join(folder, '.installed');
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== SUITE) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    say(`installing ${SUITE} …`);
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'];
    const result = spawnSync('npm', ['install', ...options, SUITE], {
      cwd: folder,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
      timeout: 300_000,
    });
    if (result.status !== 0) return undefined;
    writeFileSync(mark, SUITE);
  }
  const program = join(dist, 'index.js');
  if (!existsSync(program)) return undefined;
  if (Number(process.versions.node.split('.')[0]) >= 22) return program;
  // The suite imports one function that Node 20 does not have and that testing a server does not use.
  const adapted = join(dist, 'index-node20.js');
  let name;
  const source = readFileSync(program, 'utf8').replace(/,?globSync as (\w+)(,?)/, (whole, given, comma) => {
    name = given;
    return whole.startsWith(',') ? comma : '';
  });
  writeFileSync(adapted, name === undefined ? source : `${source}\nvar ${name} = () => [];\n`);
  return adapted;
}

/** Starts a server that prints its address, and ends it afterwards. */
async function withServer(name, args, env, use) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const url = await new Promise((resolve, reject) => {
      let said = '';
      const listen = (chunk) => {
        said += chunk;
        const found = /http:\/\/127\.0\.0\.1:\d+(\/mcp)?(?=\s)/.exec(said);
        if (found !== null) resolve(found[0]);
      };
      child.stdout.on('data', listen);
      child.stderr.on('data', listen);
      child.once('exit', () =>
        reject(new Error(`The server of ${name} ended before it said where it listens: ${said}`)),
      );
    });
    await use(url);
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

/** Runs what one revision requires; resolves to what the suite printed. */
function run(url, revision) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [suite, 'server', '--url', url, '--requirements', revision], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 600_000,
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('exit', () => resolve(output));
  });
}

/** Which scenarios passed and failed; those that are not scored are left out. */
function read(output) {
  const summary = output.slice(output.indexOf('=== SUMMARY ==='));
  const [scenarios = '', rest = ''] = summary.split(/^Total:/m);
  const unscored = new Set([...rest.matchAll(/^\s+[✓✗] (\S+) \(/gm)].map((match) => match[1]));
  const names = (sign) =>
    [...scenarios.matchAll(new RegExp(`^${sign} (\\S+): (\\d+) passed`, 'gm'))].map((match) => match[1]);
  const scored = (list) => list.filter((name) => !unscored.has(name));
  return { passed: names('✓'), scored: scored(names('✓')), failed: scored(names('✗')) };
}

function judge(revision, output) {
  const { scored, failed } = read(output);
  const total = scored.length + failed.length;
  say(`fixtures, ${revision}: ${scored.length} of ${total} scored scenarios pass.`);
  if (total === 0) failed.push(`${revision}: the suite printed no scenarios`);
  return { failed };
}

function say(text) {
  process.stderr.write(`conformance: ${text}\n`);
}
