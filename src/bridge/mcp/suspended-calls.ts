import type { Confirmation, SamplingAnswer, SamplingRequest } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { newNonce } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import type { CallResult } from '../tool.ts';

/**
 * Calls that wait for the client. Since 2026-07-28 a server cannot ask a client during a call: it answers the
 * call with its question, and the client calls again with the reply. The tool stays suspended in between.
 */
export interface SuspendedCalls {
  /** Runs a tool until it ends or asks its first question. */
  begin(run: (call: SuspendedCall) => Promise<CallResult>, signal: AbortSignal): Promise<Round>;
  /** Resumes with replies; undefined when no call waits under this name. `failed` replies are refusals. */
  resume(name: string, replies: Map<string, Reply>, signal: AbortSignal): Promise<Round> | undefined;
  readonly size: number;
}

/** What a suspended tool can do. */
export interface SuspendedCall {
  signal: AbortSignal;
  ask(request: SamplingRequest, signal?: AbortSignal): Promise<SamplingAnswer>;
  confirm(question: string): Promise<Confirmation>;
}

/** A question to the client's model, or to the person there. */
export type ClientQuestion = SamplingRequest | { confirm: string };
type ClientAnswer = SamplingAnswer | { confirmation: Confirmation };

export type Reply = { answer: ClientAnswer } | { failed: HeadgateError };
export type Round = { result: CallResult } | { name: string; questions: Map<string, ClientQuestion> };

interface Question {
  request: ClientQuestion;
  settle(reply: Reply): void;
}

interface Suspended {
  questions: Map<string, Question>;
  round(signal: AbortSignal): Promise<Round>;
  abandon(): void;
}

export function createSuspendedCalls(): SuspendedCalls {
  const waiting = new Map<string, { call: Suspended; timer: NodeJS.Timeout }>();
  const next = async (call: Suspended, signal: AbortSignal): Promise<Round> => {
    const round = await call.round(signal);
    if ('result' in round) return round;
    // A client that never comes back must not block others.
    const timer = setTimeout(() => {
      waiting.delete(round.name);
      call.abandon();
    }, LIMITS.suspendedCallMs);
    waiting.set(round.name, { call, timer: timer.unref() });
    return round;
  };
  return {
    begin: async (run, signal) => {
      if (waiting.size >= LIMITS.toolCallsMax) throw tooMany();
      return next(start(run), signal);
    },
    resume: (name, replies, signal) => {
      const found = waiting.get(name);
      if (found === undefined) return undefined;
      // A name is valid for one reply.
      waiting.delete(name);
      clearTimeout(found.timer);
      for (const [id, question] of found.call.questions)
        question.settle(replies.get(id) ?? { failed: refused('it sent no reply') });
      return next(found.call, signal);
    },
    get size() {
      return waiting.size;
    },
  };
}

function start(run: (call: SuspendedCall) => Promise<CallResult>): Suspended {
  const stop = new AbortController();
  const questions = new Map<string, Question>();
  const bell = createBell();
  let count = 0;
  const put = (request: ClientQuestion, signal?: AbortSignal): Promise<ClientAnswer> =>
    new Promise((resolve, reject) => {
      const id = `model-${(count += 1)}`;
      const settle = (reply: Reply): void => {
        questions.delete(id);
        clearTimeout(timer);
        if ('answer' in reply) resolve(reply.answer);
        else reject(reply.failed);
      };
      const late = (): void => settle({ failed: refused('it did not reply in time') });
      const timer = setTimeout(late, LIMITS.samplingTimeoutMs);
      signal?.addEventListener('abort', late, { once: true });
      questions.set(id, { request, settle });
      bell.ring();
    });
  const ask: SuspendedCall['ask'] = async (request, signal) => {
    const answer = await put(request, signal);
    if ('text' in answer) return answer;
    throw refused('it sent something else');
  };
  const confirm: SuspendedCall['confirm'] = async (question) => {
    const answer = await put({ confirm: question }).catch(() => ({ confirmation: 'none' as const }));
    return 'confirmation' in answer ? answer.confirmation : 'none';
  };
  const ended = run({ signal: stop.signal, ask, confirm }).then((result): Round => ({ result }));
  // The next round reports a failure; until then nobody may be listening.
  ended.catch(() => undefined);
  const asked = async (): Promise<Round> => {
    while (questions.size === 0) await bell.rung();
    return {
      name: newNonce(),
      questions: new Map([...questions].map(([id, { request }]) => [id, request])),
    };
  };
  const round = async (signal: AbortSignal): Promise<Round> => {
    const cancel = (): void => stop.abort(signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await Promise.race([ended, asked()]);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
  return { questions, round, abandon: () => stop.abort() };
}

/** Wakes everyone who waits. */
function createBell(): { ring(): void; rung(): Promise<void> } {
  let waiting: (() => void)[] = [];
  return {
    ring: () => {
      for (const wake of waiting.splice(0)) wake();
    },
    rung: () =>
      new Promise((resolve) => {
        waiting = [...waiting, resolve];
      }),
  };
}

/** The failure when the client was asked and gave no answer of its model. */
export const refused = (why: string): HeadgateError =>
  new HeadgateError('upstream_unavailable', own`The client did not ask its model: ${named(why)}.`);

const tooMany = (): HeadgateError =>
  new HeadgateError('rate_limited', `${LIMITS.toolCallsMax} calls wait for a reply of the client.`);
