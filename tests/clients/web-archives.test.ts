import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHeadgate } from '../../src/index.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { ARCHIVE } from '../../src/snapshot/snapshot.ts';
import { readAt, readZip } from '../../src/snapshot/zip.ts';
import { chromiumPath, startBrowser } from '../support/console/browser.ts';
import { recordMixed } from '../support/recording.ts';
import { clientFolder, load, programOf } from './client-folders.ts';

// The tools of others read what we record.

const home = mkdtempSync(join(tmpdir(), 'archives-'));
const file = join(home, 'web.wacz');
const archive = join(home, 'data.warc.gz');
let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
  await recordMixed(file, sim);
  writeFileSync(archive, memberOf(file, ARCHIVE));
});
afterAll(async () => {
  await sim.close();
  rmSync(home, { recursive: true, force: true });
});

function memberOf(path: string, name: string): Buffer {
  const opened = openSync(path, 'r');
  try {
    const member = readZip(opened).get(name);
    if (member === undefined) throw new Error(`${path} has no ${name}.`);
    return readAt(opened, member.offset, member.length);
  } finally {
    closeSync(opened);
  }
}

const linesOf = (path: string, name: string): string[] =>
  memberOf(path, name).toString().trimEnd().split('\n');

describe.skipIf(clientFolder('warcio') === undefined)('warcio', () => {
  interface WarcioRecord {
    warcType: string;
    warcBlockDigest: string | null;
    warcPayloadDigest: string | null;
    readFully(isDecoded: boolean): Promise<Uint8Array>;
  }

  test('reads every record, and every sum is that of what it read', async () => {
    const { WARCParser } = (await load('warcio', 'warcio')) as unknown as {
      WARCParser: new (source: unknown, options: { parseHttp: boolean }) => AsyncIterable<WarcioRecord>;
    };
    const sum = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const kinds: Record<string, number> = {};
    for await (const record of new WARCParser(createReadStream(archive), { parseHttp: false })) {
      const block = Buffer.from(await record.readFully(false));
      kinds[record.warcType] = (kinds[record.warcType] ?? 0) + 1;
      expect(record.warcBlockDigest).toBe(sum(block));
      const payload = sum(block.subarray(block.indexOf('\r\n\r\n') + 4));
      expect(record.warcPayloadDigest ?? null).toBe(record.warcType === 'response' ? payload : null);
    }
    expect(kinds).toMatchObject({ warcinfo: 1, metadata: 1 });
    expect(kinds['request']).toBe((kinds['response'] ?? 0) + 1);
  });

  test('its index is ours, byte for byte', async () => {
    const { CDXIndexer } = (await load('warcio', 'warcio')) as unknown as {
      CDXIndexer: new (options: object) => {
        iterIndex(files: object[]): AsyncIterable<Record<string, unknown>>;
        serializeCDXJ(result: Record<string, unknown>): string;
      };
    };
    const indexer = new CDXIndexer({ format: 'cdxj' });
    const lines: string[] = [];
    for await (const found of indexer.iterIndex([
      { reader: createReadStream(archive), filename: 'data.warc.gz' },
    ]))
      lines.push(indexer.serializeCDXJ(found).trimEnd());
    expect(linesOf(file, 'indexes/index.cdx')).toEqual(lines.toSorted());
    expect(lines.length).toBeGreaterThan(8);
  });
});

describe.skipIf(clientFolder('js-wacz') === undefined)('js-wacz', () => {
  test('makes a WACZ of our records with the same index, and of the same pages', () => {
    const made = join(home, 'made.wacz');
    const program = programOf('js-wacz', '@harvard-lil/js-wacz/bin/cli.js');
    const { status, stderr } = spawnSync(process.execPath, [program, 'create', '-f', archive, '-o', made], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(linesOf(made, 'indexes/index.cdx').toSorted()).toEqual(linesOf(file, 'indexes/index.cdx'));
    const pagesOf = (path: string): string[] =>
      linesOf(path, 'pages/pages.jsonl')
        .slice(1)
        .map((line) => (JSON.parse(line) as { url: string }).url);
    expect(pagesOf(file)).toEqual(expect.arrayContaining(pagesOf(made)));
    expect(pagesOf(made)).toContain(`${sim.url}/web/river`);
  }, 60_000);

  test('what it made is read like the site itself', async () => {
    const read = async (config: Record<string, string>) => {
      const headgate = createHeadgate({
        home,
        config: {
          'guard.allow': ['127.0.0.1'],
          'guard.ports': [sim.port],
          'cache.enabled': false,
          ...config,
        },
      });
      const urls = ['river', 'history'].map((name) => `${sim.url}/web/${name}`);
      const { results } = await headgate.extract({ urls, provider: 'headgate' });
      await headgate.close();
      return results;
    };
    const live = await read({});
    const asked = sim.requests.length;
    expect(live).toHaveLength(2);
    expect(await read({ 'web.mode': 'replay', 'web.snapshot': join(home, 'made.wacz') })).toEqual(live);
    expect(sim.requests.length).toBe(asked);
  }, 60_000);
});

describe.skipIf(clientFolder('replaywebpage') === undefined || chromiumPath === undefined)(
  'replayweb.page',
  () => {
    test('shows a page of ours in a browser', async () => {
      const TYPES: Record<string, string> = { '.js': 'text/javascript', '.html': 'text/html' };
      const page = `<!doctype html><script src="/ui.js"></script><replay-web-page source="/web.wacz" url="${sim.url}/web/river" replayBase="/" embed="replayonly" style="display:block;height:600px"></replay-web-page>`;
      const server = createServer((request, response) => {
        const { pathname } = new URL(request.url ?? '/', 'http://localhost');
        if (pathname === '/') return void response.setHeader('content-type', 'text/html').end(page);
        const path = pathname === '/web.wacz' ? file : programOf('replaywebpage', `replaywebpage${pathname}`);
        try {
          const bytes = readFileSync(path);
          response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream');
          const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
          if (range === null) return void response.end(bytes);
          const [from, to] = [Number(range[1]), range[2] === '' ? bytes.length - 1 : Number(range[2])];
          response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${bytes.length}` });
          response.end(bytes.subarray(from, to + 1));
        } catch {
          response.writeHead(404).end();
        }
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const browser = await startBrowser();
      try {
        const asked = sim.requests.length;
        await browser.page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
        const shown = async (): Promise<string> => {
          const texts = browser.page
            .frames()
            .map((frame) => frame.locator('body').innerText({ timeout: 500 }));
          return (await Promise.allSettled(texts))
            .map((result) => (result.status === 'fulfilled' ? result.value : ''))
            .join('\n');
        };
        await expect.poll(shown, { timeout: 40_000, interval: 500 }).toContain('rises at 1,830 metres');
        expect(sim.requests.length).toBe(asked);
      } finally {
        await browser.close();
        server.close();
      }
    }, 60_000);
  },
);
