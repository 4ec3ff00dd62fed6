import type { Ctx } from './services.ts';
import { HeadgateError } from '../core/errors.ts';
import { type OwnText } from '../core/text.ts';
import { asked as said, named, own, warned } from '../core/own-text.ts';
import type { HttpRequest, HttpResponse } from '../core/http.ts';
import { LIMITS } from '../core/limits.ts';
import type { SearchQuery } from '../core/query.ts';
import { canonicalUrl } from '../core/url.ts';
import type { Provider, SearchPage } from '../providers/provider.ts';
import { condenseQuery } from '../rank/condense.ts';
import { laneOf, type Candidate } from './key-ring.ts';
import { withoutDenied } from './denied-results.ts';
import { askLibrary } from './local-library.ts';
import { cooldownError, retryWaitMs } from './route.ts';
import { searchFrozen } from './frozen-search.ts';

/** The results of a provider over all pages; `partial` when a later page is missing. */
export type ProviderSearch = Omit<SearchPage, 'outcome'> & {
  outcome: SearchPage['outcome'] | 'partial';
  warnings: OwnText[];
};

/**
 * Runs a provider's search adapter: condenses, sends, parses, and fetches pages until there are enough
 * results.
 */
export async function askSearch(candidate: Candidate, asked: SearchQuery, ctx: Ctx): Promise<ProviderSearch> {
  const { services } = ctx;
  const { provider, settings } = candidate.ready;
  if (provider.builtIn !== undefined) return askLibrary(asked, ctx);
  const adapter = provider.search;
  if (adapter === undefined)
    throw new HeadgateError('invalid_request', own`${named(provider.title)} cannot search.`);

  const condensed = condenseQuery(asked.text, {
    charsMax: adapter.queryCharsMax,
    wordsMax: adapter.queryWordsMax,
  });
  const query = { ...asked, text: condensed.text };
  const warnings = adapter.warnings?.(query) ?? [];
  if (condensed.condensed) {
    warnings.push(
      warned`The query was condensed to ${provider.title}'s limit of ${adapter.queryCharsMax} characters: "${said(condensed.text)}".`,
    );
  }

  let request: HttpRequest | undefined = adapter.request(query, settings, candidate.key);
  let whole: SearchPage | undefined;
  let missing: OwnText | undefined;
  let credits: number | undefined;
  for (let page = 0; page < LIMITS.pagesMax && request !== undefined; page += 1) {
    const found: number = whole?.sources.length ?? 0;
    const asked: HttpRequest = request;
    const read = (): Promise<SearchPage> => readPage(candidate, asked, query, found, ctx);
    // What was found stays found: a later page that fails costs only itself, and says so.
    const parsed: SearchPage | HeadgateError =
      whole === undefined
        ? await read().catch((thrown: unknown) => searchFrozen(thrown, provider.id, query, ctx))
        : await readAgain(read, candidate, ctx);
    const isMissing: boolean = page > 0 && (parsed instanceof HeadgateError || parsed.outcome === 'degraded');
    if (isMissing) {
      const reason =
        parsed instanceof HeadgateError ? parsed.message : (parsed.reason ?? 'it could not be read.');
      missing = warned`Page ${page + 1} of ${provider.title} failed: ${reason}`;
    }
    // Every page that was answered is paid for, also one that is of no use.
    if (!(parsed instanceof HeadgateError) && parsed.credits !== undefined)
      credits = (credits ?? 0) + parsed.credits;
    if (parsed instanceof HeadgateError || isMissing) break;
    if (parsed.restMs !== undefined) services.keyRing.report(candidate, pause(provider, parsed.restMs));
    warnings.push(...(parsed.warnings ?? []));
    const before: number = whole?.sources.length ?? 0;
    whole = whole === undefined ? parsed : joined(whole, parsed);
    // A page that brings nothing new is the end of the road, even if it names another one.
    const goesOn: boolean =
      whole.sources.length < query.resultsMax &&
      (page === 0 || whole.sources.length > before) &&
      parsed.restMs === undefined;
    request = goesOn ? following(request, parsed.next) : undefined;
  }
  if (whole === undefined) throw new HeadgateError('internal', 'A provider was asked for no page at all.');
  const admitted = withoutDenied(whole.sources, ctx.call);
  warnings.push(...admitted.warnings);
  const sources = admitted.sources
    .slice(0, query.resultsMax)
    .map((source) => (adapter.ranksOnly === true ? { ...source, scoreBy: 'rank' as const } : source));
  if (credits !== undefined) whole = { ...whole, credits };
  if (missing === undefined) return { ...whole, sources, warnings };
  const outcome = sources.length === 0 ? 'degraded' : 'partial';
  return { ...whole, outcome, reason: missing, sources, warnings: [...warnings, missing] };
}

/** The cooldown of a provider that answered, and wants to be left alone for a while. */
const pause = ({ id, title }: Provider, retryAfterMs: number): HeadgateError =>
  new HeadgateError('upstream_rate_limit', own`${title} asked for a pause.`, { provider: id, retryAfterMs });

