/*
 * DuckDuckGo's Instant Answer API. What surprised us: JSON arrives as application/x-javascript; "nothing" is an object of empty
 * strings with a `meta` about a test; Answer may be an object or a number; Image may be 0 and is relative; Infobox is "" or an
 * object whose values may be objects; a related topic is a topic or a named group that may lack its list.
 */
import { z } from 'zod';
import { HeadgateError } from '../../core/errors.ts';
import type { HttpRequest, HttpResponse } from '../../core/http.ts';
import { LIMITS } from '../../core/limits.ts';
import { oneLine } from '../../core/text.ts';
import { duckduckgo, INSTEAD, type DuckDuckGoSettings } from './duckduckgo.ts';
import { acceptLanguage } from './regions.ts';
import { webUrl, textOfHtml } from '../kit/make-source.ts';
import { readJson } from '../kit/read-json.ts';

export interface Attributed {
  text: string;
  source: string;
  url: string;
}

export interface AnswerTopic {
  title: string;
  /** The description without the title; may be empty. */
  text: string;
  url: string;
  /** The heading under which a disambiguation lists it. */
  group?: string;
}

export interface InstantAnswer {
  type: 'article' | 'disambiguation' | 'category' | 'name' | 'exclusive' | 'none';
  heading: string;
  abstract?: Attributed;
  answer?: string;
  definition?: Attributed;
  facts: { label: string; value: string }[];
  related: AnswerTopic[];
  /** Usually the official site. */
  results: AnswerTopic[];
  /** The target of a `!bang`. */
  redirect?: string;
  image?: string;
}

/** The adapter of the Instant Answer API. Undefined means that nothing is known, which is not a failure. */
export const instantAnswer = {
  /** `settings` are DuckDuckGo's. */
  request(text: string, settings: Record<string, unknown>): HttpRequest {
    const { answer_base_url, user_agent, region } = settings as DuckDuckGoSettings;
    // Without skip_disambig: a disambiguation is better than no answer.
    const parameters = new URLSearchParams({
      q: oneLine(text),
      format: 'json',
      no_html: '1',
      no_redirect: '1',
      t: 'headgate',
    });
    return {
      method: 'GET',
      url: `${answer_base_url}/?${parameters}`,
      headers: {
        accept: 'application/json',
        'accept-language': acceptLanguage(region),
        'user-agent': user_agent,
      },
    };
  },

  parse(response: HttpResponse): InstantAnswer | undefined {
    if (response.status === 202 && !response.body.trimStart().startsWith('{')) {
      throw new HeadgateError('upstream_blocked', 'DuckDuckGo answered with a check for robots.', {
        provider: duckduckgo.id,
        remediation: INSTEAD,
      });
    }
    return toAnswer(readJson(response, duckduckgo, shape));
  },

  fail: (response: HttpResponse, now?: number): HeadgateError => duckduckgo.fail(response, now),
};

const text = z.string().catch('');
const list = z.array(z.unknown()).catch([]);
const shape = z.object({
  Heading: text,
  Abstract: text,
  AbstractText: text,
  AbstractSource: text,
  AbstractURL: text,
  Answer: z.unknown().optional(),
  Definition: text,
  DefinitionSource: text,
  DefinitionURL: text,
  Image: text,
  Infobox: z.object({ content: list }).catch({ content: [] }),
  RelatedTopics: list,
  Results: list,
  Redirect: text,
  Type: text,
});
const fact = z.object({ label: z.string(), value: z.unknown(), data_type: text });
const topic = z.object({ FirstURL: z.string(), Text: text, Result: text });
const group = z.object({ Name: text, Topics: list });

const TYPES: Record<string, InstantAnswer['type']> = {
  A: 'article',
  D: 'disambiguation',
  C: 'category',
  N: 'name',
  E: 'exclusive',
};

