import type { Ctx } from '../../routing/services.ts';
import { warned } from '../../core/own-text.ts';
import type { SearchInput } from '../../contract/search.ts';
import { answerContract, type AnswerInput, type AnswerOutput } from '../../contract/answer.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Attempt, Match } from '../../core/outcome.ts';
import { duckduckgo } from '../../providers/duckduckgo/duckduckgo.ts';
import { instantAnswer, type InstantAnswer } from '../../providers/duckduckgo/instant-answer.ts';
import { createCover } from '../../rank/cover.ts';
import { sendTo } from '../../routing/ask.ts';
import { defineOperation } from '../operation.ts';
import { planSearch, search } from './search.ts';
import { clip } from '../../core/text.ts';
import { withCache } from '../../routing/cached.ts';
import { route } from '../../routing/route.ts';
import type { Services } from '../services.ts';

/** Looks up one thing in DuckDuckGo's Instant Answers, or answers from pages that are searched and read. */
export const answer = defineOperation({
  contract: answerContract,
  scope: 'search',
  webTools: ['search'],
  run: runAnswer,
  plan: (input, ctx) => planSearch(searchFor(input), ctx),
});

interface Found {
  found: InstantAnswer | undefined;
  attempts: Attempt[];
}

async function runAnswer(input: AnswerInput, ctx: Ctx<Services>): Promise<AnswerOutput> {
  const { call, services } = ctx;
  const started = services.clock.now();
  const timed = (output: Untimed): AnswerOutput => ({
    ...output,
    query: input.query,
    response_time: (services.clock.now() - started) / 1_000,
    request_id: call.requestId,
  });
  if (!input.web) return timed(await instant(input, ctx));
  const looked = await attempt(instant(input, ctx), call);
  if (looked.match === 'answered') return timed(looked);
  const searched = await attempt(fromPages(input, ctx), call);
  // An entry that matches in part is better than pages without an answer.
  const best = searched.answer === undefined && looked.outcome === 'ok' ? looked : searched;
  if (best.error !== undefined) throw best.error;
  return timed({ ...best, attempts: [...looked.attempts, ...searched.attempts] });
}

type Untimed = Omit<AnswerOutput, 'query' | 'response_time' | 'request_id'> & { error?: HeadgateError };

/** A failure as an answer without content, so that another source can be asked. */
async function attempt(asked: Promise<Untimed>, { signal }: Ctx<Services>['call']): Promise<Untimed> {
  try {
    return await asked;
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    if (signal.aborted || error.type === 'internal') throw thrown;
    const attempts = (error.data['attempts'] as Attempt[] | undefined) ?? [];
    return { ...NOTHING, attempts, error };
  }
}

const NOTHING = {
  heading: '',
  facts: [],
  related: [],
  results: [],
  cached: false,
  outcome: 'empty',
  attempts: [],
  warnings: [],
} satisfies Untimed;

const searchFor = ({ query, max_age, no_store }: AnswerInput): SearchInput => ({
  query,
  max_age,
  no_store,
  max_results: RESULTS_MAX,
  search_depth: 'advanced',
  include_answer: 'advanced',
});
const RESULTS_MAX = 5;
const TEXT_CHARS_MAX = 300;

/** Searches, reads the pages, and quotes or words an answer from them. */
async function fromPages(input: AnswerInput, ctx: Ctx<Services>): Promise<Untimed> {
  const { answer: text, answer_by: by, match, results, ...found } = await search.run(searchFor(input), ctx);
  return {
    ...NOTHING,
    ...(text === null ? {} : { answer: text }),
    ...(by === undefined ? {} : { answer_by: by }),
    ...(match === undefined ? {} : { match }),
    results: results.map(({ title, content, url }) => ({ title, text: clip(content, TEXT_CHARS_MAX), url })),
    cached: found.cached,
    outcome: found.outcome,
    attempts: found.attempts,
    warnings: found.warnings,
  };
}

async function instant(input: AnswerInput, ctx: Ctx<Services>): Promise<Untimed> {
  const { query } = input;
  const { value, cached } = await withCache(
    ['answer', query],
    () => true,
    ctx,
    (shared) => lookUp(query, { call: shared, services: ctx.services }),
    input,
  );
  const { found } = value;
  const match = found === undefined ? undefined : matchOf(query, found);
  return {
    ...NOTHING,
    heading: found?.heading ?? '',
    ...(found?.abstract === undefined ? {} : { abstract: found.abstract }),
    ...(found?.answer === undefined ? {} : { answer: found.answer }),
    ...(found?.definition === undefined ? {} : { definition: found.definition }),
    ...(match === undefined ? {} : { match }),
    facts: found?.facts ?? [],
    related: found?.related ?? [],
    results: found?.results ?? [],
    ...(found?.redirect === undefined ? {} : { redirect: found.redirect }),
    cached,
    outcome: found === undefined ? 'empty' : 'ok',
    attempts: cached ? [] : value.attempts,
    warnings: match === 'weak' ? [WEAK_MATCH] : [],
  };
}

const WEAK_MATCH = warned`The entry matches the query only in part; it may be about something else.`;

/** A computed result shares no words with the query; an encyclopedia entry does. */
function matchOf(query: string, found: InstantAnswer): Match {
  if (found.answer !== undefined) return 'answered';
  const { heading, abstract, definition, facts, related, results } = found;
  const cover = createCover(query);
  const texts = [
    `${heading}\n${abstract?.text ?? ''}\n${definition?.text ?? ''}`,
    ...facts.map(({ label, value }) => `${heading}\n${label}\n${value}`),
    ...[...related, ...results].map(({ title, text }) => `${heading}\n${title}\n${text}`),
  ];
  const match = cover.matchOf(Math.max(...texts.map((text) => cover.of(text))));
  // DuckDuckGo knows aliases that the entry need not mention.
  return match === 'none' ? 'weak' : match;
}

async function lookUp(text: string, ctx: Ctx<Services>): Promise<Found> {
  const { services } = ctx;
  const ready = services.providers.find((one) => one.provider === duckduckgo);
  if (ready === undefined) {
    throw new HeadgateError(
      'not_configured',
      'Instant answers come from DuckDuckGo, which is switched off.',
      {
        remediation: 'Set [providers.duckduckgo] enabled = true.',
      },
    );
  }
  const routed = await route(
    [ready],
    async (candidate) => {
      const response = await sendTo(candidate, instantAnswer.request(text, ready.settings), ctx);
      const found = instantAnswer.parse(response);
      return { outcome: found === undefined ? ('empty' as const) : ('ok' as const), found };
    },
    ctx,
  );
  return { found: routed.answer.found, attempts: routed.attempts };
}
