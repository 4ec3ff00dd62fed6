import type { Ctx } from '../../routing/services.ts';
import { named, own, warned, listed } from '../../core/own-text.ts';
import { providerNames } from '../../config/names.ts';
import {
  searchContract,
  type SearchHit,
  type SearchInput,
  type SearchOutput,
} from '../../contract/search.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Attempt, Outcome } from '../../core/outcome.ts';
import type { SearchQuery, TopicWord } from '../../core/query.ts';
import type { Source, SourceImage } from '../../core/source.ts';
import { priceChain, type Plan } from '../../routing/price-chain.ts';
import { isCached, withCache } from '../../routing/cached.ts';
import { chooseChain, licencesOf, isNewcomer } from '../../routing/chain.ts';
import { keepDomains, type Found } from '../answer/found.ts';
import { besideTheWeb } from './beside-the-web.ts';
import { defineOperation } from '../operation.ts';
import { toSearchQuery } from './search-query.ts';
import { libraryProvider } from '../../providers/builtin.ts';
import type { ReadyProvider } from '../../routing/ready-provider.ts';
import type { Services } from '../services.ts';
import { askChain } from './strategy.ts';
import type { OwnText } from '../../core/text.ts';

/** Searches the web through the configured providers. */
export const search = defineOperation({
  contract: searchContract,
  scope: 'search',
  webTools: ['search'],
  run: runSearch,
  plan: planSearch,
});

async function runSearch(input: SearchInput, { call, services: all }: Ctx<Services>): Promise<SearchOutput> {
  const services = withoutExcluded(input, all);
  const ctx = { call, services };
  const started = services.clock.now();
  const { query, chain, strategy, key, topic } = prepare(input, services);
  // The library is fast and changes at any time, so its answers are not cached.
  const beside = wantsLibrary(input, chain, services) ? besideTheWeb(query, ctx) : undefined;
  // Only a caller who names it is known to read its list.
  const libraryCanAnswer = async () => input.library === 'also' && ((await beside)?.hits.length ?? 0) > 0;
  const ask = (shared: Call) =>
    complete({ chain, strategy, topic, libraryCanAnswer }, query, { call: shared, services });
  const { value, cached } = await (
    hasLibrary(chain)
      ? ask(call).then((found) => ({ value: found, cached: false }))
      : withCache(key, isKeepable, ctx, ask, input)
  ).catch(async (thrown: unknown) => {
    if (!(await libraryCanAnswer())) throw thrown;
    return { value: withoutWeb(thrown, call), cached: false };
  });
  const library = await beside;
  const documents = library?.beside(value.sources.length > 0) ?? [];
  const kept = keepDomains(value.sources, query);
  const wantsImages = input.include_images === true || input.include_image_descriptions === true;
  return {
    query: input.query,
    answer: value.answer ?? null,
    ...(value.answerBy === undefined ? {} : { answer_by: value.answerBy }),
    ...(value.match === undefined ? {} : { match: value.match }),
    images: wantsImages ? (value.images ?? []).map((image) => toImage(image, input)) : [],
    results: kept.sources.map((source) => toHit(source, input)),
    ...(documents.length === 0 ? {} : { library: documents.map((source) => toHit(source, input)) }),
    ...(value.autoParameters === undefined ? {} : { auto_parameters: value.autoParameters }),
    cached,
    credits: cached ? 0 : (value.credits ?? 0),
    response_time: (services.clock.now() - started) / 1_000,
    request_id: call.requestId,
    outcome: outcomeOfFound(value, kept.sources),
    attempts: [...(cached ? [] : value.attempts), ...(library?.attempts ?? [])],
    warnings: [
      ...value.warnings,
      ...kept.warnings,
      ...(library?.warnings ?? []),
      ...(input.provider === undefined && input.library !== 'only' ? keylessNotice(chain, services) : []),
    ],
  };
}

const hasLibrary = (chain: ReadyProvider[]): boolean =>
  chain.some(({ provider }) => provider === libraryProvider);

/** A call that names its providers gets those, and the library only if it names that too. */
const wantsLibrary = ({ library, provider }: SearchInput, chain: ReadyProvider[], { providers }: Services) =>
  !hasLibrary(chain) &&
  hasLibrary(providers) &&
  (library === 'also' || (library === undefined && provider === undefined));

const idsOf = (chain: ReadyProvider[], isSorted: boolean): string[] => {
  const ids = chain.map((ready) => ready.provider.id);
  return isSorted ? ids.sort() : ids;
};

