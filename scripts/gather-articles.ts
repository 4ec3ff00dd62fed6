/**
 * Gathers articles with known text for training: `npx tsx scripts/gather-articles.ts --from DIR --out FILE.jsonl.gz`. DIR holds checkouts of
 * public projects that test themselves on saved pages; docs/extraction-model.md names them. Nothing of them is part of this repository.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { EXTRACTORS, installOthers, other } from '../benchmarks/extraction/libraries.ts';
import { scoreShingles } from '../benchmarks/extraction/metric.ts';
import { buildTree } from '../src/extract/parse/tree.ts';
import { readSavedNews } from './saved-news.ts';
import { tokenize } from './train/label.ts';

const { values: flags } = parseArgs({ options: { from: { type: 'string' }, out: { type: 'string' } } });
const { from, out } = flags;
if (from === undefined || out === undefined)
  throw new Error('Say where the checkouts are and where to write: --from DIR --out FILE');
if (!installOthers())
  throw new Error(
    'Readability is needed to check what was gathered; see above why it could not be installed.',
  );

interface Article {
  id: string;
  url: string;
  html: string;
  gold: string;
  /** What may be left out or not: a summary above the text. */
  optional?: string;
}

interface DomNode {
  nodeType: number;
  localName: string | null;
  className: string;
  textContent: string | null;
  nodeValue: string | null;
  childNodes: Iterable<DomNode>;
  querySelectorAll(selector: string): Iterable<DomNode>;
  remove(): void;
}

const { parseHTML } = await other<{ parseHTML(html: string): { document: DomNode } }>('linkedom');
const readability = await (EXTRACTORS['readability+linkedom'] as (typeof EXTRACTORS)[string])();

const BREAKS =
  /^(address|article|aside|blockquote|br|dd|div|dl|dt|figure|footer|h[1-6]|header|hr|li|main|ol|p|pre|section|table|td|th|tr|ul)$/;
/** The title is a field of its own; captions and what is pressed are not text of an article. */
const LEFT_OUT = /^(script|style|noscript|template|head|svg|iframe|figcaption|h1|button|form)$/;

function textOf(node: DomNode): string {
  if (node.nodeType === 3) return node.nodeValue ?? '';
  const name = node.localName ?? '';
  if (LEFT_OUT.test(name) || isCaption(node)) return '';
  const inner = Array.from(node.childNodes, textOf).join('');
  return BREAKS.test(name) ? `\n${inner}\n` : inner;
}

const CAPTION_CHARS_MAX = 500;

/** Old pages say so by a class; one on an element with much text means something else. */
const isCaption = ({ className, textContent }: DomNode): boolean =>
  /caption/i.test(className) && (textContent ?? '').length <= CAPTION_CHARS_MAX;

