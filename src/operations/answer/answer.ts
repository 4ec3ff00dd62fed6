import { warned } from '../../core/own-text.ts';
import { answerContract, type AnswerInput, type AnswerOutput } from '../../contract/answer.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Attempt, Match } from '../../core/outcome.ts';
import { duckduckgo } from '../../providers/duckduckgo.ts';
import { instantAnswer, type InstantAnswer } from '../../providers/instant-answer.ts';
import { createCover } from '../../rank/cover.ts';
import { sendTo } from '../asking/ask.ts';
import { defineOperation } from '../operation.ts';
import { remember } from '../asking/remember.ts';
import { route } from '../asking/route.ts';
import type { Services } from '../services.ts';

/** Look one thing up in DuckDuckGo's Instant Answers. */
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

async function runAnswer(input: AnswerInput, call: Call, services: Services): Promise<AnswerOutput> {
  const started = services.clock.now();
  const { value, cached } = await remember(
    ['answer', input.query],
    () => true,
    call,
    services,
    (shared) => lookUp(input.query, shared, services),
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

/** A result that was computed shares no word with what was asked; an entry of an encyclopedia does. */
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
  // DuckDuckGo knows other names of a thing, which the entry need not mention.
  return match === 'none' ? 'weak' : match;
}

async function lookUp(text: string, call: Call, services: Services): Promise<Found> {
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
      const response = await sendTo(candidate, instantAnswer.request(text, ready.settings), call, services);
      const found = instantAnswer.parse(response);
      return { outcome: found === undefined ? ('empty' as const) : ('ok' as const), found };
    },
    call,
    services,
  );
  return { found: routed.answer.found, attempts: routed.attempts };
}
