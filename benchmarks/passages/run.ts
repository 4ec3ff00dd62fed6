/**
 * How often the answer to a question is inside a token budget when a page is read with that question, by language, beside plain BM25
 * over windows of 200 tokens and beside the beginning of the page; and the same with the articles of the page as results of a search
 * (`results`), where one budget is for all of them.
 *
 *   npx tsx benchmarks/passages/run.ts FOLDER [--json] [--questions N]
 *   HEADGATE_SQUAD=FOLDER npm run benchmark -- passages
 *
 * FOLDER has one file per language in SQuAD's format, named like `en.json` (XQuAD's files as they are). A page is the text of four articles.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, join } from 'node:path';
import type { ExtractInput } from '../../src/contract/extract.ts';
import { fitPages } from '../../src/operations/extract/fit-pages.ts';
import { hitOf } from '../../src/operations/extract/read-own.ts';
import type { ReadPage } from '../../src/operations/extract/read.ts';
import { fitContents } from '../../src/rank/fit-contents.ts';
import { rankChunks } from '../../src/rank/rank.ts';
import { countTokens, placeOfTokens } from '../../src/rank/tokens.ts';
import { best, spread } from '../ranking/corpus.ts';
import { createPlainBm25 } from '../ranking/plain-bm25.ts';

const BUDGETS = [150, 300, 500, 1_000];
const ARTICLES_PER_PAGE = 4;
const WINDOW_TOKENS = 200;

const args = process.argv.slice(2);
const folder =
  args.find((argument) => !argument.startsWith('--') && !/^\d+$/.test(argument)) ??
  process.env.HEADGATE_SQUAD;
if (folder === undefined)
  throw new Error('Name a folder of SQuAD files: npx tsx benchmarks/passages/run.ts FOLDER');
const questionsMax = Number(args[args.indexOf('--questions') + 1] ?? 150) || 150;

interface Page {
  content: string;
  articles: string[];
  questions: { text: string; answers: string[] }[];
}

const rows: Awaited<ReturnType<typeof measure>>[] = [];
for (const file of readdirSync(folder).filter((name) => name.endsWith('.json')))
  rows.push(await measure(basename(file, '.json'), readPages(join(folder, file))));

const report = {
  benchmark: 'passages',
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  node: process.version,
  machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
  budgets: BUDGETS,
  languages: rows,
  mean: Object.fromEntries(
    (['ours', 'results', 'windows', 'first'] as const).map((name) => [
      name,
      BUDGETS.map((_, at) => round(rows.reduce((sum, row) => sum + (row[name][at] ?? 0), 0) / rows.length)),
    ]),
  ),
};
if (args.includes('--json')) console.log(JSON.stringify(report, null, 2));
else {
  for (const { language, ours, results, windows, first } of rows)
    console.log(
      `${language}\tours ${ours.join(' ')}\tresults ${results.join(' ')}\twindows ${windows.join(' ')}\tfirst ${first.join(' ')}`,
    );
  console.log(report.mean);
}

function readPages(file: string): Page[] {
  const { data } = JSON.parse(readFileSync(file, 'utf8')) as {
    data: {
      paragraphs: { context: string; qas: { question: string; answers: { text: string }[] }[] }[];
    }[];
  };
  return Array.from({ length: Math.ceil(data.length / ARTICLES_PER_PAGE) }, (_, page) => {
    const articles = data.slice(page * ARTICLES_PER_PAGE, (page + 1) * ARTICLES_PER_PAGE);
    const textOf = (parts: { context: string }[]): string => parts.map(({ context }) => context).join('\n\n');
    const paragraphs = articles.flatMap((article) => article.paragraphs);
    return {
      content: textOf(paragraphs),
      articles: articles.map((article) => textOf(article.paragraphs)),
      questions: paragraphs.flatMap(({ qas }) =>
        qas.map(({ question, answers }) => ({ text: question, answers: answers.map(({ text }) => text) })),
      ),
    };
  });
}

async function measure(language: string, pages: Page[]) {
  const asked = spread(
    pages.flatMap((page) => page.questions.map((question) => ({ page, ...question }))),
    questionsMax,
  );
  const ranked = new Map(pages.map((page) => [page, windowsOf(page.content)]));
  const none = (): number[] => BUDGETS.map(() => 0);
  const hits = { ours: none(), results: none(), windows: none(), first: none() };
  for (const { page, text, answers } of asked) {
    const has = (found: string): boolean => answers.some((answer) => plain(found).includes(plain(answer)));
    const { texts, score } = ranked.get(page) ?? windowsOf(page.content);
    const order = best(score(text), texts.length);
    for (const [at, budget] of BUDGETS.entries()) {
      const ours = await ourText(page.content, text, budget);
      if ((await countTokens(ours)) > budget) throw new Error(`${language}: more than ${budget} tokens`);
      hits.ours[at] = (hits.ours[at] ?? 0) + Number(has(ours));
      const results = await resultsText(page.articles, text, budget);
      if ((await countTokens(results)) > budget) throw new Error(`${language}: more than ${budget} tokens`);
      hits.results[at] = (hits.results[at] ?? 0) + Number(has(results));
      hits.windows[at] =
        (hits.windows[at] ?? 0) +
        Number(
          has(
            await cut(
              order.map((one) => texts[one] ?? ''),
              budget,
            ),
          ),
        );
      hits.first[at] = (hits.first[at] ?? 0) + Number(has(await cut([page.content], budget)));
    }
  }
  const share = (counts: number[]): number[] => counts.map((count) => round(count / asked.length));
  return {
    language,
    questions: asked.length,
    ours: share(hits.ours),
    results: share(hits.results),
    windows: share(hits.windows),
    first: share(hits.first),
  };
}

/** What the product returns for a page that is read with a question and a budget. */
async function ourText(content: string, query: string, tokensMax: number): Promise<string> {
  const url = 'https://page.example/';
  const page = { finalUrl: url, title: '', markdown: content, text: content, images: [], quality: 'ok' };
  const input = { urls: [url], query, max_tokens: tokensMax, format: 'markdown' } as ExtractInput;
  const [hit] = await fitPages([hitOf(url, page as unknown as ReadPage, input)], input);
  return [hit?.opening, hit?.raw_content, hit?.closing].filter((part) => part !== undefined).join('\n');
}

/** What a search with advanced depth returns for pages in a budget. */
async function resultsText(articles: string[], query: string, tokensMax: number): Promise<string> {
  const documents = articles.map((content, at) => ({ id: `${at}`, content }));
  const ranked = new Map(rankChunks(query, documents, { tokensMax }).map((one) => [one.id, one.chunks]));
  const pages = documents.map((one) => ({ ...one, chunks: ranked.get(one.id) }));
  return (await fitContents(query, pages, tokensMax)).filter((text) => text !== '').join('\n');
}

function windowsOf(content: string) {
  const texts: string[] = [];
  for (let rest = content; rest !== '';) {
    const place = Math.max(1, placeOfTokens(rest, WINDOW_TOKENS));
    const space = place >= rest.length ? rest.length : rest.lastIndexOf(' ', place);
    const end = space > place / 2 ? space : place;
    texts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return { texts, score: createPlainBm25(texts) };
}

/** The texts one after another until the budget is full; the last one is cut. */
async function cut(texts: string[], tokensMax: number): Promise<string> {
  const whole = texts.join('\n');
  let place = placeOfTokens(whole, tokensMax);
  while (place > 0 && (await countTokens(whole.slice(0, place))) > tokensMax)
    place = Math.floor(place * 0.97);
  return whole.slice(0, place);
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim();
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
