import type { Body } from '../request-body.ts';

/** How one operation looks on Tavily's wire: what its clients send becomes our input, our output what they read. */
export interface Wire {
  /** The operation's name. */
  name: string;
  /** Throws `invalid_request` with Tavily's own words. */
  decode(body: Body): Body;
  encode(output: never, asked: Body): Body;
  /** How long such a call may take, when that is not the usual time. */
  timeoutMs?(body: Body, usualMs: number): number;
  /** Fields of the answer that the contract does not have, as JSON Schema, for the documentation. */
  adds?: Record<string, unknown>;
}

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

/** The fields that mean something: without nulls, without empty text, without what clients leave behind. */
export function fieldsOf(body: Body): Body {
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => value !== null && value !== '' && (!LEFTOVERS.has(name) || name === 'timeout'),
    ),
  );
}

/** What is not ours and not a known leftover is named, because a misspelt field would otherwise do nothing in silence. */
export function unknownFields(body: Body, known: Record<string, unknown>): string[] {
  return Object.keys(body)
    .filter((name) => !(name in known) && !LEFTOVERS.has(name))
    .slice(0, 10)
    .map((name) => `${name.slice(0, 100)}: unknown field, ignored.`);
}

/** `usage` as Tavily shows it, when it was asked for. */
export const usageOf = (asked: Body, credits: number): Body =>
  asked['include_usage'] === true ? { usage: { credits } } : {};

/** Seconds with two decimals. */
export const seconds = (value: number): number => Math.round(value * 100) / 100;

/** People write `example.com`; that is `https://example.com`. */
export const withScheme = (url: string): string =>
  /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[a-z0-9.-]+:\d/i.test(url) ? url : `https://${url}`;

/** How `usage` is documented. */
export const USAGE_SCHEMA = { type: 'object', properties: { credits: { type: 'number' } } };