/** The services without the providers that the call excludes. A name that nobody has is refused: it may be a misspelt one. */
function withoutExcluded({ exclude_providers: excluded = [] }: SearchInput, services: Services): Services {
  if (excluded.length === 0) return services;
  const names = providerNames('search').filter((name) => name !== 'auto');
  const unknown = excluded.find((id) => !names.includes(id.toLowerCase()));
  if (unknown !== undefined)
    throw new HeadgateError(
      'invalid_request',
      own`exclude_providers: "${named(unknown)}" is not a provider of search.`,
      { remediation: own`Use some of ${named(names.join(', '))}.` },
    );
  const isKept = ({ provider }: ReadyProvider): boolean =>
    !excluded.some((id) => id.toLowerCase() === provider.id);
  return { ...services, providers: services.providers.filter(isKept) };
}

/** The query, the chain, the strategy and the cache key. */
function prepare(input: SearchInput, services: Services) {
  const query = toSearchQuery(input, services.clock.now());
  const isLibrary = input.library === 'only';
  const chain = chooseChain(isLibrary ? libraryProvider.id : input.provider, services);
  const strategy = input.strategy ?? services.config.search.strategy;
  const isNamed =
    isLibrary || input.provider !== undefined || !services.config.search.provider.includes('auto');
  // Whoever names providers gets those, and nobody else is asked.
  const topic = isNamed ? undefined : (input.topic ?? 'general');
  return {
    query,
    chain,
    strategy,
    topic,
    // Who is fastest changes, and with it only the order.
    key: [
      'search',
      strategy,
      idsOf(chain, services.config.search.prefer === 'latency'),
      topic,
      query,
      input.exclude_providers,
    ],
  };
}

/** What a search would ask and cost at most. */
export function planSearch(input: SearchInput, { call, services: all }: Ctx<Services>): Plan {
  const services = withoutExcluded(input, all);
  const ctx = { call, services };
  const { query, chain, strategy, key } = prepare(input, services);
  const priced = chain.map((ready) => ({ ready, credits: ready.provider.search?.creditsMax?.(query) ?? 1 }));
  const options = {
    isAsked: strategy === 'fallback' ? 'one' : 'all',
    cached: !hasLibrary(chain) && isCached(key, ctx, input),
  } as const;
  const { rerank = [] } = services.config.search;
  const rerankers = services.providers.filter(({ provider: { id } }) => rerank.includes(id));
  const ranking = rerankers.map((ready) => ({ ready, credits: 1 }));
  return together(
    priceChain('search', priced, options, services),
    priceChain('search', ranking, { ...options, isAsked: 'one' }, services),
  );
}

/** The plan of two steps that are both paid. */
const together = (one: Plan, other: Plan): Plan => ({
  ...one,
  steps: [...one.steps, ...other.steps],
  credits_max: one.credits_max + other.credits_max,
  cost_max: one.cost_max + other.cost_max,
  credits_saved: one.credits_saved + other.credits_saved,
});

/** Whom to ask: the chain of general search, and the topic; without one, nobody else. */
interface Asking {
  chain: ReadyProvider[];
  strategy: 'fallback' | 'fastest' | 'merge';
  topic: TopicWord | undefined;
  libraryCanAnswer: () => Promise<boolean>;
}

/** Searches, then adds what the provider cannot do: reads the pages, quotes an answer. */
async function complete(asking: Asking, query: SearchQuery, ctx: Ctx<Services>): Promise<Found> {
  const asked = await askAll(asking, query, ctx);
  // Loaded only when they are wanted: a plain search starts without the code that reads pages and words answers.
  const read = wantsPages(query)
    ? await (await import('./read-result-pages.ts')).readResultPages(asked, query, ctx)
    : asked;
  const isReranked = ctx.services.config.search.rerank !== undefined;
  const found = isReranked ? await (await import('./rerank.ts')).reranked(read, query, ctx) : read;
  const given =
    query.includeAnswer === undefined
      ? found
      : await (await import('../answer/answered.ts')).answered(found, query, ctx);
  if (query.tokensMax === undefined) return given;
  return (await import('./fit-results.ts')).fitResults(given, query, query.tokensMax);
}

