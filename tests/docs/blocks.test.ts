import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { providers } from '../../src/providers/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { runHeadgate } from '../support/cli.ts';
import { simSettings } from '../support/every-provider.ts';
import { blocksOfGuide, runGuide, type GuideBlock } from '../support/guide.ts';
import { root } from '../support/packed.ts';
import { pdfOf } from '../support/pdf-file.ts';
import { sized } from '../support/sized.ts';

/**
 * The `sh` blocks of every page, run one after the other over the simulated web, as somebody would who follows the page. A block that
 * cannot be run says why in a comment above it: `<!-- not run: … -->`.
 */
const NOT_RUN = /^<!-- not run: (.+) -->\n\n```sh\n[^]*?^```$/gm;
/** These have a test of their own, which also looks at what is printed. */
const ELSEWHERE = ['README.md', 'docs/start.md', 'docs/guides/run-for-a-team.md'];
const read = (page: string): string => readFileSync(join(root, page), 'utf8');
const pages = [
  ...readdirSync(root),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
]
  .filter((name) => name.endsWith('.md') && !/^docs\/(?:decisions|examples)\//.test(name))
  .sort();
const blocksOf = (page: string): GuideBlock[] =>
  blocksOfGuide(read(page).replace(NOT_RUN, '')).filter(({ file }) => file === undefined);
/** Those with the fewest commands first: a small run does them. */
const runnable = pages
  .filter((page) => !ELSEWHERE.includes(page) && blocksOf(page).length > 0)
  .map((page) => ({ page, lines: blocksOf(page).flatMap(({ text }) => text.split('\n')).length }))
  .sort((a, b) => a.lines - b.lines)
  .map(({ page }) => page);
const all = runnable.length;
const count = sized('pages whose commands are run', { small: 2, large: all, full: all });

const folder = mkdtempSync(join(tmpdir(), 'headgate-pages-'));
const home = join(folder, '.headgate');
let [sim, receiver, gateway]: [Sim?, Server?, ChildProcess?] = [];
let env: Record<string, string> = {};
let ids: Record<string, string> = {};
let url = '';
let receiverPort = 0;

describe('the commands of the documentation', () => {
  beforeAll(async () => {
    sim = await startSim({ upstreams: simUpstreams });
    const receiving = createServer((_request, response) => response.end('ok'));
    await new Promise<void>((resolve) => receiving.listen(0, '127.0.0.1', resolve));
    receiver = receiving;
    receiverPort = (receiving.address() as AddressInfo).port;
    const settings = Object.assign(
      {},
      ...providers
        .filter(({ builtIn }) => builtIn === undefined)
        .map((one) => simSettings(one, sim?.url ?? '')),
    ) as Record<string, unknown>;
    const own = Object.entries(process.env).filter(([name]) => !/^(?:npm|headgate)_/i.test(name));
    env = {
      ...(Object.fromEntries(own) as Record<string, string>),
      ...Object.fromEntries(
        Object.entries(settings)
          .filter(([name]) => !name.endsWith('.enabled'))
          .map(([name, value]) => [`HEADGATE_${name.replaceAll('.', '__').toUpperCase()}`, String(value)]),
      ),
      HOME: folder,
      HEADGATE_HOME: home,
      HEADGATE_GUARD__ALLOW: '127.0.0.1',
      HEADGATE_GUARD__PORTS: `${new URL(sim.url).port},${receiverPort}`,
      HEADGATE_LIBRARY__INDEX_PROJECT: 'false',
      HEADGATE_SEARCH__PROVIDER: 'tavily',
      PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
    };
    prepareFolder();
    const make = async (pattern: RegExp, ...argv: string[]): Promise<string> => {
      const { out, err } = await runHeadgate([...argv, '--json'], { home });
      const [, id] = pattern.exec(out) ?? [];
      if (id === undefined) throw new Error(`\`headgate ${argv.join(' ')}\` printed no ID: ${err}`);
      return id;
    };
    const ws = await make(/(ws_\w+)/, 'workspace', 'create', 'Team', '--tier', 'pro');
    ids = {
      ws,
      sub: await make(/(sub_\w+)/, 'workspace', 'list'),
      agent: await make(/(agent_\w+)/, 'agent', 'create', 'Reader', '--workspace', ws),
      key: await make(/"id": "(\w+)"/, 'key', 'create', '--workspace', ws, '--label', 'docs'),
    };
    gateway = spawn('node', [join(root, 'dist/main.cjs'), 'serve', '--port', '0'], {
      env: { ...env, HEADGATE_SERVER__KEYLESS: 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    url = await new Promise<string>((resolve, reject) => {
      let said = '';
      const listen = (chunk: Buffer): void => {
        said += chunk.toString();
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
        if (found !== undefined) resolve(found);
      };
      gateway?.stdout?.on('data', listen);
      gateway?.stderr?.on('data', listen);
      gateway?.once('exit', () => reject(new Error(said)));
    });
  }, 60_000);
  afterAll(async () => {
    gateway?.kill();
    receiver?.close();
    await sim?.close();
  });

  test('are on many pages, and those that are not run say why and which test does it', () => {
    expect(all).toBeGreaterThan(15);
    const reasons = pages.flatMap((page) => [...read(page).matchAll(NOT_RUN)].map((match) => match[1] ?? ''));
    expect(reasons.length).toBeGreaterThan(0);
    const named = (reason: string): boolean =>
      (reason.match(/tests\/\S+\.ts/g) ?? []).some((path) => existsSync(join(root, path)));
    expect(reasons.filter((reason) => !named(reason))).toEqual([]);
    const marks = pages.flatMap((page) => read(page).match(/<!-- not run/g) ?? []);
    expect(marks).toHaveLength(reasons.length);
  });

  test('are marked as such, so that none is left out', () => {
    const unmarked = pages.filter((page) =>
      [...read(page).matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)].some(
        ([, language, text = '']) =>
          language === '' && /^(?:headgate|npm|curl) /m.test(text) && !/ready on/.test(text),
      ),
    );
    expect(unmarked).toEqual([]);
  });

  test.each(runnable.slice(0, count))(
    'of %s work',
    async (page) => {
      const parts = blocksOf(page).map((block) => ({ ...block, text: here(block.text) }));
      const prelude = { section: 'prelude', needs: undefined, file: undefined, shown: [], text: FUNCTIONS };
      const outputs = await runGuide([prelude, ...parts], {
        cwd: join(folder, 'project'),
        env,
        timeoutMs: 110_000,
      });
      expect(outputs.slice(1).filter((output) => /^Error|ECONN|at .*\.ts:\d+/m.test(output))).toEqual([]);
    },
    120_000,
  );
});

/** `first budget` is the ID of a budget; commands that would not end are ended. */
const FUNCTIONS = `
first() { headgate "$1" list --json | grep -o "\${1}_[A-Za-z0-9]*" | head -1; }
npm() { true; }
`;

/** What a page leaves open, filled in: IDs, addresses, and commands that would run for ever. */
const here = (text: string): string =>
  text
    .replace(/\b(budget|webhook)_…/g, '$(first $1)')
    .replace(/\b(ws|agent|sub)_…/g, (_, kind: string) => ids[kind] ?? '')
    .replace(/AbCd1234|8Edije…/g, ids['key'] ?? '')
    .replace(/^(headgate key delete \S+).*$/gm, '$1 || test $? = 2')
    .replace(/^headgate serve$/gm, 'true')
    .replace(/^(.*headgate serve) +#.*$/gm, `HEADGATE_HOME=${folder}/other $1 --port 0 & sleep 3; kill $!`)
    .replace(/^headgate calls --follow.*$/gm, 'timeout 3 headgate calls --follow || test $? = 124')
    .replace(
      /https:\/\/(?:example\.com\/alerts|hooks\.slack\.com\/services\/…)/g,
      `http://127.0.0.1:${receiverPort}/`,
    )
    .replace(/https:\/\/example\.com\/ /g, `${sim?.url}/web/ `)
    .replace(/https:\/\/example\.com\/sitemap\.xml/g, `${sim?.url}/sitemap.xml`)
    .replace(
      /https:\/\/(?:shop\.)?example(?:\.com)?(?:\/(?:article|docs|page|app))?(?=[\s/'"])/g,
      `${sim?.url}/web/river/gate`,
    )
    .replace(/https?:\/\/(?:127\.0\.0\.1:8787|gateway\.example|search\.example\.com)/g, url)
    .replace(/(?<![/\w])127\.0\.0\.1:8787/g, new URL(url).host)
    .replaceAll('crawl.wacz', 'web.wacz')
    // Recorded by another command than the agent's, which is replayed afterwards.
    .replace(/(--record|--web) web\.wacz/g, '$1 eval.wacz')
    .replaceAll('/backups/', `${folder}/backups/`)
    .replaceAll('src/net/fixtures', `${root}/src/net/fixtures`)
    .replace(/headgate store (restore|check)/g, `HEADGATE_HOME=${folder}/restored headgate store $1`);

function prepareFolder(): void {
  const project = join(folder, 'project');
  for (const name of ['bin', 'backups', 'project/docs', 'project/node_modules/undici'])
    mkdirSync(join(folder, name), { recursive: true });
  symlinkSync(join(root, 'dist/main.cjs'), join(folder, 'bin/headgate'));
  chmodSync(join(root, 'dist/main.cjs'), 0o755);
  writeFileSync(
    join(project, 'package.json'),
    '{"type":"module","scripts":{"test":"node agent.js"},"dependencies":{"undici":"*"}}',
  );
  writeFileSync(join(project, 'node_modules/undici/package.json'), '{"name":"undici","version":"7.0.0"}');
  writeFileSync(
    join(project, 'node_modules/undici/README.md'),
    '# Undici\n\nUse a RetryAgent to retry a request.\n',
  );
  writeFileSync(join(project, 'questions.jsonl'), '{"question":"tidal mills","answers":["tidal mills"]}\n');
  writeFileSync(join(project, 'docs/notes.md'), '# Notes\n\nThe mill grinds wheat.\n');
  writeFileSync(join(project, 'notes.pdf'), pdfOf(['The mill grinds wheat since 1742.']));
  writeFileSync(join(project, 'report.pdf'), pdfOf(['The headgate was built in 1911.']));
  writeFileSync(join(project, 'page.html'), '<title>Mill</title><p>The mill grinds wheat since 1742.</p>');
  writeFileSync(
    join(project, 'agent.js'),
    "import { execFileSync } from 'node:child_process';\nconsole.log(execFileSync('headgate', ['search', 'tidal mills'], { encoding: 'utf8' }));\n",
  );
}
