import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ingest, type Intake } from './ingest.ts';
import { createLibraryReader } from '../query/reader.ts';
import { createFolderStore } from '../segment/store.ts';
import { createLibraryWriter } from '../writer.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headgate-ingest-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (path: string, content: string | Uint8Array) => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
};

async function take(intake: Intake, options: { roots?: string[]; isCancelled?: () => boolean } = {}) {
  const store = createFolderStore(join(root, '.library'));
  const progress: string[] = [];
  const report = await ingest(intake, createLibraryWriter(store), {
    roots: options.roots,
    now: () => 1_000,
    isCancelled: options.isCancelled ?? (() => false),
    progress: (done, total, message) => progress.push(`${done}/${total} ${message}`),
  });
  const reader = createLibraryReader(store);
  const search = (text: string) => reader.search({ text, resultsMax: 5 }, 1_000).hits;
  return {
    report,
    search,
    progress,
    problems: report.problems.map(({ path, code }) => [path.slice(root.length + 1), code]),
  };
}

/** Root reads whatever it likes, so permissions are only seen by somebody else. */
async function asNobody<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return work();
  chmodSync(root, 0o777);
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

describe('folders', () => {
  test('Markdown, HTML and text are added with their titles; what is unknown or hidden is left alone', async () => {
    put('docs/guide.md', '# The guide\n\nOpen the headgate slowly.');
    put(
      'docs/page.html',
      `<html><head><title>Canal page</title></head><body><article><h1>Canals</h1>${'<p>A canal carries water from the river to the fields, day and night, all the year.</p>'.repeat(6)}</article></body></html>`,
    );
    put('docs/notes.txt', 'Notes on weirs\n\nA weir raises the level.');
    put('docs/image.png', new Uint8Array([0x89, 0x50, 0, 0]));
    put('docs/.secret/hidden.md', '# Hidden\n\nheadgate');
    const { report, search } = await take({ kind: 'folder', path: join(root, 'docs') });
    expect(report).toMatchObject({ added: 3, problems: [] });
    expect(search('headgate').map(({ title }) => title)).toEqual(['The guide']);
    expect(search('canal fields')[0]).toMatchObject({ title: 'Canal page', kind: 'file' });
    expect(search('weir')[0]?.url).toMatch(/^file:\/\/.*notes\.txt$/);
  });

  test.each<[string, string, string, () => void]>([
    ['a binary file', 'bad.md', 'unsupported_type', () => put('bad.md', new Uint8Array([1, 2, 0, 3, 4]))],
    [
      // Sparse: two gigabytes that were never written and must never be read.
      'a file of 2 GB',
      'bad.md',
      'payload_too_large',
      () => {
        put('bad.md', '');
        truncateSync(join(root, 'bad.md'), 2 ** 31);
      },
    ],
    [
      'a link that leads back to a folder above it',
      'folder/loop',
      'invalid_request',
      () => {
        put('folder/inner.txt', 'inner');
        symlinkSync(root, join(root, 'folder', 'loop'));
      },
    ],
    [
      'a link to itself',
      'bad.md',
      'invalid_request',
      () => symlinkSync(join(root, 'bad.md'), join(root, 'bad.md')),
    ],
    [
      'a link to nowhere',
      'bad.md',
      'not_found',
      () => symlinkSync(join(root, 'nowhere'), join(root, 'bad.md')),
    ],
    ['a broken PDF', 'bad.pdf', 'extract_failed', () => put('bad.pdf', '%PDF-1.7\nbroken')],
    [
      'a file that may not be read',
      'bad.md',
      'forbidden',
      () => {
        put('bad.md', '# Secret');
        chmodSync(join(root, 'bad.md'), 0);
      },
    ],
    [
      'a folder that may not be opened',
      'locked',
      'forbidden',
      () => {
        put('locked/inner.md', '# Secret');
        chmodSync(join(root, 'locked'), 0);
      },
    ],
  ])('bad input: %s is reported, and the rest goes on', async (_name, path, code, make) => {
    put('good.md', '# Good\n\nwater');
    make();
    const { problems, search } = await asNobody(() => take({ kind: 'folder', path: root }));
    expect(problems).toEqual([[path, code]]);
    expect(search('water').map(({ title }) => title)).toContain('Good');
  });

  test('what lies outside the allowed roots is refused, also through a link', async () => {
    put('inside/a.md', '# A\n\nwater');
    put('outside/b.md', '# B\n\nwater');
    symlinkSync(join(root, 'outside'), join(root, 'inside', 'link'));
    symlinkSync(join(root, 'outside', 'b.md'), join(root, 'inside', 'b.md'));
    const roots = [join(root, 'inside')];
    const { problems, search } = await take({ kind: 'folder', path: join(root, 'inside') }, { roots });
    expect(problems).toEqual([
      ['inside/b.md', 'forbidden'],
      ['inside/link', 'forbidden'],
    ]);
    expect(search('water').map(({ title }) => title)).toEqual(['A']);
    const other = await take({ kind: 'file', path: join(root, 'outside', 'b.md') }, { roots });
    expect(other.report).toMatchObject({ added: 0, problemsTotal: 1 });
  });

  test('a second run adds nothing new', async () => {
    put('a.md', '# A\n\nwater');
    await take({ kind: 'folder', path: root });
    put('b.md', '# B\n\nwater');
    expect((await take({ kind: 'folder', path: root })).report).toMatchObject({
      added: 1,
      unchanged: 1,
      replaced: 0,
    });
  });

  test('a cancelled run keeps what it has read', async () => {
    for (let at = 0; at < 5; at += 1) put(`${at}.md`, `# Page ${at}\n\nwater`);
    let asked = 0;
    const { report } = await take({ kind: 'folder', path: root }, { isCancelled: () => (asked += 1) >= 2 });
    expect(report).toMatchObject({ cancelled: true, added: 2 });
  });
});

