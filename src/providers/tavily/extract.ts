import { z } from 'zod';
import { own, warned } from '../../core/own-text.ts';
import type { HttpResponse } from '../../core/http.ts';
import type { ExtractQuery } from '../../core/query.ts';
import type { Source } from '../../core/source.ts';
import { type OwnText, clip } from '../../core/text.ts';
import { chunksOf, images, postTavily, TAVILY, usage, words, type TavilySettings } from './wire.ts';
import { makeSource } from '../kit/make-source.ts';
import { matchUrls } from '../kit/match-urls.ts';
import type { ExtractAdapter, ExtractPage } from '../provider.ts';
import { readJson } from '../kit/read-json.ts';

const SNIPPET_CHARS = 500;
const URLS_PER_CREDIT = 5;

/** Tavily's /extract: up to 20 URLs per call; with a query it returns the best chunks of each page. */
export const tavilyExtract: ExtractAdapter<TavilySettings> = {
  urlsMax: 20,
  creditsMax: (query) => creditsFor(query.urls.length, query),
  request: (query, settings, key) => postTavily(`${settings.base_url}/extract`, bodyFor(query), key),
  parse,
  warnings: (query) =>
    query.chunksPerSource !== undefined && query.query === undefined
      ? [warned`Tavily makes chunks only for a query; chunks_per_source was ignored.`]
      : [],
};

const creditsFor = (pages: number, { depth }: ExtractQuery): number =>
  Math.ceil(pages / URLS_PER_CREDIT) * (depth === 'advanced' ? 2 : 1);

function bodyFor(query: ExtractQuery): Record<string, unknown> {
  return {
    urls: query.urls,
    query: query.query,
    chunks_per_source: query.query === undefined ? undefined : query.chunksPerSource,
    extract_depth: query.depth,
    include_images: query.includeImages,
    include_favicon: query.includeFavicon,
    format: query.format,
    timeout: query.timeoutMs === undefined ? undefined : Math.min(60, Math.max(1, query.timeoutMs / 1_000)),
  };
}

const shape = z.object({
  results: z.array(
    z.object({
      url: z.string(),
      title: words,
      raw_content: words,
      images: images.optional(),
      favicon: words,
    }),
  ),
  failed_results: z.array(z.object({ url: z.string(), error: z.string().catch('') })).catch([]),
  usage,
});
type Result = z.output<typeof shape>['results'][number];

function parse(response: HttpResponse, query: ExtractQuery): ExtractPage {
  const answer = readJson(response, TAVILY, shape);
  const results = matchUrls(query.urls, answer.results);
  const failures = matchUrls(
    query.urls.filter((url) => !results.has(url)),
    answer.failed_results,
  );
  const page: ExtractPage = { sources: [], failed: [] };
  for (const url of query.urls) {
    const result = results.get(url);
    const source = result === undefined ? undefined : toSource(url, result, query);
    if (source !== undefined) page.sources.push(source);
    else
      page.failed.push({
        url,
        error: failures.has(url) ? reasonIn(failures.get(url)?.error ?? '') : reasonFor(result),
      });
  }
  // Pages that could not be read cost nothing.
  page.credits = answer.usage?.credits ?? creditsFor(page.sources.length, query);
  return page;
}

/** Tavily's error texts may contain words of the page, so the reason is put in our own words. */
function reasonIn(words: string): OwnText {
  const status = /\b[45]\d\d\b/.exec(words)?.[0];
  if (status !== undefined) return own`The page answered with HTTP ${Number(status)}.`;
  return /time/i.test(words)
    ? own`Tavily could not read this page in time.`
    : own`Tavily could not read this page.`;
}

const reasonFor = (result: Result | undefined): OwnText =>
  result === undefined
    ? own`Tavily did not answer for this URL.`
    : own`Tavily found no content on this page.`;

/** The source keeps the requested URL, so that a caller finds it again. */
function toSource(url: string, result: Result, query: ExtractQuery): Source | undefined {
  const source = makeSource({
    provider: TAVILY.id,
    url,
    title: result.title,
    content: result.raw_content,
    score: 1,
    favicon: result.favicon,
    images: result.images,
  });
  if (source?.content === undefined) return undefined;
  const chunks = query.query === undefined ? [] : chunksOf(source);
  source.snippet = clip(chunks[0]?.text ?? source.content, SNIPPET_CHARS);
  return chunks.length === 0 ? source : { ...source, chunks };
}
