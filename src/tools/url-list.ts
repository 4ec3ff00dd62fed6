import { z } from 'zod';
import { LIMITS } from '../core/limits.ts';
import { withoutFragment } from '../core/url.ts';

/** Why a URL cannot be asked for at all. */
export type UrlProblem = 'scheme' | 'host' | 'length';

export interface SortedUrls {
  valid: string[];
  invalid: { url: string; problem: UrlProblem }[];
  /** How many different URLs were given. */
  count: number;
}

/**
 * A list of URLs as models send it: a list, one URL, or a list written as JSON text. How many there may be is for the
 * tool to say; the bound here only keeps the work small.
 */
export const urlList = () =>
  z.preprocess(
    (value) => (typeof value === 'string' ? readList(value) : value),
    z.array(z.string()).refine((urls) => urls.length <= LIMITS.urlsGivenMax, {
      error: `at most ${LIMITS.urlsGivenMax} entries. Send fewer.`,
    }),
  );

/** Merges spellings of one URL, keeps the first `max`, and sets aside what is no web address. */
export function sortUrls(urls: readonly string[], max: number = Infinity): SortedUrls {
  const merged = [...new Map(urls.map((url) => url.trim()).map((url) => [spelling(url), url])).values()];
  const sorted: SortedUrls = { valid: [], invalid: [], count: merged.length };
  for (const url of merged.slice(0, max)) {
    const problem = problemOf(url);
    if (problem === undefined) sorted.valid.push(url);
    else sorted.invalid.push({ url, problem });
  }
  return sorted;
}

/** WHATWG parsers take `https:///path` for the host `path`, so the host is looked for in the text itself. */
export function problemOf(url: string): UrlProblem | undefined {
  if (url.length > LIMITS.urlCharsMax) return 'length';
  if (!/^https?:\/\//i.test(url)) return 'scheme';
  return /^https?:\/\/[^/?#\\\s]/i.test(url) && URL.canParse(url) ? undefined : 'host';
}

const spelling = (url: string): string =>
  problemOf(url) === undefined ? withoutFragment(new URL(url).href) : url;

/** How many URLs a call names, before anything is checked. */
export function urlsIn(raw: unknown): number {
  const urls: unknown = typeof raw === 'object' && raw !== null && 'urls' in raw ? raw.urls : undefined;
  const list = typeof urls === 'string' ? readList(urls) : urls;
  return Array.isArray(list) ? Math.min(list.length, LIMITS.urlsPerCallMax) : 1;
}

function readList(text: string): unknown {
  if (!text.trim().startsWith('[')) return [text];
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return [text];
  }
}
