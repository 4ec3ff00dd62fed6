import type { Ctx } from '../../routing/services.ts';
import { named, warned } from '../../core/own-text.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Attempt } from '../../core/outcome.ts';
import type { SearchQuery } from '../../core/query.ts';
import { fuse } from '../../rank/fuse.ts';
import { askSearch, type ProviderSearch } from '../../routing/ask.ts';
import { route, summarise, type Routed } from '../../routing/route.ts';
import type { ReadyProvider } from '../../routing/ready-provider.ts';
import type { Found } from '../answer/found.ts';
import type { Services } from '../services.ts';
import { spend } from '../../routing/spend.ts';

type Answer = ProviderSearch;

/** Calls the chain with the chosen strategy. */
export async function askChain(
  chain: ReadyProvider[],
  strategy: 'fallback' | 'fastest' | 'merge',
  query: SearchQuery,
  { call, services }: Ctx<Services>,
  libraryCanAnswer?: () => Promise<boolean>,
): Promise<Found> {
  const ask = (links: ReadyProvider[], inner: Call) =>
    route<Answer>(
      links,
      (candidate) => {
        const estimate = {
          category: 'search',
          credits: candidate.ready.provider.search?.creditsMax?.(query) ?? 1,
        } as const;
        return spend(candidate, estimate, { call: inner, services }, (paid) =>
          askSearch(candidate, query, { call: paid, services }),
        );
      },
      { call: inner, services },
      libraryCanAnswer,
    );
  if (strategy === 'fallback' || chain.length < 2) return toFound(await ask(chain, call));
  if (strategy === 'fastest') return toFound(await fastest(chain, ask, call));
  return merge(chain, ask, query, call);
}

type AskLinks = (links: ReadyProvider[], call: Call) => Promise<Routed<Answer>>;

/** Calls all providers at once; the first good answer cancels the others. */
async function fastest(chain: ReadyProvider[], ask: AskLinks, call: Call): Promise<Routed<Answer>> {
  const race = new AbortController();
  const inner = { ...call, signal: AbortSignal.any([call.signal, race.signal]) };
  try {
    return await Promise.any(chain.map(async (ready) => refuseDegraded(await ask([ready], inner))));
  } catch (thrown) {
    call.signal.throwIfAborted();
    throw allFailed(thrown instanceof AggregateError ? thrown.errors : [thrown]);
  } finally {
    race.abort();
  }
}

/** Calls all providers at once and fuses the results by reciprocal rank; failures are reported. */
async function merge(chain: ReadyProvider[], ask: AskLinks, query: SearchQuery, call: Call): Promise<Found> {
  const settled = await Promise.allSettled(chain.map((ready) => ask([ready], call)));
  call.signal.throwIfAborted();
  const good = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const bad = settled.flatMap((one) => (one.status === 'rejected' ? [HeadgateError.from(one.reason)] : []));
  if (good.length === 0) throw allFailed(bad);
  const sources = fuse(good.map((one) => one.answer.sources)).slice(0, query.resultsMax);
  const isIncomplete = good.some(
    ({ answer: { outcome } }) => outcome === 'degraded' || outcome === 'partial',
  );
  const images = good.flatMap((one) => one.answer.images ?? []);
  return {
    outcome: bad.length > 0 || isIncomplete ? 'partial' : sources.length === 0 ? 'empty' : 'ok',
    sources,
    answer: good.find((one) => one.answer.answer !== undefined)?.answer.answer,
    ...(images.length === 0 ? {} : { images }),
    credits: good.reduce((sum, one) => sum + (one.answer.credits ?? 0), 0),
    warnings: [
      ...good.flatMap((one) => one.answer.warnings),
      ...bad.map(
        (error) => warned`${named(error.provider ?? 'A provider')} did not answer: ${error.message}`,
      ),
    ],
    attempts: [...good.flatMap((one) => one.attempts), ...bad.flatMap(attemptsOf)],
  };
}

function toFound({ answer, attempts }: Routed<Answer>): Found {
  const { next: _next, replayed: _replayed, ...page } = answer;
  return { ...page, attempts };
}

function refuseDegraded(routed: Routed<Answer>): Routed<Answer> {
  if (routed.answer.outcome !== 'degraded') return routed;
  throw new HeadgateError('upstream_unavailable', routed.answer.reason ?? 'degraded', {
    provider: routed.provider,
    data: { attempts: routed.attempts },
  });
}

function allFailed(thrown: unknown[]): HeadgateError {
  const errors = thrown.map((one) => HeadgateError.from(one));
  const [first] = errors;
  if (errors.length === 1 && first !== undefined) return first;
  return summarise(errors, errors.flatMap(attemptsOf));
}

const attemptsOf = (error: HeadgateError): Attempt[] =>
  (error.data['attempts'] as Attempt[] | undefined) ?? [];