function toAnswer(raw: z.output<typeof shape>): InstantAnswer | undefined {
  const found: InstantAnswer = {
    type: TYPES[raw.Type] ?? 'none',
    heading: oneLine(raw.Heading),
    facts: raw.Infobox.content.flatMap(toFact).slice(0, LIMITS.factsMax),
    related: raw.RelatedTopics.flatMap(toTopics).slice(0, LIMITS.relatedTopicsMax),
    results: raw.Results.flatMap((entry) => toTopic(entry)).slice(0, LIMITS.relatedTopicsMax),
  };
  const abstract = attributed(raw.AbstractText || raw.Abstract, raw.AbstractSource, raw.AbstractURL);
  const definition = attributed(raw.Definition, raw.DefinitionSource, raw.DefinitionURL);
  const answer = valueText(raw.Answer);
  const redirect = webUrl(raw.Redirect);
  if (abstract !== undefined) found.abstract = abstract;
  if (definition !== undefined) found.definition = definition;
  if (answer !== '') found.answer = answer;
  if (redirect !== undefined) found.redirect = redirect;
  const told = abstract ?? definition ?? found.answer ?? redirect;
  const listed = found.facts.length + found.related.length + found.results.length;
  if (told === undefined && listed === 0) return undefined;
  const image = raw.Image === '' ? undefined : URL.parse(raw.Image, 'https://duckduckgo.com');
  if (image !== null && image !== undefined) found.image = image.href;
  return found;
}

function attributed(words: string, source: string, url: string): Attributed | undefined {
  const plain = textOfHtml(words);
  return plain === '' ? undefined : { text: plain, source: oneLine(source), url: webUrl(url) ?? '' };
}

/**
 * A fact that is useful to a reader: identifiers, profiles elsewhere and values without words are left out.
 */
function toFact(entry: unknown): InstantAnswer['facts'] {
  const parsed = fact.safeParse(entry);
  if (!parsed.success || /(?:_id|_profile|^instance)$|^wikidata_/.test(parsed.data.data_type)) return [];
  const label = oneLine(parsed.data.label);
  const value = oneLine(valueText(parsed.data.value));
  return label === '' || value === '' ? [] : [{ label, value }];
}

function toTopics(entry: unknown): AnswerTopic[] {
  const single = toTopic(entry);
  const named = group.safeParse(entry);
  if (single.length > 0 || !named.success) return single;
  const name = oneLine(named.data.Name);
  return named.data.Topics.flatMap((inner) => toTopic(inner, name === '' ? undefined : name));
}

function toTopic(entry: unknown, groupName?: string): AnswerTopic[] {
  const parsed = topic.safeParse(entry);
  const url = parsed.success ? webUrl(parsed.data.FirstURL) : undefined;
  if (!parsed.success || url === undefined) return [];
  const whole = oneLine(textOfHtml(parsed.data.Text || parsed.data.Result));
  const [title, rest] = splitTopic(whole, parsed.data.Result, url);
  if (title === '') return [];
  return [{ title, text: rest, url, ...(groupName === undefined ? {} : { group: groupName }) }];
}

/**
 * Splits a topic into title and text, which it runs together, at the link in its HTML, at a dash, or by its
 * address.
 */
function splitTopic(whole: string, html: string, url: string): [title: string, text: string] {
  const linked = oneLine(textOfHtml(/<a\b[^>]*>(.*?)<\/a>/is.exec(html)?.[1] ?? ''));
  const dashed = whole.includes(' - ') ? whole.slice(0, whole.indexOf(' - ')) : '';
  const named = decodeLoosely(new URL(url).pathname.split('/').at(-1) ?? '').replaceAll('_', ' ');
  for (const title of [linked, dashed, named]) {
    if (title === '' || !whole.startsWith(title)) continue;
    return [title, whole.slice(title.length).replace(/^[\s,;:–—-]+/, '')];
  }
  return [whole, ''];
}

/** The text of a value that is a string, a number, or an object that has one in a known field. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return textOfHtml(value);
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return '';
  const { result, text, value: inner } = value as Record<string, unknown>;
  return (
    [result, text, inner].map((part) => (typeof part === 'object' ? '' : valueText(part))).find(Boolean) ?? ''
  );
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
