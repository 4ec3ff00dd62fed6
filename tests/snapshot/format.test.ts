import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { recordMixed } from '../support/recording.ts';

// A recording, read by the letter of the formats and without our own reader: ZIP, WACZ 1.1.1, WARC 1.1, CDXJ.

const home = mkdtempSync(join(tmpdir(), 'format-'));
const file = join(home, 'web.wacz');
let sim: Sim;
let members: Map<string, Buffer>;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
  await recordMixed(file, sim);
  members = unzipped(readFileSync(file));
});
afterAll(async () => {
  await sim.close();
  rmSync(home, { recursive: true, force: true });
});

/** From the directory at the end; every sum and both heads of a member must agree. */
function unzipped(bytes: Buffer): Map<string, Buffer> {
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
  const found = new Map<string, Buffer>();
  let at = bytes.readUInt32LE(end + 16);
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count -= 1) {
    expect(bytes.readUInt32LE(at)).toBe(0x02014b50);
    const [label, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const local = bytes.readUInt32LE(at + 42);
    expect(bytes.readUInt32LE(local)).toBe(0x04034b50);
    // Version, flags, method, time, date, sum, sizes and the length of the name.
    expect(bytes.subarray(local + 4, local + 28)).toEqual(bytes.subarray(at + 6, at + 30));
    expect(bytes.readUInt16LE(at + 10)).toBe(0);
    const name = bytes.toString('utf8', at + 46, at + 46 + label);
    const from = local + 30 + label + bytes.readUInt16LE(local + 28);
    const content = bytes.subarray(from, from + bytes.readUInt32LE(at + 24));
    expect(crc32(content)).toBe(bytes.readUInt32LE(at + 16));
    found.set(name, content);
    at += 46 + label + extra + comment;
  }
  expect(at).toBe(end);
  return found;
}

const textOf = (name: string): string => members.get(name)?.toString() ?? '';
const rowsOf = (name: string): string[] => textOf(name).trimEnd().split('\n');
const sum = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

interface Read {
  offset: number;
  length: number;
  fields: Record<string, string>;
  block: Buffer;
}

/** Every record of the archive, each of which is a gzip member of its own. */
function records(): Read[] {
  const archive = members.get('archive/data.warc.gz') ?? Buffer.alloc(0);
  const read: Read[] = [];
  for (let offset = 0; offset < archive.length;) {
    expect(archive.subarray(offset, offset + 4)).toEqual(Buffer.from([0x1f, 0x8b, 8, 0]));
    const raw = archive.subarray(offset + 10);
    const { engine } = inflateRawSync(raw, { info: true }) as unknown as {
      engine: { bytesWritten: number };
    };
    const length = 10 + engine.bytesWritten + 8;
    const bytes = gunzipSync(archive.subarray(offset, offset + length));
    const end = bytes.indexOf('\r\n\r\n');
    const [version, ...lines] = bytes.toString('utf8', 0, end).split('\r\n');
    expect(version).toBe('WARC/1.1');
    const fields = Object.fromEntries(
      lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]),
    );
    const size = Number(fields['Content-Length']);
    expect(bytes.length).toBe(end + 4 + size + 4);
    expect(bytes.toString('utf8', end + 4 + size)).toBe('\r\n\r\n');
    read.push({ offset, length, fields, block: bytes.subarray(end + 4, end + 4 + size) });
    offset += length;
  }
  return read;
}

test('the datapackage of WACZ 1.1.1 names every other member, with its size and its sum', () => {
  const manifest = JSON.parse(textOf('datapackage.json')) as {
    profile: string;
    wacz_version: string;
    created: string;
    resources: { name: string; path: string; hash: string; bytes: number }[];
  };
  expect(manifest).toMatchObject({ profile: 'data-package', wacz_version: '1.1.1' });
  expect(new Date(manifest.created).toISOString()).toBe(manifest.created);
  const paths = [...members.keys()].filter((name) => !name.startsWith('datapackage'));
  expect(manifest.resources.map(({ path }) => path)).toEqual(paths);
  for (const { path, hash, bytes, name } of manifest.resources) {
    const content = members.get(path) as Buffer;
    expect([path.endsWith(name), hash, bytes]).toEqual([true, sum(content), content.length]);
  }
  expect(JSON.parse(textOf('datapackage-digest.json'))).toEqual({
    path: 'datapackage.json',
    hash: sum(Buffer.from(textOf('datapackage.json'))),
  });
});

test('every record has the sums of its block and its payload, and answers name their requests', () => {
  const all = records();
  expect(all[0]?.fields['WARC-Type']).toBe('warcinfo');
  expect(all.length).toBeGreaterThan(20);
  const ids = new Set(all.map(({ fields }) => fields['WARC-Record-ID']));
  expect(ids.size).toBe(all.length);
  for (const { fields, block } of all) {
    expect(fields['WARC-Block-Digest']).toBe(sum(block));
    expect(fields['WARC-Record-ID']).toMatch(/^<urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}>$/);
  }
  for (const { fields, block } of all.filter((record) => record.fields['WARC-Type'] === 'response')) {
    expect(fields['WARC-Payload-Digest']).toBe(sum(block.subarray(block.indexOf('\r\n\r\n') + 4)));
    expect(ids).toContain(fields['WARC-Concurrent-To']);
  }
});

test('the index is sorted and leads to every answer; the list of pages to every page that was read', () => {
  const lines = rowsOf('indexes/index.cdx');
  expect(lines).toEqual(lines.toSorted());
  const answers = records().filter(({ fields }) => fields['WARC-Type'] === 'response');
  const indexed = lines.map((line) => {
    const { url, offset, length } = JSON.parse(line.slice(line.indexOf(' {'))) as Record<string, string>;
    return `${url} ${offset} ${length}`;
  });
  const expected = answers.map(
    ({ fields, offset, length }) => `${fields['WARC-Target-URI']} ${offset} ${length}`,
  );
  expect(indexed.toSorted()).toEqual(expected.toSorted());
  const [head, ...pages] = rowsOf('pages/pages.jsonl').map(
    (row) => JSON.parse(row) as Record<string, string>,
  );
  expect(head).toMatchObject({ format: 'json-pages-1.0' });
  expect(pages.map(({ url }) => url)).toContain(`${sim.url}/web/river`);
});
