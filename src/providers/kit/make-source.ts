import { LIMITS } from '../../core/limits.ts';
import type { Chunk, Source, SourceImage } from '../../core/source.ts';
import { cleanText, clip, unbrokenLine } from '../../core/text.ts';
import { canonicalUrl, hostOf } from '../../core/url.ts';

interface Found {
  provider: string;
  url: string;
  title?: string | null | undefined;
  snippet?: string | null | undefined;
  content?: string | null | undefined;
  score: number;
  published?: string | null | undefined;
  favicon?: string | null | undefined;
  images?: SourceImage[] | undefined;
  chunks?: Chunk[] | undefined;
}

/**
 * Builds a clean Source from a provider's result; undefined when its address is not a web page. Absent and
 * empty fields are left out, so that a missing date is never an empty string.
 */
export function makeSource(found: Found): Source | undefined {
  const url = webUrl(found.url);
  if (url === undefined) return undefined;
  const source: Source = {
    url,
    title: clip(unbrokenLine(found.title ?? ''), LIMITS.titleCharsMax) || hostOf(url),
    snippet: clip(cleanText(found.snippet ?? '').trim(), LIMITS.snippetCharsMax),
    score: Math.min(1, Math.max(0, Number.isFinite(found.score) ? found.score : 0)),
    provider: found.provider,
    trust: 'untrusted_web',
  };
  const content = cleanText(found.content ?? '').trim();
  const publishedDate = isoDate(found.published ?? '');
  const favicon = webUrl(found.favicon ?? '');
  if (content !== '') source.content = content;
  if (publishedDate !== undefined) source.publishedDate = publishedDate;
  if (favicon !== undefined) source.favicon = favicon;
  if (found.images !== undefined && found.images.length > 0) source.images = found.images;
  if (found.chunks !== undefined && found.chunks.length > 0) source.chunks = found.chunks;
  return source;
}

/** A score for providers that only rank: 1 for the first, 0.5 for the eleventh, never 0. */
export const rankScore = (rank: number): number => Math.round(10_000 / (10 + rank)) / 1_000;

/** Removes repeated pages; the first one is kept. */
export function withoutDuplicates(sources: (Source | undefined)[]): Source[] {
  const seen = new Set<string>();
  return sources.filter((source): source is Source => {
    if (source === undefined) return false;
    const key = canonicalUrl(source.url);
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

/** A page of a site by its path; undefined for anything else, which could lead to another site. */
export const pageOn = (origin: string, path: string | undefined): string | undefined =>
  path !== undefined && /^\/(?![/\\])/.test(path) ? `${origin}${path}` : undefined;

/** Normalises an http or https address of acceptable length; undefined for everything else. */
export function webUrl(text: string): string | undefined {
  const parsed = URL.parse(text.trim());
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return undefined;
  return parsed.href.length > LIMITS.urlCharsMax ? undefined : parsed.href;
}

/**
 * Converts a date to ISO 8601 in UTC. Providers that give no time zone mean UTC; V8 would assume local time.
 */
export function isoDate(text: string): string | undefined {
  const value = text.trim();
  if (!/\d{4}/.test(value)) return undefined;
  const zoned = /(Z|GMT|UTC|[+-]\d{2}:?\d{2})$/i.test(value.replace(/^\d{4}-\d{2}-\d{2}/, ''));
  const iso = /^\d{4}-\d{2}-\d{2}[T ]/.test(value);
  const time = Date.parse(zoned ? value : iso ? `${value.replace(' ', 'T')}Z` : `${value} UTC`);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/**
 * Plain text of the light HTML that APIs put into titles and descriptions: tags removed, entities decoded
 * once.
 */
export const textOfHtml = (html: string): string =>
  cleanText(
    html.replace(/<\/?[a-z][^>]*>/gi, '').replace(/&(#x?[0-9a-f]{1,6}|[a-z]{2,4});/gi, decoded),
  ).trim();

function decoded(entity: string, name: string): string {
  if (!name.startsWith('#')) return NAMED[name.toLowerCase()] ?? entity;
  const hexadecimal = /^#x/i.test(name);
  const code = Number.parseInt(name.slice(hexadecimal ? 2 : 1), hexadecimal ? 16 : 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