/** General search, with the sources of topics as the call and the operator want them. */
async function askAll(
  { chain, strategy, topic, libraryCanAnswer }: Asking,
  query: SearchQuery,
  ctx: Ctx<Services>,
): Promise<Found> {
  const general = () => askChain(chain, strategy, query, ctx, libraryCanAnswer);
  if (topic === 'general') {
    try {
      return await general();
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      if (isHopeless(error) || ctx.call.signal.aborted) throw thrown;
      const { mayRescue, rescue } = await import('./topics.ts');
      if (!mayRescue(ctx.services)) throw thrown;
      return rescue(error, query, ctx);
    }
  }
  if (topic === undefined || topic === 'news' || topic === 'finance') return general();
  // The router and its weights are loaded with the first query that needs them.
  const { askBoth, askTopic, planTopics } = await import('./topics.ts');
  const { asks, isNamed } = planTopics(topic, query, ctx.services);
  if (isNamed) return askTopic(asks, topic, general, query, ctx);
  return asks.length === 0 ? general() : askBoth(asks, general, query, ctx);
}

/** Failures that nobody else can help with. */
const isHopeless = ({ type }: HeadgateError): boolean =>
  type === 'validation' || type === 'cancelled' || type === 'internal';

const wantsPages = ({ depth, includeRawContent }: SearchQuery): boolean =>
  depth === 'advanced' || includeRawContent !== undefined;

/** No results of the web, and why: the library's documents do not take their place. */
function withoutWeb(thrown: unknown, call: Call): Found {
  const error = HeadgateError.from(thrown);
  if (isHopeless(error) || call.signal.aborted) throw thrown;
  const attempts = (error.data['attempts'] as Attempt[] | undefined) ?? [];
  const notice = warned`Nobody on the web answered (${error.message}); only the local library did.`;
  return { outcome: 'degraded', reason: error.message, sources: [], attempts, warnings: [notice] };
}

/** Only clean answers are cached; a degraded one would be repeated as if it were complete. */
const isKeepable = (found: Found): boolean =>
  (found.outcome === 'ok' || found.outcome === 'empty') &&
  found.attempts.every(isClean) &&
  found.hasModelFailed !== true;

const isClean = (attempt: Attempt): boolean => attempt.outcome === 'ok' || attempt.outcome === 'empty';

function outcomeOfFound({ outcome, match }: Found, sources: Source[]): Outcome {
  if (outcome !== 'ok') return outcome;
  if (sources.length === 0) return 'empty';
  // There are results, but not the requested answer.
  return match === 'none' ? 'partial' : 'ok';
}

/** Made for every result, so that absent fields are left out without a spread for each. */
function toHit(source: Source, input: SearchInput): SearchHit {
  const { scoreBy, publishedDate, favicon, foundBy } = source;
  const licences = licencesOf(foundBy ?? [source.provider]);
  const hit: SearchHit = {
    url: source.url,
    title: source.title,
    content: source.snippet,
    score: source.score,
    raw_content: source.content ?? null,
    provider: source.provider,
    trust: source.trust,
  };
  if (scoreBy !== undefined) hit.score_by = scoreBy;
  if (publishedDate !== undefined) hit.published_date = publishedDate;
  if (input.include_favicon === true && favicon !== undefined) hit.favicon = favicon;
  if (input.include_images === true) hit.images = (source.images ?? []).map((image) => toImage(image, input));
  if (foundBy !== undefined) hit.found_by = foundBy;
  if (licences.length > 0) hit.licence = licences.join(' · ');
  return hit;
}

const toImage = (
  image: SourceImage,
  input: SearchInput,
): string | { url: string; description: string | null } =>
  input.include_image_descriptions === true
    ? { url: image.url, description: image.description ?? null }
    : image.url;

/** Who is asked where nobody set up anything, in the first answer of a process: no query goes anywhere unsaid. */
function keylessNotice(chain: ReadyProvider[], services: Services): OwnText[] {
  const { told, config, providers } = services;
  if (told.has('keyless') || config.search.keyless !== undefined || !isNewcomer(services)) return [];
  told.add('keyless');
  const titles = (some: ReadyProvider[]): OwnText => listed(some.map(({ provider }) => provider.title));
  const sources = config.search.topics === 'never' ? [] : providers.filter(({ provider }) => provider.topic);
  const [first, ...rest] = chain;
  const then = rest.length === 0 ? '' : own`, then ${titles(rest)}`;
  const last = sources.length === 0 ? '' : own`; by topic, if none of them answers: ${titles(sources)}`;
  const whom = own`${first === undefined ? 'nobody' : titles([first])}${then}${last}`;
  return [
    warned`No search provider is set up. Without a key these are asked: ${whom}. [search] keyless limits them.`,
  ];
}
