import { CREDIT_MILLIONTHS } from '../../core/money.ts';
import { z } from 'zod';
import { asked, warned, own } from '../../core/own-text.ts';
import type { HttpResponse } from '../../core/http.ts';
import type { SearchQuery } from '../../core/query.ts';
import { type OwnText, cleanText } from '../../core/text.ts';
import {
  chunksOf,
  failTavily,
  images,
  postTavily,
  TAVILY,
  tavilySettings,
  usage,
  words,
  type TavilySettings,
} from './wire.ts';
import { languageCode, countryNote, mostNote } from '../kit/wanted.ts';
import { makeSource, withoutDuplicates } from '../kit/make-source.ts';
import { noWebPages } from '../kit/narrow.ts';
import { defineProvider, type SearchPage, type AccountAdapter } from '../provider.ts';
import { readJson, readAnyJson } from '../kit/read-json.ts';
import { tavilyExtract } from './extract.ts';
import { tavilyCrawl, tavilyMap } from './site.ts';
import { countryCode, countryName } from '../../core/countries.ts';
import { numberAt } from '../kit/json-path.ts';

const CHUNKS_MAX = 3;
const RESULTS_MAX = 20;
const QUERY_CHARS_MAX = 400;

/** Tavily's /usage: what the plan and the key have left, of which the smaller one counts. */
const tavilyAccount: AccountAdapter<TavilySettings> = {
  unit: own`credits`,
  request: ({ base_url }, key) => ({
    method: 'GET',
    url: `${base_url}/usage`,
    headers: { accept: 'application/json', authorization: `Bearer ${key}` },
  }),
  left: (response: HttpResponse) => {
    const answer = readAnyJson(response, TAVILY);
    const left = [
      ['key.limit', 'key.usage'],
      ['account.plan_limit', 'account.plan_usage'],
    ].flatMap(([limit = '', usage = '']) => {
      const most = numberAt(answer, limit);
      return most === undefined ? [] : [most - (numberAt(answer, usage) ?? 0)];
    });
    return left.length === 0 ? undefined : Math.max(0, Math.min(...left));
  },
};

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

/** The countries that Tavily supports; it refuses all others. */
const COUNTRIES = new Set(
  `ad ae af al am ao ar at au az ba bb bd be bf bg bh bi bj bn bo br bs bt bw by bz ca cf cg ch cl cm cn co cr cu cv cy cz de dj
  dk do dz ec ee eg er es et fi fj fr ga gb ge gh gm gn gq gr gt hn hr ht hu id ie il in iq ir is it jm jo jp ke kg kh km kp kr
  kw kz lb li lk lr ls lt lu lv ly ma mc md me mg mk ml mm mn mr mt mu mv mw mx my mz na ne ng ni nl no np nz om pa pe pg ph pk
  pl pt py qa ro rs ru rw sa sd se sg si sk sn so ss sv sy td tg th tj tm tn tr tt tw tz ua ug us uy uz ve vn ye za zm zw`.split(
    /\s+/,
  ),
);

/** Tavily's name for a country that is given as a code or a name. */
export function tavilyCountry(country: string | undefined): string | undefined {
  const code = countryCode(country ?? '');
  return code !== undefined && COUNTRIES.has(code) ? countryName(code) : undefined;
}
