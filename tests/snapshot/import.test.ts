import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { createHeadgate } from '../../src/index.ts';
import type { WebSnapshot } from '../../src/snapshot/entry.ts';
import { openSnapshot } from '../../src/snapshot/snapshot.ts';
import { createZip } from '../../src/snapshot/zip.ts';
import { runHeadgate } from '../support/cli.ts';

// Web archives of other tools, written here by the letter of the format and in the ways of those tools.

const home = mkdtempSync(join(tmpdir(), 'import-'));
const at = (name: string): string => join(home, name);
afterAll(() => rmSync(home, { recursive: true, force: true }));

let count = 0;
const idOf = (index: number): string =>
  `<urn:uuid:00000000-0000-4000-8000-${String(index).padStart(12, '0')}>`;

/** One record of WARC 1.0. */
function warc(
  type: string,
  url: string,
  block: Buffer | string,
  fields: Record<string, string> = {},
): Buffer {
  count += 1;
  const head = {
    'WARC-Type': type,
    'WARC-Record-ID': idOf(count),
    'WARC-Date': '2024-05-01T12:00:00Z',
    'WARC-Target-URI': url,
    'Content-Length': String(Buffer.byteLength(block)),
    ...fields,
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`WARC/1.0\r\n${lines.join('')}\r\n`),
    Buffer.from(block),
    Buffer.from('\r\n\r\n'),
  ]);
}

const http = (
  body: Buffer | string,
  headers: Record<string, string> = {},
  first = 'HTTP/1.1 200 OK',
): Buffer => {
  const lines = Object.entries({ 'Content-Type': 'text/html; charset=utf-8', ...headers });
  const head = [first, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Buffer.from(body)]);
};

const article = (name: string): string =>
  `<!doctype html><title>${name}</title><article><h1>${name}</h1><p>The ${name} was built in 1843 by the brothers of the valley, who needed flour and had a river.</p><p>Readers who want more about the ${name} follow the links below; readers who want less can stop here.</p></article>`;

const chunked = (text: string): string =>
  `${text.replaceAll(/[\s\S]{1,50}/g, (part) => `${Buffer.byteLength(part).toString(16)};x=1\r\n${part}\r\n`)}0\r\n\r\n`;

const SITE = 'https://archive.example';
const page = (name: string, block: Buffer, fields?: Record<string, string>): Buffer =>
  warc('response', `${SITE}/${name}`, block, {
    'Content-Type': 'application/http; msgtype=response',
    ...fields,
  });

/** Every way in which tools write down a page. */
const RECORDS = [
  Buffer.concat([Buffer.from('WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 4\r\n\r\na: b\r\n\r\n')]),
  page('plain', http(article('plain'), { 'Set-Cookie': 'session=1', Server: 'x' })),
  page('gzip', http(gzipSync(article('gzip')), { 'Content-Encoding': 'gzip' })),
  page('brotli', http(brotliCompressSync(article('brotli')), { 'Content-Encoding': 'br' }, 'HTTP/2 200')),
  page('chunked', http(chunked(article('chunked')), { 'Transfer-Encoding': 'chunked' })),
  // Tools that join chunks and unpack, and leave the headers as they were.
  page('left', http(article('left'), { 'Transfer-Encoding': 'chunked', 'Content-Encoding': 'br' })),
  page('moved', http('', { Location: '/plain' }, 'HTTP/1.1 301 Moved')),
  page('twice', http(article('older')), { 'WARC-Date': '2023-01-01T00:00:00Z' }),
  page('twice', http(article('newer')), { 'WARC-Date': '2024-01-01T00:00:00Z' }),
  page('original', http(article('original')), {
    'WARC-Payload-Digest': 'sha1:AAAA',
    'WARC-Record-ID': '<urn:original>',
  }),
  warc('revisit', `${SITE}/again`, http('', { 'X-Robots-Tag': 'none' }), {
    'WARC-Payload-Digest': 'sha1:AAAA',
  }),
  warc('revisit', `${SITE}/bare`, '', { 'WARC-Refers-To': '<urn:original>' }),
  warc('revisit', `${SITE}/orphan`, http(''), { 'WARC-Payload-Digest': 'sha1:BBBB' }),
  warc('resource', `<${SITE}/resource>`, article('resource'), { 'Content-Type': 'text/html' }),
  warc('metadata', `${SITE}/plain`, 'a: b'),
  warc('response', 'dns:archive.example', '1.2.3.4', { 'Content-Type': 'text/dns' }),
  // The request after its answer, as crawlers in a browser write it.
  page('api', http('{"posted":true}', { 'Content-Type': 'application/json' }), {
    'WARC-Record-ID': '<urn:api>',
  }),
  warc('request', `${SITE}/api`, 'POST /api HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{"q":1}', {
    'WARC-Concurrent-To': '<urn:api>',
  }),
];
const FOUND = ['plain', 'gzip', 'brotli', 'chunked', 'left', 'original', 'resource'];

