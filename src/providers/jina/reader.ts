import { z } from 'zod';
import { own, asked, warned } from '../../core/own-text.ts';
import type { HttpRequest, HttpResponse } from '../../core/http.ts';
import type { ExtractQuery } from '../../core/query.ts';
import type { SourceImage } from '../../core/source.ts';
import { type OwnText, clip, oneLine } from '../../core/text.ts';
import { failJina, JINA, readJina, refusalOf, type JinaSettings } from './wire.ts';
import { makeSource, webUrl } from '../kit/make-source.ts';
import type { ExtractAdapter, ExtractPage } from '../provider.ts';

const SNIPPET_CHARS = 500;
const TIMEOUT_SECONDS_MAX = 180;

/** Jina's reader: one page per request. A page that cannot be read is a failed page, not a failed call. */
export const jinaReader: ExtractAdapter<JinaSettings> = {
  urlsMax: 1,
  acceptStatus: [413, 422, 451],
  request,
  parse,
  warnings: (query) =>
    query.includeFavicon === true ? [warned`Jina does not support include_favicon; it was ignored.`] : [],
};

function request(query: ExtractQuery, settings: JinaSettings, key: string | undefined): HttpRequest {
  const { timeoutMs } = query;
  const seconds = timeoutMs === undefined ? 0 : Math.min(TIMEOUT_SECONDS_MAX, Math.ceil(timeoutMs / 1_000));
  return {
    method: 'POST',
    url: `${settings.base_url}/`,
    headers: {
      // A request that also accepts text/plain is answered in plain text.
      accept: 'application/json',
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(query.format === 'text' && { 'x-return-format': 'text' }),
      ...(query.depth === 'advanced' && { 'x-engine': 'browser' }),
      ...(query.includeImages === true && { 'x-with-images-summary': 'true' }),
      ...(seconds > 0 && { 'x-timeout': String(seconds) }),
    },
    body: JSON.stringify({ url: query.urls[0] }),
  };
}

const text = z.string().nullish().catch(undefined);
const page = z.object({
  title: text,
  description: text,
  content: text,
  text,
  publishedTime: text,
  httpStatus: z.number().optional().catch(undefined),
  httpStatusText: text,
  warning: text,
  images: z.record(z.string(), z.string()).optional().catch(undefined),
});
type Page = z.output<typeof page>;

function parse(response: HttpResponse, query: ExtractQuery): ExtractPage {
  const [url = ''] = query.urls;
  const said = refusalOf(response);
  if (said !== undefined && jinaReader.acceptStatus?.includes(said.code)) {
    return {
      sources: [],
      failed: [{ url, error: own`Jina refused it (${said.code}).` }],
    };
  }
  if (response.status > 299) throw failJina(response);
  const data = readJina(response, page);
  const problem = problemOf(data);
  const source = makeSource({
    provider: JINA.id,
    url,
    title: data.title,
    content: data.content ?? data.text,
    score: 1,
    published: data.publishedTime,
    images: imagesOf(data.images ?? {}),
  });
  if (problem !== undefined || source?.content === undefined) {
    return { sources: [], failed: [{ url, error: problem ?? own`Jina found no content on this page.` }] };
  }
  source.snippet = clip(oneLine(data.description ?? '') || source.content, SNIPPET_CHARS);
  const warnings = data.warning ? [warned`${asked(url)}: Jina warns that the page may not be complete.`] : [];
  return { sources: [source], failed: [], ...(warnings.length > 0 && { warnings }) };
}

/** The problem of a page. Jina answers 200 for a missing page, with the error page as content. */
function problemOf({ httpStatus = 200, warning }: Page): OwnText | undefined {
  const status =
    httpStatus >= 400 ? httpStatus : Number(/returned error (\d{3})\b/.exec(warning ?? '')?.[1] ?? 0);
  return status === 0 ? undefined : own`The page answered with HTTP ${status}.`;
}

/** The summary maps descriptions ("Image 1: a mill") to addresses. */
function imagesOf(summary: Record<string, string>): SourceImage[] {
  return Object.entries(summary).flatMap(([label, address]) => {
    const url = webUrl(address);
    const description = oneLine(label).replace(/^Image \d+:?\s*/, '');
    return url === undefined ? [] : [description === '' ? { url } : { url, description }];
  });
}
