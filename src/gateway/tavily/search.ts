import { searchContract, type SearchHit, type SearchOutput } from '../../contract/search.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import { SEARCH_DEPTHS, TOPIC_WORDS } from '../../core/query.ts';
import { countryCode } from '../../core/countries.ts';
import { clip } from '../../core/text.ts';
import type { Body } from '../door/request-body.ts';
import { fieldsOf, seconds, unknownFields, USAGE_SCHEMA, usageOf } from './wire.ts';
import type { Wire } from '../door/wire.ts';

/** `POST /search`, exactly as Tavily's: limits, messages, defaults and the order of fields. */
export const searchWire: Wire = {
  name: 'search',
  decode,
  encode,
  adds: { follow_up_questions: { type: 'null' }, usage: USAGE_SCHEMA },
};

const CHARS_MAX = 400;
const RESULTS_MAX = 20;

function decode(body: Body): Body {
  const fields = fieldsOf(body);
  for (const [field, check] of RULED) {
    const problem = check(field === 'query' || field === 'topic' ? body[field] : fields[field], fields);
    if (problem !== undefined) throw new HeadgateError('invalid_request', named(problem));
  }
  // Old clients send it with any value and topic; the real API never refuses it.
  if ('days' in fields && !(Number.isInteger(fields['days']) && Number(fields['days']) > 0))
    delete fields['days'];
  return fields;
}

/** Rules in the order in which they are checked; each returns a message, or undefined. */
const RULES: Record<string, (value: unknown, fields: Body) => string | undefined> = {
  query: (value) => {
    if (value === undefined || value === null) return 'Query is missing.';
    if (typeof value !== 'string') return 'Query must be a string.';
    const { length } = value.trim();
    if (length === 0) return 'Query is missing.';
    if (length < 2) return 'Query is too short. Min query length is 2 characters.';
    return value.length > CHARS_MAX
      ? `Query is too long. Max query length is ${CHARS_MAX} characters.`
      : undefined;
  },
  max_results: (value) =>
    value === undefined || (isWhole(value) && value >= 0 && value <= RESULTS_MAX)
      ? undefined
      : 'Invalid max results.',
  topic: (value) =>
    value === undefined || value === null || isWord(value, TOPIC_WORDS)
      ? undefined
      : "Invalid topic. Must be 'general', 'news', or 'finance'",
  search_depth: (value) =>
    value === undefined || isWord(value, SEARCH_DEPTHS)
      ? undefined
      : "Invalid search depth. Must be 'basic', 'advanced', 'fast', or 'ultra-fast'.",
  include_answer: (value) =>
    value === undefined || typeof value === 'boolean' || isWord(value, ['true', 'false', 'basic', 'advanced'])
      ? undefined
      : "Invalid value for include_answer. Must be True, False, 'basic', or 'advanced'.",
  include_domains: domains('include_domains', LIMITS.domainsIncludeMax),
  exclude_domains: domains('exclude_domains', LIMITS.domainsExcludeMax),
  include_domains_mode: (value, fields) =>
    value === undefined || fields['include_domains'] !== undefined
      ? undefined
      : 'include_domains_mode requires include_domains to be set.',
  start_date: date,
  end_date: (value, fields) => {
    if (date(value) !== undefined) return date(value);
    const start = fields['start_date'];
    const isBefore = typeof start === 'string' && typeof value === 'string' && start > value;
    return isBefore ? 'start_date cannot be after end_date' : undefined;
  },
  time_range: (value, fields) =>
    value !== undefined && (fields['start_date'] !== undefined || fields['end_date'] !== undefined)
      ? 'When time_range is set, start_date or end_date cannot be set'
      : undefined,
  country: (value) =>
    value === undefined || (typeof value === 'string' && countryCode(value) !== undefined)
      ? undefined
      : 'Invalid country. Must be a valid country name from the list of supported countries (https://docs.tavily.com/documentation/api-reference/endpoint/search).',
};

const RULED = Object.entries(RULES);

function domains(field: string, max: number) {
  return (value: unknown): string | undefined =>
    Array.isArray(value) && value.length > max
      ? `Invalid value for ${field}. Max ${max} domains are allowed.`
      : undefined;
}

function date(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const isDate =
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
  return isDate
    ? undefined
    : `Invalid date format. Expected YYYY-MM-DD, got: ${clip(typeof value === 'string' ? value : JSON.stringify(value), 100)}`;
}

const isWhole = (value: unknown): value is number =>
  Number.isInteger(typeof value === 'string' && value.trim() !== '' ? Number(value) : value);

const isWord = (value: unknown, words: readonly string[]): boolean =>
  typeof value === 'string' && words.includes(value.trim().toLowerCase().replaceAll('_', '-'));

function encode(output: SearchOutput, asked: Body): Body {
  const wantsDate = asked['topic'] === 'news' || asked['include_published_date'] === true;
  const prefix = output.request_id.replaceAll('-', '').slice(0, 6);
  // JSON leaves out what is undefined.
  const toWire = (hit: SearchHit, id: string): Body => ({
    url: hit.url,
    title: hit.title,
    content: hit.content,
    score: hit.score,
    raw_content: hit.raw_content,
    published_date: wantsDate && hit.published_date !== undefined ? httpDate(hit.published_date) : undefined,
    favicon: hit.favicon,
    images: hit.images?.map(asImage),
    id,
    provider: hit.provider,
    found_by: hit.found_by,
    licence: hit.licence,
    trust: hit.trust,
  });
  const idOf = (index: number): string => `${prefix}-${String(index).padStart(2, '0')}`;
  return {
    query: output.query,
    follow_up_questions: null,
    answer: output.answer,
    images: output.images,
    results: output.results.map((hit, index) => toWire(hit, idOf(index))),
    library: output.library?.map((hit, index) => toWire(hit, `${prefix}-l${index}`)),
    auto_parameters: output.auto_parameters,
    response_time: seconds(output.response_time),
    ...usageOf(asked, output.credits),
    request_id: output.request_id,
    answer_by: output.answer_by,
    match: output.match,
    outcome: output.outcome,
    cached: output.cached,
    attempts: output.attempts,
    warnings: [...output.warnings, ...unknownFields(asked, searchContract.input.shape)],
    cost: output.cost,
  };
}

/** Formats a date as `Tue, 11 Mar 2025 17:00:00 GMT`; other text is returned unchanged. */
function httpDate(text: string): string {
  const parsed = new Date(text);
  return Number.isNaN(parsed.getTime()) ? text : parsed.toUTCString();
}

/** Images of one result are objects, whether described or not. */
const asImage = (image: SearchOutput['images'][number]) =>
  typeof image === 'string' ? { url: image } : image;
