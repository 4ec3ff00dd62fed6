import { named, warned } from '../../core/own-text.ts';
import type { OwnText } from '../../core/text.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Attempt, Match, Outcome } from '../../core/outcome.ts';
import type { SearchQuery } from '../../core/query.ts';
import type { SearchPage } from '../../providers/provider.ts';
import { fuse } from '../../rank/fuse.ts';
import { askSearch, type SearchAnswer } from '../asking/ask.ts';
import { route, summarise, type Routed } from '../asking/route.ts';
import type { ReadyProvider } from '../asking/ready-provider.ts';
import type { Services } from '../services.ts';
import { spend } from '../asking/spend.ts';

/** What a search found, with how it was found. */
export interface Found extends Omit<SearchPage, 'outcome' | 'next' | 'warnings'> {
  outcome: Outcome;
  warnings: OwnText[];
  attempts: Attempt[];
  /** Whether the results answer the question; told only where an answer was asked for. */
  match?: Match;
  /** Where the answer is from. */
  answerBy?: 'provider' | 'model' | 'quotes';
  /** The model was asked for an answer and gave none that could be used; such a result is not kept. */
  hasModelFailed?: boolean;
}

type Answer = SearchAnswer;

/** Asks the chain in the way the caller chose. */
export async function askChain(
  chain: ReadyProvider[],
  strategy: 'fallback' | 'fastest' | 'merge',
  query: SearchQuery,
  call: Call,
  services: Services,
  hasOther?: () => Promise<boolean>,
): Promise<Found> {
  const ask = (links: ReadyProvider[], inner: Call) =>
    route<Answer>(
      links,
      (candidate) => {
        const estimate = {
          category: 'search',
          credits: candidate.ready.provider.search?.creditsMax?.(query) ?? 1,
        } as const;
        return spend(candidate, estimate, inner, services, (paid) =>
          askSearch(candidate, query, paid, services),
        );
      },
      inner,
      services,
      hasOther,
    );
  if (strategy === 'fallback' || chain.length < 2) return toFound(await ask(chain, call));
  if (strategy === 'fastest') return toFound(await fastest(chain, ask, call));
  return merge(chain, ask, query, call);
}

type AskLinks = (links: ReadyProvider[], call: Call) => Promise<Routed<Answer>>;

/** Everybody is asked at once; the first good answer cancels the others. */
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

/** Everybody is asked at once and what they found is fused by reciprocal rank; who failed is said, not hidden. */
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
  const { next: _next, ...page } = answer;
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
