import type { CallNote, CallRow, KeptTexts } from '../core/call-row.ts';
import type { Call } from '../core/call.ts';
import type { Clock } from '../core/clock.ts';
import { FAILURES, HeadgateError, type FailureCode } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { redact } from '../core/log.ts';
import { beginningOf, outcomeOf, type Attempt, type LoggedAttempt } from '../core/outcome.ts';
import { outsideScope } from '../core/scope.ts';
import { clip } from '../core/text.ts';
import type { Ctx } from '../routing/services.ts';

/** What an operation, or a tool in its `meta`, reports about itself. */
export interface CallFacts {
  outcome?: string;
  code?: FailureCode;
  attempts?: Attempt[];
  credits?: number;
  cost?: { credits?: number };
  cached?: boolean;
  tokens?: number;
}

/** A call with a name and an input, as the log shows it. */
export interface NamedCall {
  name: string;
  input: unknown;
}

/**
 * Runs a call and logs it. What is charged is logged with the charge (`runUnit`); everything else here, when it
 * is over. A call inside another one is part of that one.
 */
export async function noted<Output, Context extends Ctx>(
  named: NamedCall,
  ctx: Context,
  run: (ctx: Context) => Promise<Output>,
  outputOf: (result: Output) => unknown = (result) => result,
): Promise<Output> {
  const { call, services } = ctx;
  const log = services.meter?.calls;
  // The console's page of a research asks for its state again and again.
  const isPolling = call.surface === 'console' && named.name === 'research_session';
  const isLook = call.isLook === true || isPolling;
  if (log === undefined || isLook || call.note !== undefined || call.unit !== undefined) return run(ctx);
  const note = createNote(named, await log.keeps(call.caller.workspace), {
    call,
    clock: services.clock,
  });
  try {
    const output = await run({ ...ctx, call: { ...call, note } });
    if (!note.isWritten) log.note(note.row(outputOf(output)));
    return output;
  } catch (thrown) {
    if (!note.isWritten) log.note(note.failedRow(thrown));
    throw thrown;
  }
}

/** The row of a call that begins now. */
export function createNote(
  { name, input }: NamedCall,
  kept: KeptTexts,
  { call, clock }: { call: Pick<Call, 'requestId' | 'caller' | 'surface'>; clock: Clock },
): CallNote {
  // The log tells when a call was made, also one that is replayed.
  const time = (): number => outsideScope(() => clock.now());
  const at = time();
  const row = (facts: CallFacts, output: unknown): CallRow => {
    const attempts = (facts.attempts ?? []).slice(0, LIMITS.callAttemptsMax);
    const ms = Math.max(0, time() - at);
    const query = kept.queries ? clip(redact(cleanQuery()), LIMITS.callQueryCharsMax) : null;
    const answer =
      kept.answers && output !== undefined
        ? clip(cleaned(answerOf(output)), LIMITS.callAnswerCharsMax)
        : null;
    return {
      at,
      request: call.requestId,
      surface: call.surface ?? 'sdk',
      operation: name,
      workspace: call.caller.workspace ?? null,
      agent: call.caller.agent ?? null,
      key: call.caller.key ?? null,
      person: call.caller.person ?? null,
      provider: (attempts.findLast(isAnswer) ?? attempts.at(-1))?.provider ?? null,
      outcome: facts.outcome ?? 'ok',
      code: facts.code ?? null,
      attempts: JSON.stringify(attempts.map((attempt) => placed(attempt, at, ms))),
      tries: facts.attempts?.length ?? 0,
      credits: note.isReplay ? 0 : (facts.cost?.credits ?? facts.credits ?? 0),
      charged: 0,
      tokens: facts.tokens ?? note.tokens,
      ms,
      cached: facts.cached === true ? 1 : 0,
      policy: note.decisions.size === 0 ? null : [...note.decisions].join(', '),
      text_bytes: Buffer.byteLength(query ?? '') + Buffer.byteLength(answer ?? ''),
      query,
      answer,
    };
  };
  const cleaned = (text: string): string =>
    [...note.secrets].reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  // A tool may have changed what it was given; then the row keeps nothing of it.
  const cleanQuery = (): string => {
    const query = queryOf(input);
    const clean = cleaned(query);
    return note.secrets.size > 0 && clean === query ? '[secret]' : clean;
  };
  const note: CallNote = {
    decisions: new Set(),
    secrets: new Set(),
    isWritten: false,
    tokens: 0,
    isReplay: false,
    row: (output) => {
      const facts = factsOf(output);
      const failed = facts.code === undefined ? {} : { outcome: outcomeOf(FAILURES[facts.code]) };
      return row({ ...facts, ...failed }, output);
    },
    failedRow: (thrown) => {
      const error = HeadgateError.from(thrown);
      const attempts = (error.data['attempts'] ?? []) as Attempt[];
      return row({ outcome: outcomeOf(error), code: error.code, attempts }, undefined);
    },
  };
  return note;
}

/** An attempt with how long after the call it began. In a replay its time is that of the recording, and is left out. */
function placed(attempt: Attempt, begun: number, ms: number): LoggedAttempt {
  const at = (beginningOf(attempt) ?? -1) - begun;
  return at >= 0 && at <= ms ? { ...attempt, at } : attempt;
}

const isAnswer = ({ outcome }: Attempt): boolean => outcome === 'ok' || outcome === 'empty';

/** The facts of an operation are in its output, those of a tool in the `meta` beside its text. */
function factsOf(output: unknown): CallFacts {
  if (typeof output !== 'object' || output === null) return {};
  const { meta } = output as { meta?: CallFacts };
  return meta ?? output;
}

const TEXT_FIELDS = ['query', 'q', 'question', 'input', 'url', 'urls', 'research_id'];

/** What was asked for: the query or the addresses. */
function queryOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const fields = input as Record<string, unknown>;
  const name = TEXT_FIELDS.find((field) => fields[field] !== undefined);
  const value = name === undefined ? undefined : fields[name];
  if (Array.isArray(value)) return value.slice(0, LIMITS.urlsPerCallMax).join(' ');
  return typeof value === 'string' ? value : '';
}

/** The answer as it was given: the text of a tool, or the output of an operation as JSON. */
function answerOf(output: unknown): string {
  const { text } = output as { text?: unknown };
  return typeof text === 'string' ? text : JSON.stringify(output);
}