describe('node_modules', () => {
  test('README, changelog and declarations are added with name and exact version', async () => {
    const inModules = (path: string, content: string) => put(`project/node_modules/${path}`, content);
    inModules('weir/package.json', '{"name":"weir","version":"2.1.0","description":"Levels of water"}');
    inModules('weir/README.md', '# weir\n\nRaises the level of a river.');
    inModules('weir/CHANGELOG.md', '# Changelog\n\n## 2.1.0\n\nFaster sluices.');
    inModules('weir/index.d.ts', 'export declare function raiseLevel(meters: number): void;');
    inModules('weir/test/x.md', '# sluices in a test');
    inModules('@scope/gate/package.json', '{"name":"@scope/gate","version":"1.0.0"}');
    inModules('@scope/gate/README.md', '# gate\n\nOpens and closes.');
    inModules('weir/node_modules/gate/package.json', '{"name":"gate","version":"0.1.0"}');
    inModules('weir/node_modules/gate/readme.md', 'An old gate.');
    inModules('broken/package.json', 'not json');
    const { report, search, progress } = await take({ kind: 'node_modules', project: join(root, 'project') });
    expect(report).toMatchObject({ added: 5, problems: [] });
    expect(search('raise level')[0]).toMatchObject({
      package: 'weir',
      version: '2.1.0',
      url: 'npm:weir@2.1.0/README.md',
    });
    expect(search('raiseLevel meters')[0]?.url).toBe('npm:weir@2.1.0/index.d.ts');
    expect(search('old gate')[0]).toMatchObject({ package: 'gate', version: '0.1.0' });
    expect(search('sluices').map(({ url }) => url)).toEqual(['npm:weir@2.1.0/CHANGELOG.md']);
    expect(progress.at(-1)).toBe('3/3 done');
  });

  test('a project without node_modules says so', async () => {
    expect((await take({ kind: 'node_modules', project: root })).problems).toEqual([
      ['node_modules', 'not_found'],
    ]);
  });
});
