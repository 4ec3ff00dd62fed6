import { appendFileSync } from 'node:fs';
import { FAILURES, HeadgateError, type FailureCode } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { currentScope } from '../core/scope.ts';
import type { Exchanged, ExchangeRequest } from '../net/exchange.ts';
import type { Running, Web } from '../net/web.ts';
import { canonicalKey, exactKey, type KeptRequest } from './request-key.ts';
import { keptRequest, type Recorder } from './recorder.ts';
import { knownSecrets } from './scrub.ts';
import type { Entry, RecordedAnswer, WebSnapshot } from './entry.ts';

export interface Replay extends Web {
  /** How a request would be answered; undefined when nothing like it was recorded. */
  find(request: ExchangeRequest, kind: KeptRequest['kind']): Found | undefined;
  /** Takes back that a request had no answer, by the failure that said so. */
  answered(error: Error): void;
}

type Recorded = [WebSnapshot, Entry];

interface Found {
  answer: RecordedAnswer;
  isExact: boolean;
}

/**
 * Answers from snapshots, and from nothing else. A call that was recorded gets the answers that it got then. Any other gets what was
 * recorded for the same request: the first answer the first time, then the second, and the last one from then on.
 */
export function createReplay(options: {
  snapshots: readonly WebSnapshot[];
  secrets: readonly string[];
  /** A file to which every request without an answer is added. */
  misses?: string | undefined;
}): Replay {
  const { snapshots, misses } = options;
  const secrets = knownSecrets(options.secrets);
  const exact = new Map<string, Recorded[]>();
  const canonical = new Map<string, Recorded[]>();
  for (const snapshot of snapshots)
    for (const entry of snapshot.entries) {
      push(exact, entry.exact, [snapshot, entry]);
      if (entry.call !== undefined) push(exact, `${entry.call} ${entry.exact}`, [snapshot, entry]);
      push(canonical, entry.canonical, [snapshot, entry]);
    }
  const asked = new Map<string, number>();

  const find: Replay['find'] = (request, kind) => {
    const kept = keptRequest(request, kind, secrets);
    const key = exactKey(kept);
    const scope = currentScope();
    const counted = scope?.exchanges ?? asked;
    const nth = counted.get(key) ?? 0;
    counted.set(key, nth + 1);
    const { asOf, id = '', repetition = 0 } = scope ?? {};
    // Who looks back sees the newest capture of all calls.
    if (asOf !== undefined) {
      const same = newest(exact.get(key), asOf);
      return answerOf(same ?? newest(canonical.get(canonicalKey(kept)), asOf), same !== undefined);
    }
    const ofCall = exact.get(`${id} ${key}`);
    const same = ofCall ?? exact.get(key);
    const list = same ?? canonical.get(canonicalKey(kept)) ?? [];
    const at = ofCall === undefined ? nth + repetition : nth;
    return answerOf(list[Math.min(at, list.length - 1)], same !== undefined);
  };
  const note = (line: object): void => {
    if (misses !== undefined) appendFileSync(misses, `${JSON.stringify(line)}\n`);
  };
  const missed = new WeakMap<Error, KeptRequest>();
  const miss = (request: ExchangeRequest, kind: KeptRequest['kind']): never => {
    const kept = keptRequest(request, kind, secrets);
    const error = notRecorded(kind);
    missed.set(error, kept);
    note(kept);
    throw error;
  };
  return {
    find,
    answered: (error) => {
      const kept = missed.get(error);
      if (missed.delete(error)) note({ ...kept, isAnswered: true });
    },
    exchange: (request, kind) => answered(request, () => find(request, kind) ?? miss(request, kind)),
  };
}

/** Answers what was recorded, and records what was not. */
export const createOnce = (replay: Replay, recorder: Recorder): Web => ({
  exchange: (request, kind, send) => {
    const found = replay.find(request, kind);
    return found === undefined ? recorder.exchange(request, kind, send) : answered(request, () => found);
  },
});

function answered(request: ExchangeRequest, find: () => Found): Running {
  let abort = (_reason: Error): void => {};
  const aborted = new Promise<never>((_resolve, reject) => (abort = reject));
  // As over a network, nothing has happened yet when the caller goes on.
  const done = Promise.resolve().then(() => toExchanged(request, find()));
  return { done: Promise.race([done, aborted]), abort };
}

function toExchanged(request: ExchangeRequest, { answer, isExact }: Found): Exchanged {
  if ('failed' in answer) throw failed(answer.failed, request);
  const { status, headers, bytes } = answer;
  if (request.onHead?.(status, headers) === false) return { status, headers, bytes: Buffer.alloc(0) };
  if (bytes.length > request.bytesMax) throw request.tooLarge();
  request.onProgress?.();
  return { status, headers, bytes, ...(isExact ? {} : { replayed: 'canonical' }) };
}

/** The failure of then. A snapshot may come from anybody, so its words are not repeated, only its code where it is one of ours or Node's. */
function failed(code: string, request: ExchangeRequest): Error {
  const large = request.tooLarge();
  if (large instanceof HeadgateError && large.code === code) return large;
  if (code === 'cancelled') return new HeadgateError(code, 'The call was cancelled.');
  if (code === 'deadline_exceeded')
    return HeadgateError.from(new DOMException('Time is up.', 'TimeoutError'));
  return Object.hasOwn(FAILURES, code)
    ? new HeadgateError(code as FailureCode, own`This request failed when it was recorded.`)
    : Object.assign(new Error('This request failed when it was recorded.'), { code });
}

const notRecorded = (kind: KeptRequest['kind']): HeadgateError =>
  new HeadgateError(
    'not_recorded',
    kind === 'page' ? 'The snapshot does not hold this page.' : 'The snapshot does not hold this request.',
    { remediation: 'Record it with `headgate record`, or ask for what was recorded.' },
  );

const answerOf = (recorded: Recorded | undefined, isExact: boolean): Found | undefined =>
  recorded === undefined ? undefined : { answer: recorded[0].answer(recorded[1]), isExact };

/** The newest capture that is not later. */
function newest(list: Recorded[] = [], asOf: number): Recorded | undefined {
  let best: Recorded | undefined;
  for (const one of list) if (one[1].at <= asOf && one[1].at >= (best?.[1].at ?? -Infinity)) best = one;
  return best;
}

function push<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
