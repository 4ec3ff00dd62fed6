import { rmSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { createLibraryReader } from '../../src/library/query/reader.ts';
import { createFolderStore } from '../../src/library/segment/store.ts';
import { createLibraryWriter } from '../../src/library/writer.ts';
import { openSqliteFile } from '../../src/store/sqlite/driver.ts';

export interface BenchmarkDocument {
  id: string;
  title: string;
  text: string;
}

/** An engine under test: built once, then asked. */
export interface Engine {
  name: string;
  build(documents: Iterable<BenchmarkDocument>): void;
  /** Ids, best first. */
  search(query: string): string[];
  bytes(): number;
}

const BATCH = 5_000;

export function createOurs(folder: string, keep = false): Engine {
  if (!keep) rmSync(folder, { recursive: true, force: true });
  const store = createFolderStore(folder);
  const reader = createLibraryReader(store);
  return {
    name: 'headgate',
    build: (documents) => {
      const writer = createLibraryWriter(store);
      for (const batch of batches(documents)) {
        writer.add(
          batch.map(({ id, title, text }) => ({
            id,
            url: `https://example.com/${id}`,
            title,
            content: text,
            format: 'text',
            kind: 'page',
          })),
          0,
        );
      }
      writer.close();
    },
    search: (text) => reader.search({ text, resultsMax: 10 }, 0).hits.map(({ id }) => id),
    bytes: () => store.bytes(),
  };
}

export function createFts5(folder: string, keep = false): Engine {
  if (!keep) rmSync(join(folder, 'fts.db'), { force: true });
  const file = openSqliteFile(join(folder, 'fts.db'));
  file.exec(
    "PRAGMA journal_mode = WAL; CREATE VIRTUAL TABLE IF NOT EXISTS docs USING fts5(id UNINDEXED, title, text, tokenize = 'porter unicode61')",
  );
  const insert = file.prepare('INSERT INTO docs VALUES (?, ?, ?)');
  const find = file.prepare('SELECT id FROM docs WHERE docs MATCH ? ORDER BY bm25(docs, 0, 2, 1) LIMIT 10');
  return {
    name: 'fts5',
    build: (documents) => {
      for (const batch of batches(documents)) {
        file.exec('BEGIN');
        for (const { id, title, text } of batch) insert.run(id, title, text);
        file.exec('COMMIT');
      }
    },
    search: (query) => {
      const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
      return words.length === 0
        ? []
        : find.all(words.map((word) => `"${word}"`).join(' OR ')).map(({ id }) => String(id));
    },
    bytes: () => {
      const [row] = file
        .prepare('SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size')
        .all();
      return Number(row?.size ?? 0);
    },
  };
}

export function createMiniSearch(): Engine {
  const engine = new MiniSearch<BenchmarkDocument>({ fields: ['title', 'text'] });
  return {
    name: 'minisearch',
    build: (documents) => {
      for (const batch of batches(documents)) engine.addAll(batch);
    },
    search: (query) =>
      engine
        .search(query, { boost: { title: 2 } })
        .slice(0, 10)
        .map(({ id }) => String(id)),
    bytes: () => 0,
  };
}

function* batches(documents: Iterable<BenchmarkDocument>): Generator<BenchmarkDocument[]> {
  let batch: BenchmarkDocument[] = [];
  for (const document of documents) {
    batch.push(document);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
