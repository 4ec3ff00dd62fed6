import type { SearchHit, SearchOutput } from '../../contract/search.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { redact } from '../../core/log.ts';
import { asked as said, named, own } from '../../core/own-text.ts';
import { TIME_RANGES } from '../../core/query.ts';
import { keyOrPasswordOf } from '../door/credentials.ts';
import { failureResponse } from '../door/error-response.ts';
import { firstOf, readFormBody, type Body } from '../door/request-body.ts';
import type { WireDoor } from './wire-door.ts';

/** SearXNG gives about this many results per page. */
const PAGE_RESULTS = 10;
const PAGES_MAX = LIMITS.resultsMax / PAGE_RESULTS;

/** `/search?q=…&format=json` as SearXNG's; its clients take an address, and at most a password. */
export const searxngDoor: WireDoor = {
  name: 'search',
  api: 'SearXNG',
  routes: [
    { method: 'GET', path: '/search' },
    { method: 'POST', path: '/search', contentType: 'application/x-www-form-urlencoded' },
    { method: 'GET', path: '/key/:key/search', keyInPath: true },
  ],
  keyOf: (context) => context.req.param('key') ?? keyOrPasswordOf(context.req),
  read: ({ req }) => (req.method === 'GET' ? firstOf(new URL(req.url).searchParams) : readFormBody(req)),
  decode,
  encode,
  fail: (error) =>
    failureResponse(
      error,
      { error: redact(error.explanation), code: error.code },
      { scheme: 'Basic realm="Headgate"' },
    ),
};

function decode(body: Body): Body {
  const text = (name: string): string => textOf(body[name]);
  const one = <Value>(name: string, read: (value: string) => Value | undefined): Value | undefined => {
    const value = text(name);
    const found = value === '' ? undefined : read(value);
    if (value === '' || found !== undefined) return found;
    throw new HeadgateError(
      'invalid_request',
      own`Invalid value "${said(value)}" for parameter ${named(name)}`,
    );
  };
  if (text('format') !== 'json')
    throw new HeadgateError('forbidden', 'Only format=json is served here.', {
      remediation: 'Add format=json to the address.',
    });
  if (text('q') === '') throw new HeadgateError('invalid_request', 'No query');
  const page = one('pageno', (value) => (/^[1-9]\d{0,3}$/.test(value) ? Number(value) : undefined)) ?? 1;
  if (page > PAGES_MAX)
    throw new HeadgateError('invalid_request', own`pageno: there are at most ${PAGES_MAX} pages.`);
  const safe = one('safesearch', (value) => (/^[012]$/.test(value) ? value : undefined));
  const [language, region] = one('language', languageOf) ?? [];
  const range = one('time_range', (value) => TIME_RANGES.find((word) => word === value));
  const kind = kindOf(body);
  return {
    query: body['q'],
    max_results: page * PAGE_RESULTS,
    ...(range === undefined ? {} : { time_range: range }),
    ...(language === undefined ? {} : { language }),
    ...(region === undefined ? {} : { country: region }),
    // Moderate filtering is what providers do by themselves.
    ...(safe === '2' ? { safe_search: true } : {}),
    ...(kind === 'news' ? { topic: 'news' } : {}),
    ...(kind === 'images' ? { include_images: true } : {}),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** `de`, `de-CH` and `zh_Hans_CN`; `all` and `auto` are no language. */
function languageOf(value: string): (string | undefined)[] | undefined {
  if (value === 'all' || value === 'auto') return [];
  const [, language, region] = /^([a-z]{2,3})(?:[-_][A-Z][a-z]{3})?(?:[-_]([A-Z]{2}))?$/.exec(value) ?? [];
  return language === undefined ? undefined : [language, region];
}

/** The first category decides, or engines that are for pictures only. */
function kindOf({ categories, engines }: Body): string {
  const [first = ''] = textOf(categories).split(',', 1);
  if (first !== '') return first;
  const isForPictures = textOf(engines)
    .split(',')
    .every((engine) => engine.trim().endsWith('images'));
  return isForPictures ? 'images' : 'general';
}

function encode(output: SearchOutput, asked: Body): Body {
  const kind = kindOf(asked);
  const page = Number(asked['pageno'] ?? 1) || 1;
  const from = (page - 1) * PAGE_RESULTS;
  const hits = output.results.slice(from, from + PAGE_RESULTS);
  const results =
    kind === 'images'
      ? picturesOf(output).map(([hit, src], index) => ({
          ...resultOf(hit, 'images', index),
          template: 'images.html',
          img_src: src,
        }))
      : hits.map((hit, index) => resultOf(hit, kind === 'news' ? kind : 'general', from + index));
  return {
    query: output.query,
    number_of_results: results.length,
    results,
    answers: [],
    corrections: [],
    infoboxes: [],
    suggestions: [],
    unresponsive_engines: output.attempts
      .filter(({ outcome }) => outcome !== 'ok' && outcome !== 'empty')
      .map(({ provider, outcome }) => [provider, outcome]),
    request_id: output.request_id,
    outcome: output.outcome,
    warnings: [
      ...output.warnings,
      ...(asked['engines'] === undefined || asked['engines'] === ''
        ? []
        : ['engines: ignored, the gateway chooses the providers.']),
    ],
    trust: 'untrusted_web',
  };
}

/** The pictures of each page, or those that the provider lists by themselves. */
function picturesOf({ results, images }: SearchOutput): [SearchHit, string][] {
  const srcOf = (image: SearchOutput['images'][number]) => (typeof image === 'string' ? image : image.url);
  const found = results.flatMap((hit) =>
    (hit.images ?? []).map((image): [SearchHit, string] => [hit, srcOf(image)]),
  );
  if (found.length > 0) return found;
  const [first] = results;
  if (first === undefined) return [];
  return images.map((image) => {
    const src = srcOf(image);
    const title = (typeof image === 'string' ? null : image.description) ?? fileOf(src);
    return [{ ...first, url: src, title, content: '', found_by: [first.provider] }, src];
  });
}

/** The name of a picture's file. */
const fileOf = (src: string): string => src.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? src;

function resultOf(hit: SearchHit, category: string, index: number): Body {
  const published = hit.published_date === undefined ? NaN : Date.parse(hit.published_date);
  return {
    url: hit.url,
    title: hit.title,
    content: hit.content,
    publishedDate: Number.isNaN(published) ? null : new Date(published).toISOString().slice(0, 19),
    engine: hit.provider,
    engines: hit.found_by ?? [hit.provider],
    template: 'default.html',
    parsed_url: partsOf(hit.url),
    positions: [index + 1],
    score: hit.score,
    category,
    thumbnail: '',
    img_src: '',
    ...(hit.licence === undefined ? {} : { licence: hit.licence }),
  };
}

/** Scheme, host, path, parameters, query and fragment, as Python splits an address. */
function partsOf(url: string): string[] {
  if (!URL.canParse(url)) return ['', '', url, '', '', ''];
  const { protocol, host, pathname, search, hash } = new URL(url);
  return [protocol.slice(0, -1), host, pathname, '', search.slice(1), hash.slice(1)];
}
