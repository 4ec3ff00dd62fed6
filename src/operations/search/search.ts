import { warned } from '../../core/own-text.ts';
import {
  searchContract,
  type SearchHit,
  type SearchInput,
  type SearchOutput,
} from '../../contract/search.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Attempt, Outcome } from '../../core/outcome.ts';
import type { SearchQuery } from '../../core/query.ts';
import type { Source, SourceImage } from '../../core/source.ts';
import { priceChain, type Plan } from '../asking/price-chain.ts';
import { isRemembered, remember } from '../asking/remember.ts';
import { chooseChain } from '../asking/chain.ts';
import { keepDomains } from './domains.ts';
import { deepen } from './deepen.ts';
import { answered } from '../answer/answered.ts';
import { askLibrary, readyLocal } from '../asking/local-library.ts';
import { defineOperation } from '../operation.ts';
import { toSearchQuery } from './search-query.ts';
import type { ReadyProvider } from '../asking/ready-provider.ts';
import type { Services } from '../services.ts';
import { askChain, type Found } from './strategy.ts';

/** Search the web through whoever is set up to do it. */
export const search = defineOperation({
  contract: searchContract,
  scope: 'search',
  webTools: ['search'],
  run: runSearch,
  plan: planSearch,
});

async function runSearch(input: SearchInput, call: Call, services: Services): Promise<SearchOutput> {
  const started = services.clock.now();
  const { query, chain, strategy, key } = prepare(input, services);
  const ask = (shared: Call) => complete(chain, strategy, query, shared, services);
  // The library answers at once and changes at any time: its answers are not remembered.
  const { value, cached } = chain.includes(readyLocal)
    ? { value: await ask(call), cached: false }
    : await remember(key, isKeepable, call, services, ask);
  const kept = keepDomains(value.sources, query);
  const wantsImages = input.include_images === true || input.include_image_descriptions === true;
  return {
    query: input.query,
    answer: value.answer ?? null,
    ...(value.answerBy === undefined ? {} : { answer_by: value.answerBy }),
    ...(value.match === undefined ? {} : { match: value.match }),
    images: wantsImages ? (value.images ?? []).map((image) => toImage(image, input)) : [],
    results: kept.sources.map((source) => toHit(source, input)),
    ...(value.autoParameters === undefined ? {} : { auto_parameters: value.autoParameters }),
    cached,
    credits: cached ? 0 : (value.credits ?? 0),
    response_time: (services.clock.now() - started) / 1_000,
    request_id: call.requestId,
    outcome: outcomeOfFound(value, kept.sources),
    attempts: cached ? [] : value.attempts,
    warnings: [...value.warnings, ...kept.warnings],
  };
}

/** What is asked, of whom, how, and under which name it is remembered. */
function prepare(input: SearchInput, services: Services) {
  const query = toSearchQuery(input, services.clock.now());
  const chain = chooseChain(input.provider, 'search', services);
  const strategy = input.strategy ?? services.config.search.strategy;
  return {
    query,
    chain,
    strategy,
    key: ['search', strategy, chain.map((ready) => ready.provider.id), query],
  };
}

function planSearch(input: SearchInput, call: Call, services: Services): Plan {
  const { query, chain, strategy, key } = prepare(input, services);
  const priced = chain.map((ready) => ({ ready, credits: ready.provider.search?.creditsMax?.(query) ?? 1 }));
  const options = {
    isAsked: strategy === 'fallback' ? 'one' : 'all',
    cached: !chain.includes(readyLocal) && isRemembered(key, call, services),
  } as const;
  return priceChain('search', priced, options, services);
}

/** Asks, then does ourselves what the caller wants and the provider cannot: read the pages, quote an answer. */
async function complete(
  chain: ReadyProvider[],
  strategy: 'fallback' | 'fastest' | 'merge',
  query: SearchQuery,
  call: Call,
  services: Services,
): Promise<Found> {
  const isKnown = async (): Promise<boolean> =>
    !chain.includes(readyLocal) && (await askLibrary(query, call, services)).sources.length > 0;
  const asked = await askChain(chain, strategy, query, call, services, isKnown).catch((thrown: unknown) =>
    lastResort(thrown, chain, query, call, services),
  );
  const found = await deepen(asked, query, call, services);
  if (query.includeAnswer === undefined) return found;
  return answered(found, query, call, services);
}

/** When nobody on the web answers, what the library knows is better than nothing, and says where it is from. */
async function lastResort(
  thrown: unknown,
  chain: ReadyProvider[],
  query: SearchQuery,
  call: Call,
  services: Services,
): Promise<Found> {
  const error = HeadgateError.from(thrown);
  const isHopeless = error.type === 'validation' || error.type === 'cancelled' || error.type === 'internal';
  if (isHopeless || call.signal.aborted || chain.includes(readyLocal)) throw thrown;
  const page = await askLibrary(query, call, services).catch(() => undefined);
  if (page === undefined || page.sources.length === 0) throw thrown;
  const attempts = (error.data['attempts'] as Attempt[] | undefined) ?? [];
  const notice = warned`Nobody on the web answered (${error.message}); these results are from the local library.`;
  return {
    ...page,
    outcome: 'degraded',
    reason: error.message,
    attempts,
    warnings: [notice, ...page.warnings],
  };
}

/** Only a clean answer is kept: a blocked, degraded or partial one would be repeated as if it were the truth. */
const isKeepable = (found: Found): boolean =>
  (found.outcome === 'ok' || found.outcome === 'empty') &&
  found.attempts.every(isClean) &&
  found.hasModelFailed !== true;

const isClean = (attempt: Attempt): boolean => attempt.outcome === 'ok' || attempt.outcome === 'empty';

function outcomeOfFound({ outcome, match }: Found, sources: Source[]): Outcome {
  if (outcome !== 'ok') return outcome;
  if (sources.length === 0) return 'empty';
  // There are results, but not the answer that was asked for.
  return match === 'none' ? 'partial' : 'ok';
}

function toHit(source: Source, input: SearchInput): SearchHit {
  return {
    url: source.url,
    title: source.title,
    content: source.snippet,
    score: source.score,
    ...(source.scoreBy === undefined ? {} : { score_by: source.scoreBy }),
    raw_content: source.content ?? null,
    ...(source.publishedDate === undefined ? {} : { published_date: source.publishedDate }),
    ...(input.include_favicon === true && source.favicon !== undefined ? { favicon: source.favicon } : {}),
    ...(input.include_images === true
      ? { images: (source.images ?? []).map((image) => toImage(image, input)) }
      : {}),
    provider: source.provider,
    ...(source.foundBy === undefined ? {} : { found_by: source.foundBy }),
    trust: source.trust,
  };
}

const toImage = (
  image: SourceImage,
  input: SearchInput,
): string | { url: string; description: string | null } =>
  input.include_image_descriptions === true
    ? { url: image.url, description: image.description ?? null }
    : image.url;
