/*
 * Tavily's /search and /extract. What surprised us: the depth is `ultra-fast` with a hyphen; a country is a lower-case English
 * name and only counts with topic general; /search takes three chunks, /extract five; 432 and 433 mean "no credits left"; 422 is a
 * list where other errors are an object; numbers in examples are sometimes strings; extract stays 200 when every URL failed.
 */
import { z } from 'zod';
import { HeadgateError, type FailureCode } from '../../core/errors.ts';
import { own } from '../../core/own-text.ts';
import type { HttpRequest, HttpResponse } from '../../core/http.ts';
import type { SourceImage, Chunk, Source } from '../../core/source.ts';
import { oneLine } from '../../core/text.ts';
import { baseUrl } from '../kit/base-url.ts';
import { failureOf } from '../kit/failure.ts';
import { webUrl } from '../kit/make-source.ts';
import { readJsonIfAny } from '../kit/read-json.ts';

export const TAVILY = {
  id: 'tavily',
  title: own`Tavily`,
  keyVariable: own`TAVILY_API_KEY`,
  keyPrefix: own`tvly-`,
};

export const tavilySettings = z.object({ base_url: baseUrl('https://api.tavily.com') });
export type TavilySettings = z.output<typeof tavilySettings>;

/** A request in Tavily's current form: JSON, with the key as a bearer token. Undefined fields are omitted. */
export function postTavily(url: string, body: Record<string, unknown>, key: string | undefined): HttpRequest {
  if (key === undefined) {
    throw new HeadgateError('not_configured', 'Tavily needs an API key.', {
      provider: TAVILY.id,
      remediation: 'Get one at https://tavily.com and set TAVILY_API_KEY.',
    });
  }
  return {
    method: 'POST',
    url,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-client-source': 'headgate',
    },
    body: JSON.stringify({ ...body, include_usage: true }),
  };
}

const image = z.union([
  z.string().transform((url) => ({ url, description: undefined })),
  z.object({ url: z.string(), description: z.string().nullish() }),
]);

/** Images with web addresses; placeholders and data URLs are left out. */
export const images = z
  .array(image.optional().catch(undefined))
  .catch([])
  .transform((list) => list.flatMap((one) => (one === undefined ? [] : toImage(one.url, one.description))));

function toImage(address: string, words: string | null | undefined): SourceImage[] {
  const url = webUrl(address);
  const description = oneLine(words ?? '');
  return url === undefined ? [] : [description === '' ? { url } : { url, description }];
}

export const usage = z.object({ credits: z.number().nonnegative() }).optional().catch(undefined);
export const words = z.string().nullish().catch(undefined);

const envelope = z.object({
  error: z.object({
    code: z.string(),
    message: words,
    window: words,
    retry_after_seconds: z.number().optional(),
  }),
});
const detail = z.object({
  detail: z.union([
    z.string(),
    z.object({ error: z.string() }).transform(({ error }) => error),
    z
      .array(z.object({ loc: z.array(z.union([z.string(), z.number()])).catch([]), msg: z.string() }))
      .transform((list) => list.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ')),
  ]),
});

/** Converts an error response by Tavily's status codes. */
export function failTavily(response: HttpResponse, now?: number): HeadgateError {
  const body = readJsonIfAny(response.body);
  const keyless = envelope.safeParse(body);
  if (keyless.success) {
    const { message, code, window, retry_after_seconds: seconds } = keyless.data.error;
    return failureOf(TAVILY, response, {
      code: window === 'hour' || window === 'minute' ? 'upstream_rate_limit' : 'upstream_quota',
      words: message ?? code,
      retryAfterMs: seconds === undefined ? undefined : seconds * 1_000,
      remediation: own`Set TAVILY_API_KEY to be free of the limits for callers without a key.`,
      now,
    });
  }
  const said = detail.safeParse(body);
  const text = said.success ? said.data.detail : undefined;
  // A 403 is about the key, except when Tavily refuses to read an address.
  const code: FailureCode | undefined =
    response.status === 403 && /url is not supported/i.test(text ?? '') ? 'upstream_invalid' : undefined;
  return failureOf(TAVILY, response, { code, words: text, now });
}

/** The separator that Tavily and compatible services put between passages of one page. */
const SEAM = ' [...] ';

/**
 * The passages of a source with their offsets in its content. A source without content has them in its
 * snippet; a passage that is not in the content word by word is left to the snippet.
 */
export function chunksOf(source: Source): Chunk[] {
  const whole = source.content;
  if (whole === undefined || whole.includes(SEAM)) return split(whole ?? source.snippet);
  return split(source.snippet).flatMap(({ text }) => {
    const start = whole.indexOf(text);
    return start === -1 ? [] : [{ text, start, end: start + text.length }];
  });
}

function split(joined: string): Chunk[] {
  let start = 0;
  return joined.split(SEAM).flatMap((part) => {
    const chunk = { text: part, start, end: start + part.length };
    start = chunk.end + SEAM.length;
    return part.trim() === '' ? [] : [chunk];
  });
}