/** Retries a later page like the first one. It belongs to its provider and key, so there is no fallback. */
async function readAgain(
  read: () => Promise<SearchPage>,
  candidate: Candidate,
  { call, services }: Ctx,
): Promise<SearchPage | HeadgateError> {
  const { clock, config, keyRing } = services;
  for (let retries = 0; ; retries += 1) {
    try {
      return await read();
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      if (error.type === 'internal') throw error;
      keyRing.report(candidate, error);
      const waitMs = retryWaitMs(candidate, error, retries, services);
      const isOver = call.signal.aborted || !error.retryable || retries >= config.search.retries;
      if (isOver || clock.now() + waitMs >= call.deadline || candidate.turn?.takeRetry(candidate.id) !== true)
        return error;
      // What was found is still delivered, and paid for, when the caller goes away meanwhile.
      const isWoken = await clock.sleep(waitMs, call.signal).then(
        () => true,
        () => false,
      );
      if (!isWoken) return error;
    }
  }
}

async function readPage(
  candidate: Candidate,
  request: HttpRequest,
  query: SearchQuery,
  found: number,
  ctx: Ctx,
): Promise<SearchPage> {
  const { provider, settings } = candidate.ready;
  const adapter = provider.search;
  if (adapter === undefined)
    throw new HeadgateError('invalid_request', own`${named(provider.title)} cannot search.`);
  const options = { reads: adapter.acceptStatus };
  const first = await sendTo(candidate, request, ctx, options);
  const second = adapter.follow?.(first, request);
  const response = second === undefined ? first : await sendTo(candidate, second, ctx, options);
  const page = adapter.parse(response, query, settings, found, request);
  return response.replayed === undefined ? page : { ...page, replayed: response.replayed };
}

/**
 * The next page is requested with the headers of the previous request, because a page does not know the key.
 */
const following = (before: HttpRequest, next: HttpRequest | undefined): HttpRequest | undefined =>
  next === undefined ? undefined : { ...next, headers: { ...before.headers, ...next.headers } };

/** Error statuses that the adapter parses, and the time limit. */
interface SendOptions {
  reads?: readonly number[] | undefined;
  timeoutMs?: number;
}

/**
 * Sends one request to a provider: paced, through its breaker, with the provider's own reading of error
 * statuses.
 */
export async function sendTo(
  candidate: Candidate,
  request: HttpRequest,
  { call, services }: Ctx,
  options: SendOptions = {},
): Promise<HttpResponse> {
  const { reads = [], timeoutMs: longest = LIMITS.providerTimeoutMs } = options;
  const { provider, paceMs } = candidate.ready;
  const { paid } = call;
  if (paceMs > 0) await waitForTurn(candidate, { call, services });
  call.signal.throwIfAborted();
  await keepLimits(candidate, services);
  // Who is paid for is heard as long as anybody may take; the caller's own deadline ends only the caller's wait.
  const leftMs = paid === undefined ? call.deadline - services.clock.now() : longest;
  const timeoutMs = Math.max(1, Math.min(longest, leftMs));
  const send = async (): Promise<HttpResponse> => {
    const written = await services.pace.begin(laneOf(candidate), paceMs, call.signal);
    if (paid !== undefined) paid.isSent = true;
    const signal = paid?.signal ?? call.signal;
    const sending = { signal, provider: provider.id, timeoutMs, onWritten: written };
    const response = await services.upstream.send(request, sending).finally(written);
    const isGood = response.status >= 200 && response.status <= 299;
    if (!isGood && !reads.includes(response.status)) throw provider.fail(response, services.clock.now());
    return response;
  };
  return services.breaker.run(laneOf(candidate), send, candidate.turn);
}

/** Waits for the key's turn. The provider may have refused the key meanwhile, here or at another gateway. */
async function waitForTurn(candidate: Candidate, { call, services }: Ctx): Promise<void> {
  const { clock, keyRing, pace } = services;
  const leftMs = Math.max(0, call.deadline - clock.now());
  await pace.wait(laneOf(candidate), candidate.ready.paceMs, call.signal, leftMs);
  const cooldown = keyRing.cooldownOf(candidate);
  if (cooldown !== undefined) throw cooldownError(cooldown, clock.now());
}

/** Refuses a request beyond a limit that the provider publishes, before it is sent. */
async function keepLimits(candidate: Candidate, { pace }: Ctx['services']): Promise<void> {
  const { provider } = candidate.ready;
  const { key } = candidate;
  if (provider.limits === undefined) return;
  const windows = provider.limits
    .map(({ requests, perMs, withKey }) => ({
      perMs,
      requests: key === undefined ? requests : (withKey ?? requests),
    }))
    .filter(({ requests }) => requests < Infinity);
  const waitMs = await pace.admit(laneOf(candidate), windows);
  if (waitMs === undefined) return;
  throw new HeadgateError('upstream_rate_limit', own`${provider.title} was asked as often as it allows.`, {
    provider: provider.id,
    retryAfterMs: waitMs,
    remediation:
      provider.keys === 'optional' && key === undefined && provider.keyVariable !== undefined
        ? own`Wait, or set ${provider.keyVariable}.`
        : own`Wait.`,
  });
}

/**
 * Joins two pages. If the filters removed everything from the first page, a later page with results replaces
 * its outcome.
 */
function joined(whole: SearchPage, more: SearchPage): SearchPage {
  const known = new Set(whole.sources.map((source) => canonicalUrl(source.url)));
  const fresh = more.sources.filter((source) => !known.has(canonicalUrl(source.url)));
  const { reason: _, ...mended } = whole;
  return fresh.length > 0 && whole.outcome === 'degraded'
    ? { ...mended, outcome: 'ok', sources: [...whole.sources, ...fresh] }
    : { ...whole, sources: [...whole.sources, ...fresh] };
}
