import { hash } from 'node:crypto';

/** A request as it is written down: without secrets. */
export interface KeptRequest {
  kind: 'page' | 'provider';
  method: string;
  url: string;
  body?: string;
}

/** What two requests share when they are the same, byte for byte. */
export const exactKey = ({ method, url, body = '' }: KeptRequest): string =>
  hashOf(`${method} ${withoutFragment(url)}\n${body}`);

/**
 * What two requests share when they ask for the same: parameters in any order, and of a query its words, whatever their case and the
 * white space between them. In the address of a page the case of a value counts.
 */
export function canonicalKey(request: KeptRequest): string {
  const { kind, method, body = '' } = request;
  const url = new URL(withoutFragment(request.url));
  const fold = kind === 'provider' ? folded : (text: string) => text;
  const parameters = [...url.searchParams]
    .filter(([name]) => !/^utm_/i.test(name))
    .map(([name, value]) => `${name}=${fold(value)}`)
    .sort();
  return hashOf([method, url.origin, url.pathname, ...parameters, canonicalBody(body)].join('\n'));
}

function canonicalBody(body: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(body)));
  } catch {
    return [...new URLSearchParams(body)].map(([name, value]) => `${name}=${folded(value)}`).join('\n');
  }
}

function sorted(value: unknown): unknown {
  if (typeof value === 'string') return folded(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted((value as Record<string, unknown>)[name])]),
  );
}

const folded = (text: string): string => text.normalize('NFKC').trim().replaceAll(/\s+/gu, ' ').toLowerCase();

const withoutFragment = (url: string): string => url.replace(/#.*$/s, '');

const hashOf = (text: string): string => hash('sha256', text);
