import type { Intent, SearchQuery } from '../../core/query.ts';
import type { OwnText } from '../../core/text.ts';
import type { ReadyProvider } from '../ready-provider.ts';
import type { TopicRoute } from './topic.ts';

/** A source that is asked, why, and how much its results count. */
export interface TopicAsk {
  ready: ReadyProvider;
  share: number;
  why: OwnText;
  query: SearchQuery;
}

/** More would cost time and the sources' patience. */
const SOURCES_MAX = 3;

/** The sources to ask about a query, the most promising first. Of several topics, the first leaves room for the next. */
export function chooseSources(
  query: SearchQuery,
  { topics, language }: TopicRoute,
  ready: readonly ReadyProvider[],
): TopicAsk[] {
  const asks: TopicAsk[] = [];
  for (const [index, { intent, share, why }] of topics.entries()) {
    const isLast = index === topics.length - 1;
    const fitting = ready
      .filter(
        ({ provider: { topic } }) => topic?.intents.includes(intent) && (topic.suits?.(query.text) ?? true),
      )
      .filter((one) => !asks.some((ask) => ask.ready === one))
      .sort((a, b) => placeOf(a, intent) - placeOf(b, intent));
    for (const one of fitting.slice(0, SOURCES_MAX - asks.length - (isLast ? 0 : 1)))
      asks.push({ ready: one, share, why, query: inLanguage(query, language, one) });
  }
  return asks.slice(0, SOURCES_MAX);
}

/** How well a source fits a topic: 0 when it is what it knows best. */
const placeOf = ({ provider }: ReadyProvider, intent: Intent): number =>
  provider.topic?.intents.indexOf(intent) ?? 0;

/** Encyclopaedias are asked in the language of the query; what else the caller set, a source need not know. */
function inLanguage(query: SearchQuery, language: string, { provider }: ReadyProvider): SearchQuery {
  const { country: _, safeSearch: __, depth: ___, ...plain } = query;
  return provider.topic?.intents[0] === 'encyclopaedia'
    ? { ...plain, language: query.language ?? language }
    : plain;
}
