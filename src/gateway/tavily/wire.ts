import type { Body } from '../door/request-body.ts';

/** Fields that real clients send and the real API ignores. */
const LEFTOVERS = new Set([
  'api_key',
  'apiKey',
  'apiBaseURL',
  'client_source',
  'clientSource',
  'proxies',
  'projectId',
  'timeout',
  'max_hours',
  'fetch_timeout',
  'cache_fallback',
  'include_usage',
  'maxTokens',
]);

/** The meaningful fields: without nulls, empty strings and what clients send for no reason. */
export function fieldsOf(body: Body): Body {
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => value !== null && value !== '' && (!LEFTOVERS.has(name) || name === 'timeout'),
    ),
  );
}

/** Reports unknown fields, because a misspelt field would otherwise be ignored silently. */
export function unknownFields(body: Body, known: Record<string, unknown>): string[] {
  return Object.keys(body)
    .filter((name) => !(name in known) && !LEFTOVERS.has(name))
    .slice(0, 10)
    .map((name) => `${name.slice(0, 100)}: unknown field, ignored.`);
}

/** `usage` in Tavily's form, when it was requested. */
export const usageOf = (asked: Body, credits: number): Body =>
  asked['include_usage'] === true ? { usage: { credits } } : {};

/** Seconds with two decimals. */
export const seconds = (value: number): number => Math.round(value * 100) / 100;

/** Adds `https://` to addresses such as `example.com`. */
export const withScheme = (url: string): string =>
  /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[a-z0-9.-]+:\d/i.test(url) ? url : `https://${url}`;

/** How `usage` is documented. */
export const USAGE_SCHEMA = { type: 'object', properties: { credits: { type: 'number' } } };
