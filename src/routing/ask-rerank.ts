import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import type { Attempt } from '../core/outcome.ts';
import type { RerankQuery } from '../providers/provider.ts';
import { sendTo } from './ask.ts';
import { chooseRerankers } from './chain.ts';
import { route } from './route.ts';
import type { Ctx } from './services.ts';
import { spend } from './spend.ts';
import { withDeadline } from './with-deadline.ts';

/** The share of the remaining time for ranking; the rest is for later steps. */
const DEADLINE_SHARE = 0.5;

/** Scores of passages between 0 and 1, by their place, and who gave them. */
interface Reranked {
  scores: { index: number; score: number }[];
  credits: number;
  attempts: Attempt[];
}

/** Asks the configured rerankers, one after another, within a part of the remaining time. */
export async function askRerank(query: RerankQuery, { call, services }: Ctx): Promise<Reranked> {
  const leftMs = (call.deadline - services.clock.now()) * DEADLINE_SHARE;
  const { answer, attempts } = await withDeadline(
    call,
    Math.min(LIMITS.rerankMs, leftMs),
    services,
    (inner) =>
      route(
        chooseRerankers(services),
        (candidate) =>
          spend(candidate, { category: 'search', credits: 1 }, { call: inner, services }, async (paid) => {
            const { provider, settings } = candidate.ready;
            const adapter = provider.rerank;
            if (adapter === undefined)
              throw new HeadgateError('internal', own`${provider.title} cannot rank.`);
            const request = adapter.request(query, settings, candidate.key);
            const response = await sendTo(candidate, request, { call: paid, services });
            const credits = provider.creditPrice > 0 ? 1 : 0;
            return { outcome: 'ok' as const, scores: adapter.parse(response, query), credits };
          }),
        { call: inner, services },
      ),
  );
  return { scores: bounded(answer.scores), credits: answer.credits, attempts };
}

/** Some models give logits; then all of them are mapped into the range of the others. */
function bounded(scores: Reranked['scores']): Reranked['scores'] {
  const isLogits = scores.some(({ score }) => score < 0 || score > 1);
  return isLogits ? scores.map(({ index, score }) => ({ index, score: 1 / (1 + Math.exp(-score)) })) : scores;
}
