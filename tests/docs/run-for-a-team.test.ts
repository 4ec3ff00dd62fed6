import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { tavilySim } from '../../src/sim/tavily.ts';
import { blocksOfGuide, notPrinted, runGuide } from '../support/guide.ts';
import { sayNotRun } from '../support/not-run.ts';
import { packHeadgate, root, type Packed } from '../support/packed.ts';
import { startPostgres } from '../support/postgres.ts';
import { findProgram, freePorts, makeCertificate, nginxForGuide } from '../support/proxy.ts';
import { sized } from '../support/sized.ts';

/** docs/guides/run-for-a-team.md, done from top to bottom in an empty folder with the packed package and a real PostgreSQL. */
const page = readFileSync(join(root, 'docs/guides/run-for-a-team.md'), 'utf8');
const blocks = blocksOfGuide(page);
const sections = [...new Set(blocks.map(({ section }) => section))];
const all = sections.length;
const count = sized('sections of the guide for teams that are run', { small: 2, large: all, full: all });
const nginx = findProgram('nginx');
const missing = ['psql', 'pg_dump', 'pg_restore', 'curl', 'jq', 'openssl'].filter(
  (name) => findProgram(name) === undefined,
);
const server = missing.length === 0 ? await startPostgres() : undefined;
const canRun = server?.isOwn === true;
if (!canRun) sayNotRun('the guide for teams', missing.join(', ') || 'a PostgreSQL of its own');
if (nginx === undefined) sayNotRun('the guide for teams behind its proxy', 'nginx');

const folder = mkdtempSync(join(tmpdir(), 'headgate-team-'));
let [sim, packed, relay]: [Sim?, Packed?, Server?] = [];
beforeAll(async () => {
  if (server === undefined || !canRun) return;
  sim = await startSim({ upstreams: [tavilySim] });
  packed = packHeadgate();
  // The test's server listens on a socket file; a host and a port are what the guide has.
  const socket = join(new URL(await server.freshUrl()).searchParams.get('host') ?? '', '.s.PGSQL.5432');
  relay = createServer((client) => {
    const there = connect(socket);
    client.pipe(there).pipe(client);
    for (const one of [client, there]) one.on('error', () => [client, there].map((each) => each.destroy()));
  });
  await new Promise<void>((resolve) => relay?.listen(0, '127.0.0.1', resolve));
}, 120_000);
afterAll(async () => {
  relay?.close();
  packed?.remove();
  await sim?.close();
  await server?.stop();
});

describe('the guide for teams', () => {
  test('has what a team needs, and commands for it', () => {
    expect(all).toBeGreaterThanOrEqual(13);
    expect(blocks.filter(({ file }) => file === undefined).length).toBeGreaterThanOrEqual(14);
  });

  test('uses only commands and flags that exist', () => {
    const reference = readFileSync(join(root, 'docs/reference/commands.md'), 'utf8');
    const used = [...page.matchAll(/(?<![\w/@.-])headgate ([a-z]+)(?: ([a-z-]+)\b)?([^\n|`]*)/g)].filter(
      ([, command = '']) => reference.includes(`\n## ${command}\n`),
    );
    expect(used.length).toBeGreaterThan(20);
    const wrong = used.filter(([, command = '', second = '', rest = '']) => {
      const [section = ''] = reference.split(`\n## ${command}\n`)[1]?.split('\n## ') ?? [];
      const subcommand = section.includes(`  headgate ${command} ${second}`) ? ` ${second}` : '';
      const helps = section
        .split('```text')
        .filter((help) => help.includes(`  headgate ${command}${subcommand}`));
      const flags = rest.match(/--[a-z-]+/g) ?? [];
      return !helps.some((help) => flags.every((flag) => help.includes(`  ${flag} `)));
    });
    expect(wrong.map(([text]) => text)).toEqual([]);
  });

  test.skipIf(!canRun)(
    'works from top to bottom in an empty folder',
    async () => {
      const [first, second, receiver, https] = (await freePorts(4)) as [number, number, number, number];
      const database = `127.0.0.1:${(relay?.address() as AddressInfo | undefined)?.port}`;
      makeCertificate(folder, https);
      const proxy =
        nginx === undefined
          ? undefined
          : nginxForGuide(nginx, { folder, port: https, gateways: [first, second] });
      const here = (text: string): string =>
        text
          .replaceAll(/\/path\/to\/headgate-[\d.]+tgz/g, packed?.tarball ?? '')
          .replaceAll('/path/to/headgate/', `${root}/`)
          .replaceAll('/etc/nginx/', `${folder}/etc/nginx/`)
          .replaceAll('db.internal:5432', database)
          .replaceAll('8787', String(first))
          .replaceAll('8788', String(second))
          .replaceAll('9000', String(receiver));
      const parts = blocks
        .filter(({ section }) => sections.indexOf(section) < count)
        .filter(({ needs }) => needs === undefined || (needs === 'nginx' && proxy !== undefined))
        .map((block) => ({ ...block, text: withoutProxy(here(block.text), proxy, first) }));
      const cwd = join(folder, 'team');
      mkdirSync(cwd);
      const own = Object.entries(process.env).filter(([name]) => !/^(?:npm|headgate|pg)_?/i.test(name));
      const env = {
        ...Object.fromEntries(own),
        HOME: folder,
        PATH: [...(proxy === undefined ? [] : [proxy.bin]), process.env['PATH']].join(delimiter),
        npm_config_offline: 'true',
        npm_config_update_notifier: 'false',
        PGHOST: '127.0.0.1',
        PGPORT: database.split(':')[1],
        PGUSER: 'postgres',
        HEADGATE_PROVIDERS__TAVILY__BASE_URL: `${sim?.url}/tavily`,
        // Indexing what is installed is another test's.
        HEADGATE_LIBRARY__INDEX_PROJECT: 'false',
      };
      try {
        const outputs = await runGuide(parts, { cwd, env, timeoutMs: 240_000 });
        const wrong = parts.flatMap((part, index) =>
          notPrinted(part, outputs[index] ?? '').map((line) => ({
            section: part.section,
            line,
            printed: outputs[index],
          })),
        );
        expect(wrong).toEqual([]);
        expect(outputs).toHaveLength(parts.length);
      } finally {
        await proxy?.stop();
      }
    },
    300_000,
  );
});

/** Where no proxy is installed, callers go to a gateway. */
const withoutProxy = (text: string, proxy: object | undefined, port: number): string =>
  proxy === undefined && !text.includes('public_url')
    ? text.replaceAll('https://search.example.com', `http://127.0.0.1:${port}`)
    : text;
