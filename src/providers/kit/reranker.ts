import { z } from 'zod';
import { HeadgateError } from '../../core/errors.ts';
import { own } from '../../core/own-text.ts';
import type { HttpResponse } from '../../core/http.ts';
import type { OwnText } from '../../core/text.ts';
import type { Provider, RerankAdapter, RerankQuery, SimulatedCall } from '../provider.ts';
import { baseUrl, requiredUrl } from './base-url.ts';
import { at, numberAt } from './json-path.ts';
import { readAnyJson, unknownForm } from './read-json.ts';
import { failBySignals } from './signals.ts';

/** A wire format: the body of a request, and where an answer has its list and its scores. */
interface RerankFormat {
  body(query: RerankQuery, model: string): Record<string, unknown>;
  list: string;
  score: string;
}

const RERANK_FORMATS = {
  /** Cohere's, which Jina and most servers for models speak as well. */
  cohere: {
    body: ({ text, passages }, model) => ({
      model,
      query: text,
      documents: passages,
      top_n: passages.length,
    }),
    list: 'results',
    score: 'relevance_score',
  },
  voyage: {
    body: ({ text, passages }, model) => ({
      model,
      query: text,
      documents: passages,
      top_k: passages.length,
    }),
    list: 'data',
    score: 'relevance_score',
  },
  /** Hugging Face's Text Embeddings Inference. */
  tei: {
    body: ({ text, passages }) => ({ query: text, texts: passages, truncate: true }),
    list: '',
    score: 'score',
  },
} as const satisfies Record<string, RerankFormat>;

type FormatName = keyof typeof RERANK_FORMATS;

/** The adapter of a format; `address` finds the URL and the model in the settings. */
export const rerankAdapter = (
  provider: { id: string; title: OwnText },
  formatOf: (settings: Record<string, unknown>) => FormatName,
  address: (settings: Record<string, unknown>) => { url: string; model: string },
): RerankAdapter<Record<string, unknown>> => ({
  request: (query, settings, key) => {
    const { url, model } = address(settings);
    return {
      method: 'POST',
      url,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(RERANK_FORMATS[formatOf(settings)].body(query, model)),
    };
  },
  parse: (response, query) => scoresIn(response, provider, query),
});

/** The scores of any of the formats: they differ only in names. */
function scoresIn(
  response: HttpResponse,
  provider: { id: string; title: OwnText },
  { passages }: RerankQuery,
) {
  const answer = readAnyJson(response, provider);
  const rows = Array.isArray(answer) ? answer : at(answer, 'results|data');
  if (!Array.isArray(rows)) throw unknownForm(response, provider);
  const seen = new Set<number>();
  const scores = rows.flatMap((row: unknown) => {
    const [index, score] = [numberAt(row, 'index'), numberAt(row, 'relevance_score|score')];
    const isNew = index !== undefined && passages[index] !== undefined && !seen.has(index);
    if (!isNew || score === undefined) return [];
    seen.add(index);
    return [{ index, score }];
  });
  if (scores.length === 0 && passages.length > 0) throw unknownForm(response, provider);
  return scores;
}

interface Reranker extends Pick<
  Provider,
  'id' | 'title' | 'homepage' | 'keys' | 'keyVariable' | 'urlVariable' | 'creditPrice'
> {
  /** The address above `/rerank`; absent for a server of the operator's own. */
  baseUrl?: string;
  model: string;
  format: FormatName;
}

/** The card of a provider that only ranks. */
export function defineReranker({ baseUrl: fallback, model, format, ...card }: Reranker): Provider {
  let schema: z.ZodObject | undefined;
  const isOwn = fallback === undefined;
  const names = Object.keys(RERANK_FORMATS) as [FormatName, ...FormatName[]];
  const provider: Provider = {
    ...card,
    settings: () =>
      (schema ??= z.object({
        base_url: isOwn ? requiredUrl().optional() : baseUrl(fallback),
        model: z.string().min(1).default(model),
        ...(isOwn && { format: z.enum(names).default(format) }),
      })),
    defaults: { model, ...(isOwn ? { format } : { base_url: fallback }) },
    paceMs: 0,
    auth: { header: 'authorization', scheme: 'Bearer' },
    signals: [
      { means: 'upstream_authentication', status: 401, body: { message: 'invalid api token' } },
      { means: 'upstream_quota', status: 402, body: { message: 'nothing is left' } },
      { means: 'upstream_rate_limit', status: 429, body: { message: 'too many requests' } },
    ],
    fail: (response, now) => failBySignals(provider, response, now),
    simulate: (call) => simulateRerank(call, format),
    rerank: rerankAdapter(
      card,
      (settings) => (settings['format'] as FormatName | undefined) ?? format,
      (settings) => {
        const base = settings['base_url'] as string | undefined;
        if (base === undefined) throw new HeadgateError('not_configured', own`${card.title} has no address.`);
        return { url: `${base}/rerank`, model: String(settings['model']) };
      },
    ),
  };
  return provider;
}

/** Scores by how often the words of the query are in a passage, best first. */
export function simulateRerank({ path, sent }: SimulatedCall, format: FormatName): unknown {
  if (path !== '/rerank') return undefined;
  const { list, score } = RERANK_FORMATS[format];
  const words = String(sent['query']).toLowerCase().split(/\W+/);
  const rows = ([sent['documents'] ?? sent['texts'] ?? []].flat() as string[])
    .map((text, index) => {
      const found = words.flatMap((word) => text.toLowerCase().split(word).slice(1)).length;
      return { index, [score]: Math.round(1_000 * (found / (found + 1)) - index) / 1_000 };
    })
    .sort((a, b) => Number(b[score]) - Number(a[score]));
  return list === '' ? rows : { [list]: rows };
}
