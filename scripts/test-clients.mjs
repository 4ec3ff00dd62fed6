// Runs tests/clients against the real packages of other people. They are heavy (a gigabyte in all), so they are
// installed into a temporary folder, each apart from the others, and stay there for the next run.
// What does not install is skipped, loudly. `npm run test:clients [name …]` takes only some of them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const cache = join(tmpdir(), 'headgate-clients');

const platform = process.platform === 'win32' ? 'win' : process.platform;

/** Folder → what is installed in it. Majors are named, because npm would take old ones whose `engines` fit better. */
const CLIENTS = {
  'ai-5': ['ai@5', 'zod@4'],
  'ai-6': ['ai@6', 'zod@4'],
  'ai-7': ['ai@7', 'zod@4'],
  'openai-agents': ['@openai/agents@0', 'zod@4'],
  langchain: ['@langchain/core@1', 'zod@4'],
  mastra: ['@mastra/core@1', 'zod@4'],
  voltagent: ['@voltagent/core@2', 'ai@6', 'zod@4'],
  genkit: ['genkit@1'],
  llamaindex: ['llamaindex@0', 'zod@4'],
  'google-adk': ['@google/adk@2', 'zod@4'],
  strands: ['@strands-agents/sdk@1', 'zod@4'],
  anthropic: ['@anthropic-ai/sdk@1', 'zod@4'],
  'claude-agent': ['@anthropic-ai/claude-agent-sdk@0', 'zod@4'],
  'tavily-core': ['@tavily/core@0'],
  'tavily-ai-sdk': ['@tavily/ai-sdk@0', 'ai@6', 'zod@4'],
  'langchain-tavily': ['@langchain/tavily@1', '@langchain/core@1'],
  'tavily-mcp': ['tavily-mcp@0'],
  'firecrawl-js': ['@mendable/firecrawl-js@4'],
  'mcp-searxng': ['mcp-searxng@1'],
  // They read what we record, and make what we read.
  warcio: ['warcio@2'],
  'js-wacz': ['@harvard-lil/js-wacz@0'],
  replaywebpage: ['replaywebpage@2'],
  // A Python client in a virtual environment; the variable names another source, such as a checkout.
  'tavily-python': [`pip:${process.env.HEADGATE_TAVILY_PYTHON ?? 'tavily-python'}`],
  // Runtimes and bundlers; those of npm that bring a program have it in an optional dependency, so nothing is downloaded.
  'node-22': [`node-${platform}-${process.arch}@22`],
  'node-24': [`node-${platform}-${process.arch}@24`],
  deno: ['deno@2'],
  bun: ['bun@1'],
  workerd: ['workerd@1'],
  rspack: ['@rspack/core@2'],
  next: ['next@16', 'react@19', 'react-dom@19'],
  schemas: [
    'arktype@2',
    'valibot@1',
    '@valibot/to-json-schema@1',
    '@sinclair/typebox@0',
    'zod3@npm:zod@3',
    'zod@4',
  ],
};

/** Newer versions of what a client needs, where the one that it names was never published. */
const OVERRIDES = { replaywebpage: { warcio: '^2.4.11' } };

/** For all installations together; a machine without a way to the registry must not wait for each of them. */
const INSTALL_MS = 480_000;
const began = Date.now();

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in CLIENTS));
if (unknown.length > 0)
  fail(`No such client: ${unknown.join(', ')}. There are: ${Object.keys(CLIENTS).join(', ')}.`);
const names = wanted.length > 0 ? wanted : Object.keys(CLIENTS);

const installed = names.filter((name) => install(name, CLIENTS[name]));
const missing = names.filter((name) => !installed.includes(name));
for (const name of missing) say(`SKIPPED: ${name} did not install (${CLIENTS[name].join(' ')})`);
if (installed.length === 0) {
  say('SKIPPED: nothing could be installed, so nothing was tested.');
  process.exit(0);
}

const result = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'tests/clients'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, HEADGATE_CLIENTS: cache, HEADGATE_CLIENT_NAMES: installed.join(',') },
});
for (const name of missing) say(`SKIPPED: ${name} did not install`);
process.exit(result.status ?? 1);

function install(name, packages) {
  const folder = join(cache, name);
  const mark = join(folder, '.installed');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === packages.join(' ')) return true;
  const left = INSTALL_MS - (Date.now() - began);
  if (left <= 0) return false;
  mkdirSync(folder, { recursive: true });
  const python = packages.flatMap((one) => (one.startsWith('pip:') ? [one.slice('pip:'.length)] : []));
  if (python.length > 0) {
    if (!installPython(folder, python)) return false;
    writeFileSync(mark, packages.join(' '));
    return true;
  }
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify({ private: true, type: 'module', overrides: OVERRIDES[name] })}\n`,
  );
  say(`installing ${packages.join(' ')} …`);
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  // Both ends of the wait: newer versions of npm refuse one that ends before it begins, and ten seconds are where it begins.
  const waits = ['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
  const patient = ['--fetch-retries=1', ...waits, '--prefer-offline'];
  const done = spawnSync('npm', ['install', '--engine-strict=false', ...quiet, ...patient, ...packages], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
    timeout: left,
  });
  if (done.status !== 0) return false;
  writeFileSync(mark, packages.join(' '));
  return true;
}

function installPython(folder, packages) {
  say(`installing ${packages.join(' ')} with pip …`);
  const run = (command, args) =>
    spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], timeout: 600_000 }).status === 0;
  const isWindows = process.platform === 'win32';
  const pip = join(folder, isWindows ? 'Scripts/pip.exe' : 'bin/pip');
  return (
    run(isWindows ? 'python' : 'python3', ['-m', 'venv', folder]) && run(pip, ['install', '-q', ...packages])
  );
}

function say(text) {
  process.stderr.write(`test-clients: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