const gz = (records: Buffer[]): Buffer => Buffer.concat(records.map((record) => gzipSync(record)));
function wacz(path: string, members: Record<string, Buffer>): string {
  const zip = createZip(path);
  for (const [name, bytes] of Object.entries(members)) zip.add(name, [bytes]);
  zip.end();
  return path;
}
function put(name: string, bytes: Buffer | string): string {
  writeFileSync(at(name), bytes);
  return at(name);
}

const FILES = {
  'records packed one by one': put('one.warc.gz', gz(RECORDS)),
  'records packed together': put('all.warc.gz', gzipSync(Buffer.concat(RECORDS))),
  'records as they are': put('plain.warc', Buffer.concat(RECORDS)),
  'a WACZ of version 1.2 with two archives': wacz(at('foreign.wacz'), {
    'archive/one.warc.gz': gz(RECORDS.slice(0, 6)),
    'archive/two.warc': Buffer.concat(RECORDS.slice(6)),
    'datapackage.json': Buffer.from('{"profile":"wacz","resources":[]}'),
  }),
};

const bodyAt = (snapshot: WebSnapshot, name: string): string[] =>
  snapshot.entries
    .filter(({ url }) => url === `${SITE}/${name}`)
    .map((entry) => snapshot.answer(entry))
    .map((answer) => ('failed' in answer ? answer.failed : answer.bytes.toString()));

test.each(Object.entries(FILES))('%s', (_what, path) => {
  const snapshot = openSnapshot(path);
  for (const name of FOUND) expect(bodyAt(snapshot, name)).toEqual([article(name)]);
  for (const name of ['again', 'bare']) expect(bodyAt(snapshot, name)).toEqual([article('original')]);
  expect(bodyAt(snapshot, 'twice')).toEqual([article('older'), article('newer')]);
  const headersOf = (name: string): unknown => {
    const entry = snapshot.entries.find(({ url }) => url === `${SITE}/${name}`);
    return entry && { ...snapshot.answer(entry), bytes: undefined };
  };
  expect(headersOf('plain')).toEqual({
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
  });
  expect(headersOf('moved')).toMatchObject({ status: 301, headers: { location: '/plain' } });
  expect(headersOf('again')).toMatchObject({ headers: { 'x-robots-tag': 'none' } });
  expect(snapshot.entries.filter(({ method }) => method === 'POST').map(({ url }) => url)).toEqual([
    `${SITE}/api`,
  ]);
  expect(snapshot.entries.some(({ url }) => url.includes('orphan') || url.startsWith('dns'))).toBe(false);
  expect(snapshot.skipped).toBe(1);
  snapshot.close();
});

test('an imported archive answers as the one that it came from', async () => {
  const imported = at('imported.wacz');
  const { code, out } = await runHeadgate(
    ['snapshot', 'import', `${at('one.warc.gz')},${at('plain.warc')}`, imported],
    { home },
  );
  expect([code, out]).toEqual([0, expect.stringMatching(/^Imported 26 exchanges into /)]);
  expect((await runHeadgate(['snapshot', 'verify', imported], { home })).out).toBe('No problems found.\n');
  expect((await runHeadgate(['snapshot', 'import', at('one.warc.gz'), imported], { home })).err).toContain(
    'exists already',
  );
  const snapshots = [openSnapshot(imported), openSnapshot(at('one.warc.gz'))] as const;
  for (const name of [...FOUND, 'again', 'bare'])
    expect(new Set(bodyAt(snapshots[0], name))).toEqual(new Set(bodyAt(snapshots[1], name)));
  for (const snapshot of snapshots) snapshot.close();
});

test('an engine reads pages of an archive', async () => {
  const headgate = createHeadgate({
    home,
    config: { 'web.mode': 'replay', 'web.snapshot': at('one.warc.gz'), 'cache.enabled': false },
  });
  const names = [...FOUND, 'moved', 'again', 'bare'];
  const urls = names.map((name) => `${SITE}/${name}`);
  const { results, failed_results: failed } = await headgate.extract({ urls, provider: 'headgate' });
  await headgate.close();
  expect(failed).toEqual([]);
  expect(results.map(({ raw_content: text }) => /The (\w+) was built in 1843/.exec(text)?.[1])).toEqual([
    ...FOUND,
    'plain',
    'original',
    'original',
  ]);
});

