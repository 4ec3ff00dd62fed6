import { z } from 'zod';
import { distinctPages } from '../../core/url.ts';
import type { SiteQuery } from '../../core/query.ts';
import { makeSource, webUrl, withoutDuplicates } from '../kit/make-source.ts';
import type { CrawlPage, MapPage, SiteAdapter } from '../provider.ts';
import { readJson } from '../kit/read-json.ts';
import { images, postTavily, TAVILY, usage, words, type TavilySettings } from './wire.ts';

const PAGES_PER_MAP_CREDIT = 10;
const PAGES_PER_READ_CREDIT = 5;
const TIMEOUT_S = { min: 10, max: 150 };

/** Tavily's /map: one credit per ten pages, two with instructions. */
export const tavilyMap: SiteAdapter<TavilySettings, MapPage> = {
  creditsMax: (query) => mapCredits(query, query.pagesMax),
  request: (query, settings, key) => postTavily(`${settings.base_url}/map`, walkBody(query), key),
  parse: (response, query) => {
    const answer = readJson(response, TAVILY, z.object({ results: z.array(z.string()), usage }));
    const urls = distinctPages(answer.results.flatMap((url) => webUrl(url) ?? []));
    return { urls, credits: answer.usage?.credits ?? mapCredits(query, urls.length) };
  },
};

/** Tavily's /crawl: the cost of the map plus the cost of reading its pages. */
export const tavilyCrawl: SiteAdapter<TavilySettings, CrawlPage> = {
  creditsMax: (query) => crawlCredits(query, query.pagesMax),
  request: (query, settings, key) =>
    postTavily(`${settings.base_url}/crawl`, { ...walkBody(query), ...readBody(query) }, key),
  parse: (response, query) => {
    const answer = readJson(response, TAVILY, crawled);
    const sources = withoutDuplicates(
      answer.results.map((page) =>
        makeSource({ provider: TAVILY.id, score: 1, ...page, title: undefined, content: page.raw_content }),
      ),
    );
    return { sources, credits: answer.usage?.credits ?? crawlCredits(query, sources.length) };
  },
};

const crawled = z.object({
  results: z.array(
    z.object({ url: z.string(), raw_content: words, images: images.optional(), favicon: words }),
  ),
  usage,
});

const mapCredits = ({ instructions }: SiteQuery, pages: number): number =>
  Math.ceil(pages / PAGES_PER_MAP_CREDIT) * (instructions === undefined ? 1 : 2);

const crawlCredits = (query: SiteQuery, pages: number): number =>
  mapCredits(query, pages) + Math.ceil(pages / PAGES_PER_READ_CREDIT) * (query.depth === 'advanced' ? 2 : 1);

const walkBody = (query: SiteQuery): Record<string, unknown> => ({
  url: query.url,
  instructions: query.instructions,
  max_depth: query.maxDepth,
  max_breadth: query.maxBreadth,
  limit: query.pagesMax,
  select_paths: query.selectPaths,
  select_domains: query.selectDomains,
  exclude_paths: query.excludePaths,
  exclude_domains: query.excludeDomains,
  allow_external: query.allowExternal,
  timeout: Math.min(TIMEOUT_S.max, Math.max(TIMEOUT_S.min, Math.floor(query.timeoutMs / 1_000))),
});

const readBody = (query: SiteQuery): Record<string, unknown> => ({
  chunks_per_source: query.instructions === undefined ? undefined : query.chunksPerSource,
  extract_depth: query.depth,
  format: query.format,
  include_images: query.includeImages,
  include_favicon: query.includeFavicon,
});
