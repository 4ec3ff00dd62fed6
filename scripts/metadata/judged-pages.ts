import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeBytes } from '../../src/extract/parse/charset.ts';
import { readSavedNews } from '../saved-news.ts';

/** A page with what people say that it says about itself; `undefined` was not judged. */
export interface JudgedPage {
  source: string;
  id: string;
  url: string | undefined;
  html: string;
  title?: string | undefined;
  people?: string[] | undefined;
  date?: string | undefined;
}

/** The judged pages of every project that is checked out below `from` (`from/flairNLP/fundus` and so on). */
export function* readJudged(from: string): Generator<JudgedPage> {
  for (const [project, read] of Object.entries(READERS)) {
    const folder = join(from, project);
    if (existsSync(folder)) yield* read(folder);
    else console.error(`${project}: not there, skipped`);
  }
}

const READERS: Record<string, (folder: string) => Generator<JudgedPage>> = {
  'flairNLP/fundus': readPublishers,
  'adbar/htmldate': readDated,
  'adbar/trafilatura': readMarked,
  'mozilla/readability': readExpected,
};

// htmldate writes a page without a date as NaN.
const readJson = (file: string): unknown =>
  JSON.parse(readFileSync(file, 'utf8').replaceAll(': NaN', ': null'));

/** Saved pages were often turned into UTF-8 without their charset being told. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decodeBytes(bytes, '').text;
  }
}

interface Published {
  title?: string | null;
  authors?: string[];
  publishing_date?: string | null;
  body: { sections: { paragraphs: string[] }[] };
}

/** News of some 150 publishers, each with a reader of its own whose findings people looked at. */
function* readPublishers(project: string): Generator<JudgedPage> {
  for (const { id, url, bytes, versions } of readSavedNews<Published>(project)) {
    const html = decode(bytes);
    const article = ownVersion(html, versions);
    if (article === undefined) continue;
    const { title, authors, publishing_date: date } = article;
    yield {
      source: 'fundus',
      id,
      url,
      html,
      title: title ?? undefined,
      people: authors,
      date: date ?? undefined,
    };
  }
}

/** The version of a publisher's reader whose text stands on this page. */
function ownVersion(html: string, versions: Published[]): Published | undefined {
  const plain = html.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ');
  return versions.find(({ body }) => {
    const openings = body.sections.flatMap(({ paragraphs }) =>
      paragraphs.map((text) => text.replace(/\s+/g, ' ').slice(0, 40)),
    );
    return openings.filter((text) => plain.includes(text)).length >= openings.length / 2;
  });
}

/** Pages of the web, most of them German or English, and 200 of the world's media, with their day. */
function* readDated(project: string): Generator<JudgedPage> {
  for (const [source, list] of [
    ['htmldate', 'eval_default'],
    ['htmldate, media of the world', 'eval_mediacloud_2020'],
  ] as const) {
    const judged = readJson(join(project, `tests/${list}.json`)) as Record<
      string,
      { file: string; date: string | null }
    >;
    for (const [url, { file, date }] of Object.entries(judged)) {
      const path = ['eval', 'test_set', 'cache']
        .map((folder) => join(project, 'tests', folder, file))
        .find(existsSync);
      if (path !== undefined)
        yield { source, id: file, url, html: decode(readFileSync(path)), date: date ?? '' };
    }
  }
}

interface Marked {
  file: string;
  title?: string;
  author?: string | string[];
  date?: string;
}

/** Mostly German pages of all kinds; where title and day are given, a missing author means that there is none. */
function* readMarked(project: string): Generator<JudgedPage> {
  const judged = readJson(join(project, 'tests/evaldata.json')) as Record<string, Marked>;
  for (const [url, { file, title, author, date }] of Object.entries(judged)) {
    const path = ['eval', 'cache'].map((folder) => join(project, 'tests', folder, file)).find(existsSync);
    if (path === undefined || author === undefined) continue;
    const people = [author].flat().filter((name) => name !== '');
    yield {
      source: 'trafilatura',
      id: file,
      url,
      html: decode(readFileSync(path)),
      title: title || undefined,
      people: people.length > 0 || (title && date) ? people : undefined,
      date: date || undefined,
    };
  }
}

interface Expected {
  title?: string | null;
  byline?: string | null;
  publishedTime?: string | null;
}

/** What Readability finds on the pages of its tests. It does not look for visible dates, so that none means nothing. */
function* readExpected(project: string): Generator<JudgedPage> {
  const folder = join(project, 'test/test-pages');
  for (const id of readdirSync(folder).sort()) {
    const [source, expected] = ['source.html', 'expected-metadata.json'].map((file) =>
      join(folder, id, file),
    );
    if (source === undefined || expected === undefined || !existsSync(source) || !existsSync(expected))
      continue;
    const { title, byline, publishedTime } = readJson(expected) as Expected;
    yield {
      source: 'readability',
      id,
      url: undefined,
      html: decode(readFileSync(source)),
      title: title || undefined,
      people: byline ? [byline] : [],
      date: publishedTime || undefined,
    };
  }
}