test('hostile and broken files are refused in a sentence, or read as far as they go', async () => {
  const whole = readFileSync(at('one.warc.gz'));
  const bomb = gzipSync(Buffer.alloc(65_000_000), { level: 1 });
  const large = gzipSync(page('large', http(Buffer.alloc(60_000_000))), { level: 1 });
  const record = gzipSync(page('plain', http(article('plain'))));
  const zip = readFileSync(at('foreign.wacz'));
  const patched = (offset: number, value: number): Buffer => {
    const bytes = Buffer.from(zip);
    bytes.writeUInt32LE(value, bytes.length - 22 + offset);
    return bytes;
  };
  const deflated = (): Buffer => {
    const bytes = Buffer.from(zip);
    for (let place = 0; (place = bytes.indexOf('PK\u0001\u0002', place)) >= 0; place += 4)
      bytes.writeUInt16LE(8, place + 10);
    return bytes;
  };
  const lying = (length: string): Buffer =>
    Buffer.from(
      `WARC/1.0\r\nWARC-Type: response\r\nContent-Length: ${length}\r\n\r\nHTTP/1.1 200 OK\r\n\r\n`,
    );
  const refused: Record<string, [Buffer, RegExp]> = {
    'no gzip': [Buffer.from([0x1f, 0x8b, 8, 0]), /: 0 exchanges/],
    'gzip bombs only': [Buffer.concat([bomb, bomb]), /: 0 exchanges.* 2 records could not be used/s],
    'many bombs that unpack': [
      Buffer.concat([large, large, large, large, large]),
      /it unpacks to far more than it holds/,
    ],
    'noise that looks packed': [
      Buffer.alloc(3_000, Buffer.from([0x1f, 0x8b, 8])),
      /too much of it is damaged/,
    ],
    'a bomb between records': [Buffer.concat([record, bomb, record]), /: 2 exchanges/],
    'a cut file': [whole.subarray(0, whole.length - 30), /: 1[0-9] exchanges/],
    'lengths that lie': [Buffer.concat([lying('99999999999'), lying('-5'), lying('1e99')]), /: 0 exchanges/],
    'a directory beyond the end': [patched(16, 0x7fffffff), /neither a WACZ nor a WARC/],
    'a directory too large': [patched(12, 0x7fffffff), /neither a WACZ nor a WARC/],
    ZIP64: [patched(16, 0xffffffff), /it is a ZIP64 file/],
    'archives that are packed': [deflated(), /no archive that is stored as it is/],
  };
  for (const [what, [bytes, expected]] of Object.entries(refused)) {
    const { out, err } = await runHeadgate(['snapshot', 'info', put('hostile', bytes)], { home });
    const told = `${what}: ${out}${err.replace('headgate: ', '')}`;
    expect(told).toMatch(expected);
    expect(told).not.toMatch(/\n\s+at |undefined|NaN/);
  }
  const named = wacz(at('named.wacz'), {
    'archive/../../../etc/passwd.warc.gz': record,
    'archive/\u001b[31mred.warc.gz': record,
    'datapackage.json': Buffer.from(
      JSON.stringify({ resources: [{ path: 'archive/\u001b[31mred.warc.gz', hash: 'sha256:0' }, null, 7] }),
    ),
  });
  const checked = await runHeadgate(['snapshot', 'verify', named], { home });
  expect([checked.code, checked.out]).toEqual([
    1,
    expect.stringMatching(/red\.warc\.gz does not fit its sum/),
  ]);
  expect(checked.out).not.toContain('\u001b');
});

test('an index of ours with lies in it is refused', async () => {
  const entry = {
    exact: 'a',
    canonical: 'a',
    kind: 'page',
    method: 'GET',
    url: 'https://a.example/',
    at: 0,
    asked: { offset: 0, length: 1 },
    answered: { offset: 0, length: 1 },
  };
  const lies = [
    { asked: { offset: -1, length: 1 } },
    { answered: { offset: 0, length: 1e15 } },
    { answered: { offset: '0', length: '1' } },
    { url: 'nowhere' },
    { at: 9e15 },
    { kind: 'other' },
    { asked: null },
  ];
  for (const lie of lies) {
    const file = wacz(at('lie.wacz'), {
      'archive/data.warc.gz': gz(RECORDS),
      'headgate/exchanges.jsonl': Buffer.from(`{}\n${JSON.stringify({ ...entry, ...lie })}\n`),
    });
    const { code, err } = await runHeadgate(['snapshot', 'info', file], { home });
    expect([lie, code, err]).toEqual([lie, 1, expect.stringContaining('its index is wrong')]);
  }
});
