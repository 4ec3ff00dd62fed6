import type { ExtractOutput } from '../../contract/extract.ts';
import type { SearchHit, SearchOutput } from '../../contract/search.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { redact } from '../../core/log.ts';
import { readingTimeoutMs } from '../../operations/perform.ts';
import { failureResponse } from '../door/error-response.ts';
import type { Body } from '../door/request-body.ts';
import { withScheme } from '../tavily/wire.ts';
import type { WireDoor } from './wire-door.ts';

const shared = {
  api: 'Firecrawl',
  fail: (error: HeadgateError) =>
    failureResponse(error, { success: false, error: redact(error.explanation), code: error.code }),
} as const;

/** `POST /v2/search`: results by source, with their pages where `scrapeOptions` asks for Markdown. */
export const firecrawlSearch: WireDoor = {
  ...shared,
  name: 'search',
  routes: [{ method: 'POST', path: '/v2/search' }],
  timeoutMs: timeoutOf,
  decode: (body) => {
    const { limit = 10, scrapeOptions, country } = body;
    if (!(Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= LIMIT_MAX))
      throw new HeadgateError('invalid_request', `limit: a whole number from 1 to ${LIMIT_MAX}.`);
    const kind = kindOf(body);
    return {
      query: body['query'],
      max_results: Math.min(Number(limit), LIMITS.resultsMax),
      ...(kind === 'news' ? { topic: 'news' } : {}),
      ...(kind === 'images' ? { include_images: true } : {}),
      ...datesOf(body['tbs']),
      ...(typeof country === 'string' && country !== '' ? { country } : {}),
      ...(isFilled(body['includeDomains']) ? { include_domains: body['includeDomains'] } : {}),
      ...(isFilled(body['excludeDomains']) ? { exclude_domains: body['excludeDomains'] } : {}),
      ...(formatsOf(scrapeOptions).includes('markdown') ? { include_raw_content: 'markdown' } : {}),
    };
  },
  encode: (output: SearchOutput, asked) => {
    const kind = kindOf(asked);
    const rows =
      kind === 'images'
        ? output.images.map((image, index) => {
            const { url, description } = typeof image === 'string' ? { url: image } : image;
            return { title: description ?? '', imageUrl: url, url, position: index + 1 };
          })
        : output.results.map((hit, index) => (kind === 'news' ? newsOf : webOf)(hit, index + 1));
    const notes = [
      ...(Number(asked['limit']) > LIMITS.resultsMax ? [`limit: at most ${LIMITS.resultsMax} here.`] : []),
      ...output.warnings,
    ];
    return {
      success: true,
      data: { [kind]: rows },
      ...(notes.length === 0 ? {} : { warning: notes.join(' ') }),
      id: output.request_id,
      creditsUsed: output.credits,
      outcome: output.outcome,
    };
  },
};

const LIMIT_MAX = 100;

