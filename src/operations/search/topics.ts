import type { Ctx } from '../../routing/services.ts';
import { HeadgateError } from '../../core/errors.ts';
import { type Intent, INTENTS, type SearchQuery, type TopicWord } from '../../core/query.ts';
import { LIMITS } from '../../core/limits.ts';
import { attemptBegun, beginningOf, type Attempt } from '../../core/outcome.ts';
import { listed, named, own, warned } from '../../core/own-text.ts';
import type { OwnText } from '../../core/text.ts';
import { fuse } from '../../rank/fuse.ts';
import { isNewcomer } from '../../routing/chain.ts';
import { summarise } from '../../routing/route.ts';
import { chooseSources, type TopicAsk } from '../../routing/topic/sources.ts';
import { routeTopic, type TopicRoute } from '../../routing/topic/topic.ts';
import { withDeadline } from '../../routing/with-deadline.ts';
import type { Found } from '../answer/found.ts';
import type { Services } from '../services.ts';
import { askChain } from './strategy.ts';

/** The least that general search counts beside a topic that is sure. */
const GENERAL_SHARE_MIN = 0.3;

/** What a topic means for a search: who is asked besides general search, or instead of it. */
export function planTopics(
  topic: TopicWord | undefined,
  query: SearchQuery,
  services: Services,
): { asks: TopicAsk[]; isNamed: boolean } {
  const intent = INTENTS.find((one) => one === topic && one !== 'general');
  const routed = intent === undefined ? routeTopic(query.text, query.language) : namedTopic(intent, query);
  return { asks: chooseSources(query, routed, services.providers), isNamed: intent !== undefined };
}

const namedTopic = (intent: Intent, { text, language }: SearchQuery): TopicRoute => ({
  ...routeTopic(text, language),
  intent,
  topics: [{ intent, share: 1, why: own`the call names the topic` }],
});

/** General search and the sources of a topic at once, fused by rank; the router's confidence is the weight. */
export async function askBoth(
  asks: TopicAsk[],
  general: () => Promise<Found>,
  query: SearchQuery,
  ctx: Ctx<Services>,
): Promise<Found> {
  const [web, sources] = await Promise.all([settled(general()), askSources(asks, ctx)]);
  ctx.call.signal.throwIfAborted();
  if (web instanceof HeadgateError) return withoutGeneral(web, sources, query);
  const best = Math.max(0, ...sources.found.map(({ ask }) => ask.share));
  const lists = [web.sources, ...sources.found.map(({ found }) => found.sources)];
  const weights = [Math.max(GENERAL_SHARE_MIN, 1 - best), ...sources.found.map(({ ask }) => ask.share)];
  const fused = fuse(lists, weights).slice(0, query.resultsMax);
  const isBetter = web.outcome === 'empty' || (web.outcome === 'degraded' && web.sources.length === 0);
  return {
    ...web,
    outcome: fused.length > 0 && isBetter ? (web.outcome === 'empty' ? 'ok' : 'degraded') : web.outcome,
    sources: fused,
    attempts: [...web.attempts, ...sources.attempts],
  };
}

/** The sources of a topic that the call names; general search answers when none of them does. */
export async function askTopic(
  asks: TopicAsk[],
  topic: string,
  general: () => Promise<Found>,
  query: SearchQuery,
  ctx: Ctx<Services>,
): Promise<Found> {
  const { found, attempts } = await askSources(asks, ctx);
  ctx.call.signal.throwIfAborted();
  const sources = fused(found, query);
  if (sources.length > 0) {
    const isClean = attempts.every(({ outcome }) => outcome === 'ok' || outcome === 'empty');
    return { outcome: isClean ? 'ok' : 'partial', sources, warnings: [], attempts };
  }
  const web = await general();
  const notice = warned`No source of the topic "${named(topic)}" knew anything; these results are from general search.`;
  return { ...web, warnings: [notice, ...web.warnings], attempts: [...attempts, ...web.attempts] };
}

/** When general search fails: what the sources of the query's topics know, marked as degraded. Throws the failure when that is nothing. */
export async function rescue(error: HeadgateError, query: SearchQuery, ctx: Ctx<Services>): Promise<Found> {
  const { asks } = planTopics(undefined, query, ctx.services);
  if (asks.length === 0) throw error;
  const sources = await askSources(asks, ctx);
  ctx.call.signal.throwIfAborted();
  return withoutGeneral(error, sources, query);
}

/**
 * Whether sources of topics may answer for general search: as `[search] topics` says, and by itself only where nobody set up
 * anything. Whoever has a key or an address of their own decided whom to ask.
 */
export const mayRescue = (services: Services): boolean =>
  services.config.search.topics === 'auto'
    ? isNewcomer(services)
    : services.config.search.topics === 'always';

interface Answers {
  found: { ask: TopicAsk; found: Found }[];
  attempts: Attempt[];
}

async function askSources(asks: TopicAsk[], { call, services }: Ctx<Services>): Promise<Answers> {
  const answers = await Promise.all(
    asks.map(async (ask) => {
      const found = await settled(
        withDeadline(call, LIMITS.topicSourceMs, services, (inner) =>
          askChain([ask.ready], 'fallback', ask.query, { call: inner, services }),
        ),
      );
      return { ask, found };
    }),
  );
  return {
    found: answers.flatMap(({ ask, found }) => (found instanceof HeadgateError ? [] : [{ ask, found }])),
    attempts: answers.flatMap(({ ask, found }) => attemptsOf(ask, found)),
  };
}

/** The attempts of one source, each with why it was asked. */
function attemptsOf({ ready, why }: TopicAsk, found: Found | HeadgateError): Attempt[] {
  const { id } = ready.provider;
  const attempts =
    found instanceof HeadgateError
      ? ((found.data['attempts'] as Attempt[] | undefined) ?? [
          { provider: id, ms: 0, outcome: 'failed' as const, reason: found.message },
        ])
      : found.attempts;
  return attempts.map((attempt) => attemptBegun({ ...attempt, why }, beginningOf(attempt)));
}

/** Results without general search: degraded, and it says who is missing. */
function withoutGeneral(error: HeadgateError, { found, attempts }: Answers, query: SearchQuery): Found {
  const all = [...((error.data['attempts'] as Attempt[] | undefined) ?? []), ...attempts];
  const sources = fused(found, query);
  if (sources.length === 0) throw all.length === 0 ? error : summarise([error], all);
  const titles: OwnText[] = found
    .filter((one) => one.found.sources.length > 0)
    .map(({ ask }) => ask.ready.provider.title);
  const notice = warned`General search did not answer (${error.message}); these results are only what ${listed(titles)} found.`;
  return { outcome: 'degraded', reason: error.message, sources, warnings: [notice], attempts: all };
}

const fused = (found: Answers['found'], query: SearchQuery): Found['sources'] =>
  fuse(
    found.map((one) => one.found.sources),
    found.map(({ ask }) => ask.share),
  ).slice(0, query.resultsMax);

/** The answer, or the failure as a value. */
const settled = (work: Promise<Found>): Promise<Found | HeadgateError> =>
  work.catch((thrown: unknown) => HeadgateError.from(thrown));
