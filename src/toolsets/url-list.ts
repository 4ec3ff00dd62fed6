import { z } from 'zod';
import { LIMITS } from '../core/limits.ts';
import { withoutFragment } from '../core/url.ts';

/** Why a URL is invalid. */
export type UrlProblem = 'scheme' | 'host' | 'length';

export interface SortedUrls {
  valid: string[];
  invalid: { url: string; problem: UrlProblem }[];
  /** The number of distinct URLs. */
  count: number;
}

/**
 * A list of URLs as models send it: a list, one URL, or a list as JSON text. Tools set their own limit; this
 * one only bounds the work.
 */
export const urlList = () =>
  z.preprocess(
    (value) => (typeof value === 'string' ? readList(value) : value),
    z.array(z.string()).refine((urls) => urls.length <= LIMITS.urlsGivenMax, {
      error: `at most ${LIMITS.urlsGivenMax} entries. Send fewer.`,
    }),
  );

/** Merges equal URLs, keeps the first `max`, and separates invalid ones. */
export function sortUrls(urls: readonly string[], max: number = Infinity): SortedUrls {
  const merged = [...new Map(urls.map((url) => url.trim()).map((url) => [spelling(url), url])).values()];
  const sorted: SortedUrls = { valid: [], invalid: [], count: merged.length };
  for (const url of merged.slice(0, max)) {
    const problem = urlProblem(url);
    if (problem === undefined) sorted.valid.push(url);
    else sorted.invalid.push({ url, problem });
  }
  return sorted;
}

/** WHATWG parsers read `https:///path` as the host `path`, so the text itself is checked for a host. */
export function urlProblem(url: string): UrlProblem | undefined {
  if (url.length > LIMITS.urlCharsMax) return 'length';
  if (!/^https?:\/\//i.test(url)) return 'scheme';
  return /^https?:\/\/[^/?#\\\s]/i.test(url) && URL.canParse(url) ? undefined : 'host';
}

const spelling = (url: string): string =>
  urlProblem(url) === undefined ? withoutFragment(new URL(url).href) : url;

/** The number of URLs in a call, before validation. */
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
