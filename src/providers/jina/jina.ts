import { z } from 'zod';
import { countryCode } from '../../core/countries.ts';
import { HeadgateError } from '../../core/errors.ts';
import { asked, warned } from '../../core/own-text.ts';
import type { HttpRequest, HttpResponse } from '../../core/http.ts';
import type { SearchQuery } from '../../core/query.ts';
import { type OwnText, oneLine } from '../../core/text.ts';
import { jinaReader } from './reader.ts';
import { failJina, JINA, jinaSettings, readJina, refusalOf, type JinaSettings } from './wire.ts';
import { languageCode, datesNote, topicNote, unsupported } from '../kit/wanted.ts';
import { makeSource, rankScore, webUrl, textOfHtml } from '../kit/make-source.ts';
import { domainNotes, narrowedPage, withSites } from '../kit/narrow.ts';
import { rerankAdapter } from '../kit/reranker.ts';
import { defineProvider, type SearchPage } from '../provider.ts';

const QUERY_CHARS_MAX = 1_000;
const PAGE_RESULTS_MAX = 20;

export const jina = defineProvider({
  ...JINA,
  homepage: 'https://jina.ai/reader',
  settings: () => jinaSettings,
  keys: 'optional',
  paceMs: 0,
  creditPrice: 0,
  fail: failJina,
  search: {
    ranksOnly: true,
    needsKey: true,
    acceptStatus: [422],
    paged: true,
    topics: ['news'],
    queryCharsMax: QUERY_CHARS_MAX,
    supports: ['includeRawContent'],
    request,
    parse,
    warnings,
  },
  extract: jinaReader,
  rerank: rerankAdapter(
    JINA,
    () => 'cohere',
    ({ rerank_base_url: base, rerank_model: model }) => ({
      url: `${String(base)}/rerank`,
      model: String(model),
    }),
  ),
});

function request(query: SearchQuery, settings: JinaSettings, key: string | undefined): HttpRequest {
  if (key === undefined) {
    throw new HeadgateError(
      'not_configured',
      'Jina searches only with an API key; without one it only reads pages.',
      {
        provider: JINA.id,
        remediation: 'Get a key at https://jina.ai and set JINA_API_KEY.',
      },
    );
  }
  const url = new URL(`${settings.search_base_url}/`);
  const parameters: Record<string, string | undefined> = {
    q: textFor(query),
    num: String(Math.min(PAGE_RESULTS_MAX, Math.max(1, query.resultsMax))),
    gl: countryCode(query.country ?? '')?.toUpperCase(),
    hl: languageCode(query.language),
    type: query.topic === 'news' ? 'news' : undefined,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return {
    method: 'GET',
    url: url.href,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${key}`,
      // Without content a search is fast and cheap; with it, Jina reads every page.
      ...(query.includeRawContent === undefined && { 'x-respond-with': 'no-content' }),
      ...(query.includeRawContent === 'text' && { 'x-return-format': 'text' }),
    },
  };
}

const text = z.string().nullish().catch(undefined);
const hits = z.array(
  z.object({
    url: z.string(),
    title: text,
    description: text,
    content: text,
    text,
    date: text,
    publishedTime: text,
    imageUrl: text,
  }),
);
type Hit = z.output<typeof hits>[number];

function parse(response: HttpResponse, query: SearchQuery, _: JinaSettings, found = 0): SearchPage {
  const said = refusalOf(response);
  // Jina reports "No search results available for query …" as an error; it is an empty result.
  if (said?.code === 422 && /no search results/i.test(said.message)) return { outcome: 'empty', sources: [] };
  if (response.status > 299) throw failJina(response);
  const all = readJina(response, hits);
  const sources = all.map((hit, index) => toSource(hit, found + index, query));
  const page = narrowedPage(JINA.title, sources, query, found);
  const asked = URL.parse(response.url);
  if (asked !== null && all.length > 0 && all.length >= Number(asked.searchParams.get('num') ?? Infinity)) {
    asked.searchParams.set('page', String(Number(asked.searchParams.get('page') ?? 1) + 1));
    page.next = { method: 'GET', url: asked.href, headers: {} };
  }
  return page;
}

function toSource(hit: Hit, rank: number, query: SearchQuery) {
  const picture = query.includeImages === true ? webUrl(hit.imageUrl ?? '') : undefined;
  return makeSource({
    provider: JINA.id,
    url: hit.url,
    title: hit.title,
    snippet: textOfHtml(hit.description ?? ''),
    content: query.includeRawContent === undefined ? undefined : (hit.content ?? hit.text),
    score: rankScore(rank),
    published: hit.publishedTime ?? hit.date,
    images: picture === undefined ? undefined : [{ url: picture }],
  });
}

function warnings(query: SearchQuery): OwnText[] {
  const notes = unsupported(JINA.title, query, [
    'timeRange',
    'includeFavicon',
    'includeImageDescriptions',
    'filterByLanguage',
    'autoParameters',
    'exactMatch',
    'safeSearch',
  ]);
  if (query.topic === 'finance') notes.push(topicNote(JINA.title, 'finance'));
  if (query.country !== undefined && countryCode(query.country) === undefined) {
    notes.push(warned`"${asked(query.country)}" is no country; it was ignored.`);
  }
  if (query.language !== undefined && languageCode(query.language) === undefined) {
    notes.push(warned`"${asked(query.language)}" is no ISO 639-1 language; it was ignored.`);
  }
  if (query.startDate !== undefined || query.endDate !== undefined) notes.push(datesNote(JINA.title));
  return [...notes, ...domainNotes(JINA.title, query, oneLine(query.text), fits)];
}

const fits = (words: string): boolean => words.length <= QUERY_CHARS_MAX;
const textFor = (query: SearchQuery): string => withSites(oneLine(query.text), query, fits);
