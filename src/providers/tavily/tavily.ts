import { CREDIT_MILLIONTHS } from '../../core/money.ts';
import { z } from 'zod';
import { asked, warned } from '../../core/own-text.ts';
import type { HttpResponse } from '../../core/http.ts';
import type { SearchQuery } from '../../core/query.ts';
import { type OwnText, cleanText } from '../../core/text.ts';
import { chunksOf } from './chunks.ts';
import { languageCode } from '../kit/language.ts';
import { makeSource, withoutDuplicates } from '../kit/make-source.ts';
import { noWebPages } from '../kit/narrow.ts';
import { defineProvider, type SearchPage } from '../provider.ts';
import { readJson } from '../kit/read-json.ts';
import { countryNote, mostNote } from '../kit/wanted.ts';
import { tavilyAccount } from './account.ts';
import { tavilyCountry } from './country.ts';
import { tavilyExtract } from './extract.ts';
import { tavilyCrawl, tavilyMap } from './site.ts';
import { failTavily, images, postTavily, TAVILY, tavilySettings, usage, words } from './wire.ts';

const CHUNKS_MAX = 3;
const RESULTS_MAX = 20;
const QUERY_CHARS_MAX = 400;

export const tavily = defineProvider({
  ...TAVILY,
  homepage: 'https://tavily.com',
  settings: () => tavilySettings,
  keys: 'required',
  paceMs: 0,
  creditPrice: CREDIT_MILLIONTHS,
  fail: failTavily,
  search: {
    topics: ['news', 'finance'],
    queryCharsMax: QUERY_CHARS_MAX,
    supports: ['depth', 'chunksPerSource', 'includeRawContent', 'includeAnswer'],
    creditsMax,
    request: (query, settings, key) => postTavily(`${settings.base_url}/search`, bodyFor(query), key),
    parse,
    warnings,
  },
  account: tavilyAccount,
  extract: tavilyExtract,
  crawl: tavilyCrawl,
  map: tavilyMap,
});

/** With auto_parameters Tavily may choose the advanced depth. */
function creditsMax({ depth, autoParameters }: SearchQuery): number {
  return depth === 'advanced' || (depth === undefined && autoParameters === true) ? 2 : 1;
}

function bodyFor(query: SearchQuery): Record<string, unknown> {
  const { depth } = query;
  const language = languageCode(query.language);
  return {
    query: query.text,
    max_results: Math.min(RESULTS_MAX, query.resultsMax),
    search_depth: depth,
    chunks_per_source:
      query.chunksPerSource === undefined || depth === 'ultra-fast'
        ? undefined
        : Math.min(CHUNKS_MAX, query.chunksPerSource),
    topic: query.topic,
    time_range: hasDates(query) ? undefined : query.timeRange,
    start_date: query.startDate,
    end_date: query.endDate,
    include_answer: query.includeAnswer,
    include_raw_content: query.includeRawContent,
    include_images: query.includeImages,
    include_image_descriptions: query.includeImageDescriptions,
    include_favicon: query.includeFavicon,
    include_domains: ignoresDomains(query) ? undefined : someOf(query.includeDomains),
    exclude_domains: someOf(query.excludeDomains),
    include_domains_mode:
      someOf(query.includeDomains) === undefined || ignoresDomains(query)
        ? undefined
        : query.includeDomainsMode,
    country: isGeneral(query) ? tavilyCountry(query.country) : undefined,
    language,
    filter_by_language: language === undefined ? undefined : query.filterByLanguage,
    include_published_date: query.includePublishedDate,
    filter_by_published_date: query.filterByPublishedDate,
    auto_parameters: query.autoParameters,
    exact_match: query.exactMatch,
    safe_search: isFast(query) ? undefined : query.safeSearch,
  };
}

