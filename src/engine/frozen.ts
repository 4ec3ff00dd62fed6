import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { SearchQuery } from '../core/query.ts';
import type { Source } from '../core/source.ts';
import { canonicalUrl } from '../core/url.ts';
import { createLibrary, type Libraries } from '../library/library.ts';
import type { LibraryDocument } from '../library/document.ts';
import type { Services } from '../operations/services.ts';
import type { KeptAnswer } from '../snapshot/http-message.ts';
import type { Entry, WebSnapshot } from '../snapshot/entry.ts';

/** An index over what snapshots hold: the pages as they are extracted, and the results that providers gave. */
export interface FrozenIndex {
  library: Libraries;
  close(): Promise<void>;
}

interface FrozenOptions {
  snapshots: readonly WebSnapshot[];
  /** Later exchanges are left out. */
  until: number;
  clock: Clock;
  providers: Services['providers'];
  extract: Services['extract'];
}

const BATCH = 500;
const READ_AT_ONCE = 4;
const PAGES_MAX = 100_000;
/** All texts together, in characters: they are in memory until they are indexed. */
const TEXT_CHARS_MAX = 200_000_000;
const SNIPPETS_CHARS_MAX = 20_000;
const READABLE = /^(text\/(html|plain|markdown)|application\/(xhtml\+xml|pdf))$/;

/** Builds the index in a temporary folder. */
export async function buildFrozenIndex(options: FrozenOptions): Promise<FrozenIndex> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-frozen-'));
  const library = createLibrary({ folder, clock: options.clock });
  const close = async (): Promise<void> => {
    await library.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const documents = await documentsOf(options);
    for (let at = 0; at < documents.length; at += BATCH) await library.add(documents.slice(at, at + BATCH));
    return { library, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** One document for each address: the text of its page, or else what providers said about it. */
async function documentsOf(options: FrozenOptions): Promise<LibraryDocument[]> {
  const found = resultsOf(options);
  const pages = [...pagesOf(options)].slice(0, PAGES_MAX);
  let next = 0;
  let chars = 0;
  for (const { content } of found.values()) chars += content.length;
  const worker = async (): Promise<void> => {
    for (let one = pages[next++]; one !== undefined && chars < TEXT_CHARS_MAX; one = pages[next++]) {
      const [id, { snapshot, entry }] = one;
      const page = await extracted(snapshot.answer(entry) as KeptAnswer, entry, options.extract);
      if (page === undefined) continue;
      const known = found.get(id);
      const { title, markdown, publishedDate = known?.publishedDate } = page;
      chars += markdown.length;
      found.set(id, {
        ...(known ?? { id, url: entry.url, kind: 'page' as const }),
        title: title || (known?.title ?? ''),
        content: markdown,
        format: 'markdown',
        ...(publishedDate === undefined ? {} : { publishedDate }),
      });
    }
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, worker));
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
}

/** The newest capture of each page that can be read. */
function pagesOf({ snapshots, until }: FrozenOptions): Map<string, { snapshot: WebSnapshot; entry: Entry }> {
  const pages = new Map<string, { snapshot: WebSnapshot; entry: Entry }>();
  for (const snapshot of snapshots)
    for (const entry of snapshot.entries) {
      const { kind, status, mime = '', at, url } = entry;
      if (kind !== 'page' || status !== 200 || !READABLE.test(mime) || at > until) continue;
      const id = canonicalUrl(url);
      if ((pages.get(id)?.entry.at ?? -1) < at) pages.set(id, { snapshot, entry });
    }
  return pages;
}

async function extracted({ bytes, headers }: KeptAnswer, { url }: Entry, extract: Services['extract']) {
  const contentType = headers['content-type'];
  const page = { bytes, url, ...(contentType === undefined ? {} : { contentType }) };
  const read = await extract(page, {}, AbortSignal.timeout(EXTRACT_MS)).catch(() => undefined);
  return read?.quality === 'ok' ? read : undefined;
}

const EXTRACT_MS = 30_000;

/** What providers found: their answers, read by their own adapters. */
function resultsOf({ snapshots, until, providers }: FrozenOptions): Map<string, LibraryDocument> {
  const documents = new Map<string, LibraryDocument>();
  for (const snapshot of snapshots)
    for (const entry of snapshot.entries) {
      if (entry.kind !== 'provider' || entry.status !== 200 || entry.at > until) continue;
      for (const source of parsed(snapshot, entry, providers)) keep(documents, source);
      if (documents.size >= PAGES_MAX) return documents;
    }
  return documents;
}

function keep(documents: Map<string, LibraryDocument>, source: Source): void {
  const { url, title, snippet, content, publishedDate } = source;
  const id = canonicalUrl(url);
  const known = documents.get(id);
  const text = content ?? snippet;
  if (known?.content.includes(text) === true || (known?.content.length ?? 0) > SNIPPETS_CHARS_MAX) return;
  documents.set(id, {
    id,
    url,
    kind: 'page',
    format: 'markdown',
    title: known?.title ?? title,
    content: known === undefined ? text : `${known.content}\n\n${text}`,
    ...(publishedDate === undefined ? {} : { publishedDate }),
  });
}

/** The results in an answer. Whatever is no answer of a search or a reading has none. */
function parsed(snapshot: WebSnapshot, entry: Entry, providers: Services['providers']): Source[] {
  const ready = providers.find(({ settings }) =>
    Object.entries(settings).some(
      ([name, value]) =>
        name.endsWith('base_url') && typeof value === 'string' && entry.url.startsWith(value),
    ),
  );
  if (ready === undefined) return [];
  const { bytes, headers } = snapshot.answer(entry) as KeptAnswer;
  const response = { status: 200, headers, body: bytes.toString(), url: entry.url };
  const { search, extract } = ready.provider;
  for (const read of [
    () => search?.parse(response, ANY, ready.settings).sources,
    () => extract?.parse(response, { urls: [], format: 'markdown' }, ready.settings).sources,
  ])
    try {
      const sources = read()?.filter(({ url }) => URL.canParse(url)) ?? [];
      if (sources.length > 0) return sources;
    } catch {
      // It is the answer to something else.
    }
  return [];
}

const ANY: SearchQuery = { text: '', resultsMax: 100, includeRawContent: 'markdown' };
