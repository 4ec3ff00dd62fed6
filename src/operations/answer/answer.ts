import type { Ctx } from '../../routing/services.ts';
import { warned } from '../../core/own-text.ts';
import { answerContract, type AnswerInput, type AnswerOutput } from '../../contract/answer.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Attempt, Match } from '../../core/outcome.ts';
import { duckduckgo } from '../../providers/duckduckgo/duckduckgo.ts';
import { instantAnswer, type InstantAnswer } from '../../providers/duckduckgo/instant-answer.ts';
import { createCover } from '../../rank/cover.ts';
import { sendTo } from '../../routing/ask.ts';
import { defineOperation } from '../operation.ts';
import { withCache } from '../../routing/cached.ts';
import { route } from '../../routing/route.ts';
import type { Services } from '../services.ts';

/** Looks up one thing in DuckDuckGo's Instant Answers. */
export const answer = defineOperation({
  contract: answerContract,
  scope: 'search',
  webTools: ['search'],
  run: runAnswer,
});

interface Found {
  found: InstantAnswer | undefined;
  attempts: Attempt[];
}

async function runAnswer(input: AnswerInput, ctx: Ctx<Services>): Promise<AnswerOutput> {
  const { call, services } = ctx;
  const started = services.clock.now();
  const { value, cached } = await withCache(
    ['answer', input.query],
    () => true,
    ctx,
    (shared) => lookUp(input.query, { call: shared, services }),
  );
  const found = value.found;
  const match = found === undefined ? undefined : matchOf(input.query, found);
  return {
    query: input.query,
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
    response_time: (services.clock.now() - started) / 1_000,
    request_id: call.requestId,
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