function warnings(query: SearchQuery): OwnText[] {
  const notes: OwnText[] = [];
  const { country, chunksPerSource = 0, depth, topic = 'general' } = query;
  if (query.resultsMax > RESULTS_MAX) notes.push(mostNote(TAVILY.title, RESULTS_MAX));
  if (chunksPerSource > CHUNKS_MAX && depth !== 'ultra-fast') {
    notes.push(
      warned`Tavily takes at most ${CHUNKS_MAX} for chunks_per_source on search; ${CHUNKS_MAX} was sent.`,
    );
  }
  if (chunksPerSource > 0 && depth === 'ultra-fast') {
    notes.push(warned`Tavily has no chunks at depth ultra-fast; chunks_per_source was ignored.`);
  }
  if (country !== undefined && !isGeneral(query)) {
    notes.push(warned`Tavily takes a country only with topic general, not ${topic}; it was ignored.`);
  } else if (country !== undefined && tavilyCountry(country) === undefined) {
    notes.push(countryNote(TAVILY.title, country));
  }
  if (query.timeRange !== undefined && hasDates(query)) {
    notes.push(warned`Tavily takes either time_range or dates; the dates were used.`);
  }
  if (ignoresDomains(query)) {
    notes.push(
      warned`Tavily cannot prefer domains with topic news or depth fast; include_domains was ignored.`,
    );
  }
  if (query.language !== undefined && languageCode(query.language) === undefined) {
    notes.push(warned`"${asked(query.language)}" is no ISO 639-1 language; it was ignored.`);
  }
  if (query.filterByLanguage === true && languageCode(query.language) === undefined) {
    notes.push(warned`filter_by_language needs a language; it was ignored.`);
  }
  if (query.safeSearch !== undefined && isFast(query)) {
    notes.push(warned`Tavily has no safe_search at depth ${depth ?? 'basic'}; it was ignored.`);
  }
  return notes;
}

const shape = z.object({
  answer: words,
  images: images.optional(),
  results: z.array(
    z.object({
      url: z.string(),
      title: words,
      content: words,
      raw_content: words,
      score: z.coerce.number().catch(0),
      published_date: words,
      favicon: words,
      images: images.optional(),
    }),
  ),
  auto_parameters: z.record(z.string(), z.unknown()).optional().catch(undefined),
  usage,
});

function parse(response: HttpResponse, query: SearchQuery): SearchPage {
  const answer = readJson(response, TAVILY, shape);
  const all = answer.results.map((result) => {
    const { title, content, raw_content, score, published_date, favicon } = result;
    const source = makeSource({
      provider: TAVILY.id,
      url: result.url,
      title,
      snippet: content,
      content: raw_content,
      score,
      published: published_date,
      favicon,
      images: result.images,
    });
    if (source === undefined) return undefined;
    const chunks = query.depth === 'ultra-fast' ? [] : chunksOf(source);
    return chunks.length === 0 ? source : { ...source, chunks };
  });
  const sources = withoutDuplicates(all);
  const said = cleanText(answer.answer ?? '').trim();
  const page: SearchPage = { outcome: sources.length > 0 || said !== '' ? 'ok' : 'empty', sources };
  if (all.includes(undefined)) {
    page.outcome = sources.length === 0 ? 'degraded' : 'ok';
    page.reason = noWebPages(TAVILY.title);
  }
  if (said !== '') page.answer = said;
  if (answer.images !== undefined && answer.images.length > 0) page.images = answer.images;
  if (answer.auto_parameters !== undefined) page.autoParameters = answer.auto_parameters;
  page.credits = answer.usage?.credits ?? creditsMax(query);
  return page;
}

const isGeneral = ({ topic }: SearchQuery): boolean => topic === undefined || topic === 'general';
const isFast = ({ depth }: SearchQuery): boolean => depth === 'fast' || depth === 'ultra-fast';
const ignoresDomains = (query: SearchQuery): boolean =>
  someOf(query.includeDomains) !== undefined &&
  query.includeDomainsMode === 'prefer' &&
  (query.topic === 'news' || query.depth === 'fast');
const hasDates = ({ startDate, endDate }: SearchQuery): boolean =>
  startDate !== undefined || endDate !== undefined;
const someOf = (list: string[] | undefined): string[] | undefined =>
  list === undefined || list.length === 0 ? undefined : list;