const tidy = (text: string): string =>
  text
    .replace(/[ \t\f\u00A0]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();

/** Saved pages whose expected result is saved beside them as HTML. */
function* readExpected(folder: string): Generator<Article> {
  for (const name of readdirSync(folder).sort()) {
    const [source, expected] = ['source.html', 'expected.html'].map((file) => join(folder, name, file)) as [
      string,
      string,
    ];
    if (!existsSync(source) || !existsSync(expected)) continue;
    const html = readFileSync(source, 'utf8');
    // Made-up pages repeat one paragraph; encyclopedias are not articles of the kind that is wanted here.
    if (/lorem ipsum/i.test(html) || /wikipedia|wikia/.test(name)) continue;
    const { document } = parseHTML(`<html><body>${readFileSync(expected, 'utf8')}</body></html>`);
    yield {
      id: name,
      url: `https://${name.replace(/-\d.*/, '')}.example/story`,
      html,
      gold: tidy(textOf(document)),
    };
  }
}

/** Saved pages whose text is saved elsewhere under the same name. */
function* readTexts(folder: string, texts: string): Generator<Article> {
  for (const file of readdirSync(folder).sort()) {
    const text = join(texts, file.replace(/\.html$/, '.txt'));
    if (!file.endsWith('.html') || !existsSync(text)) continue;
    const site = file.replace(/\d*\.html$/, '');
    yield {
      id: file,
      url: `https://${site}/story`,
      html: readFileSync(join(folder, file), 'utf8'),
      gold: readFileSync(text, 'utf8'),
    };
  }
}

interface SiteRules {
  content?: { selectors?: (string | string[])[]; clean?: string[] };
}

/** Saved pages of sites for which somebody wrote down where their text stands. */
async function* readRules(project: string): AsyncGenerator<Article> {
  const fixtures = join(project, 'fixtures');
  const files = (readdirSync(fixtures, { recursive: true }) as string[]).filter((file) =>
    file.endsWith('.html'),
  );
  for (const file of files.sort()) {
    const site = (file.split('/')[0] as string).replace(/\.html$/, '').replace(/--.*$/, '');
    const rules = join(project, 'src/extractors/custom', site, 'index.js');
    if (!existsSync(rules)) continue;
    const [rule] = Object.values((await import(pathToFileURL(rules).href)) as Record<string, SiteRules>);
    const html = readFileSync(join(fixtures, file), 'utf8');
    yield { id: file, url: `https://${site}/2020/01/story`, html, gold: applyRules(html, rule?.content) };
  }
}

function applyRules(html: string, content: SiteRules['content']): string {
  const { document } = parseHTML(html);
  for (const selector of content?.selectors ?? []) {
    const parts = [selector].flat().flatMap((part) => select(document, part).slice(0, 1));
    const unwanted = parts.flatMap((part) => (content?.clean ?? []).flatMap((clean) => select(part, clean)));
    for (const node of unwanted) node.remove();
    const text = tidy(parts.map(textOf).join('\n'));
    if (tokenize(text).length >= WORDS_MIN) return text;
  }
  return '';
}

/** What a selector finds; nothing when it is written in a dialect that this parser does not know. */
function select(node: DomNode, selector: string): DomNode[] {
  try {
    return [...node.querySelectorAll(selector)];
  } catch {
    return [];
  }
}

interface Body {
  summary: string[];
  sections: { headline: string[]; paragraphs: string[] }[];
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const readZipped = (file: string): string => gunzipSync(readFileSync(file)).toString('utf8');

/** Saved pages of publishers for whom somebody wrote a reader, with the text that it found and people looked at. */
function* readPublishers(project: string): Generator<Article> {
  for (const { id, url, bytes, versions } of readSavedNews<{ body: Body }>(project)) {
    const html = new TextDecoder().decode(bytes);
    const found = versions.find(({ body }) => isOn(html, textsOf(body)));
    if (found === undefined) continue;
    const { body } = found;
    yield { id, url, html, gold: textsOf(body).join('\n'), optional: body.summary.join('\n') };
  }
}

/** Soft hyphens are not part of a word, and the page's are not read either. */
const textsOf = ({ sections }: Body): string[] =>
  sections
    .flatMap(({ headline, paragraphs }) => [...headline, ...paragraphs])
    .map((text) => text.replaceAll('\u00AD', ''));

/** Whether most of these texts stand on the page: a reader of an older form of the site found others. */
function isOn(html: string, texts: string[]): boolean {
  const whole = tokenize(
    buildTree(html)
      .blocks.map(({ text }) => text)
      .join(' '),
  ).join(' ');
  const found = texts.filter((text) => whole.includes(tokenize(text).slice(0, 8).join(' ')));
  return found.length > 0.8 * texts.length;
}

/** Saved pages that people marked paragraph by paragraph; those in brackets may be left out. */
function* readMarked(project: string): Generator<Article> {
  const pages = readJson(join(project, 'dataset/ground_truth.json')) as Record<
    string,
    { url: string; body: string[] }
  >;
  for (const [file, { url, body }] of Object.entries(pages)) {
    const isOptional = (text: string): boolean => text.startsWith('[') && text.endsWith(']');
    const html = readZipped(join(project, 'dataset/html', file));
    const gold = body.filter((text) => !isOptional(text)).join('\n');
    const optional = body
      .filter(isOptional)
      .map((text) => text.slice(1, -1))
      .join('\n');
    yield { id: file, url, html, gold, optional };
  }
}

const WORDS_MIN = 100;
/** A text of which Readability finds less was saved for another page, or is a part. */
const AGREED_MIN = 0.8;

type Readers = Record<string, (project: string) => Iterable<Article> | AsyncIterable<Article>>;

const ARTICLES: Readers = {
  'postlight/parser': readRules,
  'mozilla/readability': (project) => readExpected(join(project, 'test/test-pages')),
  'jocmp/mercury-parser': readRules,
  'omnivore-app/omnivore': (project) => readExpected(join(project, 'packages/readabilityjs/test/test-pages')),
  'codelucas/newspaper': (project) =>
    readTexts(join(project, 'tests/data/html'), join(project, 'tests/data/text')),
  'AndyTheFactory/newspaper4k': (project) =>
    readTexts(join(project, 'tests/data/html'), join(project, 'tests/data/txt')),
};
/** People looked at these texts, so that Readability has no say. */
const NEWS: Readers = {
  'flairNLP/fundus': readPublishers,
  'dobbersc/fundus-evaluation': readMarked,
};

const lines: string[] = [];
const known = new Set<string>();
await gather(ARTICLES, 'article', isAgreed);
await gather(NEWS, 'news', () => true);
writeFileSync(out, gzipSync(`${lines.join('\n')}\n`));
console.log(`wrote ${out}: ${lines.length} articles`);

async function gather(
  readers: Readers,
  type: string,
  isUsable: (article: Article) => boolean | Promise<boolean>,
): Promise<void> {
  for (const [project, read] of Object.entries(readers)) {
    const folder = join(from as string, project);
    if (!existsSync(folder)) {
      console.log(`${project}: not there, skipped`);
      continue;
    }
    const before = lines.length;
    for await (const article of read(folder))
      if (isNew(article) && (await isUsable(article)))
        lines.push(JSON.stringify({ ...article, id: `${project}/${article.id}`, set: 'articles', type }));
    console.log(`${project}: ${lines.length - before} articles`);
  }
}

/** Long enough, and not gathered before. */
function isNew({ gold }: Article): boolean {
  const words = tokenize(gold);
  const opening = words.slice(0, 60).join(' ');
  if (words.length < WORDS_MIN || known.has(opening)) return false;
  known.add(opening);
  return true;
}

/** Found by another reader, too. */
async function isAgreed({ html, url, gold }: Article): Promise<boolean> {
  return scoreShingles(gold, await readability(html, url)).f1 > AGREED_MIN;
}