/** `POST /v2/scrape`: one page as Markdown. */
export const firecrawlScrape: WireDoor = {
  ...shared,
  name: 'extract',
  routes: [{ method: 'POST', path: '/v2/scrape' }],
  timeoutMs: (body, usualMs) => timeoutOf(body, readingTimeoutMs(1, usualMs)),
  decode: (body) => {
    const { url } = body;
    if (typeof url !== 'string' || url.trim() === '')
      throw new HeadgateError('invalid_request', 'url: the address of a page is missing.');
    const formats = formatsOf(body);
    if (!formats.some((format) => SERVED.has(format)))
      throw new HeadgateError('invalid_request', 'formats: only markdown and images are served here.');
    return {
      urls: [withScheme(url.trim())],
      ...(formats.includes('images') ? { include_images: true } : {}),
    };
  },
  encode: (output: ExtractOutput, asked) => {
    const [page] = output.results;
    if (page === undefined) {
      const { error, code } = output.failed_results[0] ?? { error: 'The page has no text.', code: '' };
      const isLate = code === 'TIMEOUT';
      const body = { success: false, error: redact(error), code: isLate ? 'SCRAPE_TIMEOUT' : code };
      return Response.json(body, { status: isLate ? 408 : 422 });
    }
    const formats = formatsOf(asked);
    const missing = formats.filter((format) => !SERVED.has(format));
    const notes = [
      ...(missing.length === 0 ? [] : [`formats: ${missing.join(', ').slice(0, 200)} not served here.`]),
      ...output.warnings,
    ];
    const data = {
      markdown: page.raw_content,
      ...(formats.includes('images') ? { images: page.images } : {}),
      metadata: {
        title: page.title,
        description: page.description,
        language: page.language,
        author: page.byline,
        publishedTime: page.published_date,
        modifiedTime: page.modified_date,
        ogSiteName: page.site_name,
        ogImage: page.image,
        favicon: page.favicon,
        sourceURL: asked['url'],
        url: page.url,
        statusCode: 200,
        contentType: 'text/html',
        trust: page.trust,
      },
      ...(notes.length === 0 ? {} : { warning: notes.join(' ') }),
    };
    return { success: true, data, id: output.request_id, outcome: output.outcome };
  },
};

const SERVED = new Set(['markdown', 'images']);

/** The names of formats, which are words or objects with a type; without any it is Markdown. */
function formatsOf(options: unknown): string[] {
  const { formats } = (options ?? {}) as { formats?: unknown };
  if (options === undefined) return [];
  if (!Array.isArray(formats) || formats.length === 0) return ['markdown'];
  return formats.slice(0, LIMITS.patternsMax).map(typeOf);
}

const typeOf = (value: unknown): string => {
  const named = typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : value;
  return typeof named === 'string' ? named : '';
};

/** One source is searched: the first, and the web unless it is another. */
function kindOf({ sources }: Body): 'web' | 'news' | 'images' {
  const first = Array.isArray(sources) ? typeOf(sources[0]) : '';
  return first === 'news' || first === 'images' ? first : 'web';
}

/** Google's notation for time: `qdr:w`, or `cdr:1,cd_min:3/1/2026,cd_max:3/31/2026`. */
function datesOf(tbs: unknown): Body {
  if (typeof tbs !== 'string') return {};
  const range = /\bqdr:([hdwmy])/.exec(tbs)?.[1];
  if (range !== undefined) return { time_range: range === 'h' ? 'day' : range };
  const dayOf = (name: string): string | undefined => {
    const [, month = '', day = '', year = ''] =
      new RegExp(`\\b${name}:(\\d{1,2})/(\\d{1,2})/(\\d{4})`).exec(tbs) ?? [];
    return year === '' ? undefined : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  };
  const [start, end] = [dayOf('cd_min'), dayOf('cd_max')];
  return {
    ...(start === undefined ? {} : { start_date: start }),
    ...(end === undefined ? {} : { end_date: end }),
  };
}

const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

/** The client's own limit in milliseconds, where it is shorter. */
function timeoutOf({ timeout }: Body, usualMs: number): number {
  return typeof timeout === 'number' && timeout > 0 ? Math.min(Math.max(timeout, 1_000), usualMs) : usualMs;
}

const webOf = (hit: SearchHit, position: number): Body => ({
  url: hit.url,
  title: hit.title,
  description: hit.content,
  position,
  ...(hit.raw_content === null
    ? {}
    : {
        markdown: hit.raw_content,
        metadata: { title: hit.title, sourceURL: hit.url, url: hit.url, statusCode: 200 },
      }),
});

const newsOf = (hit: SearchHit, position: number): Body => ({
  title: hit.title,
  url: hit.url,
  snippet: hit.content,
  ...(hit.published_date === undefined ? {} : { date: hit.published_date }),
  position,
  ...(hit.raw_content === null ? {} : { markdown: hit.raw_content }),
});
