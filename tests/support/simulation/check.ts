import { HeadgateError } from '../../../src/core/errors.ts';
import { LIMITS } from '../../../src/core/limits.ts';
import type { HoldRow, LedgerRow } from '../../../src/store/ledger/types.ts';
import type { Moment } from './belief.ts';
import { checkBooks, DAY_MS, type GateParts } from './check-books.ts';
import { rowsOf } from './disk.ts';
import { type CallStep, OVERAGE_MAX } from './history.ts';
import { type Request, requestsIn } from './network.ts';

/** The provider with a price. */
export const PRICED = 'tavily';

/** One call and what is known about it from outside. */
export interface CallRecord {
  number: number;
  step: CallStep;
  subscription: string;
  /** Who calls, as it is booked. */
  caller: { workspace?: string; key?: string; agent?: string };
  /** The process that it was made to. */
  gateway: number;
  /** When it was made, in time that has really passed. */
  started: number;
  /** Its caller went away or waited long enough. */
  hasLeft: boolean;
  /** What its caller was told. */
  told?: { output: unknown } | { error: HeadgateError };
}

/** What a history must never show. */
export interface Gate {
  violations: string[];
  calls: CallRecord[];
  requests: Request[];
  /** Which call a hold was taken by. */
  heldBy: Map<string, number>;
  delivered(call: CallRecord, output: unknown): void;
  failed(call: CallRecord, error: HeadgateError): void;
  /** The next request of a call leaves, and must be on the disk. */
  sent(call: CallRecord, provider: string, timeoutMs: number): Request;
  /** The gateway ended a request before its provider did. */
  cut(request: Request): void;
  /** After everything has ended. */
  finish(): void;
}

interface Cost {
  credits: number;
  charged: number;
  free: boolean;
  balance_after?: number;
  calls_left?: number | null;
}

export function createGate(parts: GateParts): Gate {
  const { disk, plans, belief } = parts;
  const violations: string[] = [];
  const say = (what: string): void => void violations.push(what);
  const books = checkBooks(parts, say);
  const calls: CallRecord[] = [];
  const requests: Request[] = [];
  const heldBy = new Map<string, number>();
  const linked = new Set<string>();
  const given = new Map<string, CallRecord>();
  const holdsOf = (call: CallRecord): HoldRow[] =>
    [...heldBy].flatMap(([id, by]) => (by === call.number ? (disk.holds().get(id) ?? []) : []));
  const settledOf = (call: CallRecord): HoldRow[] => holdsOf(call).filter((hold) => hold.state === 'settled');
  /** Whether somebody still waits for the answer of a call: whoever made it, or somebody who asked the same. */
  const isAwaited = (call: CallRecord): boolean =>
    calls.some((one) => !one.hasLeft && one.told === undefined && isSameRequest(one, call));

  /** What a caller was told that it cost, against the books. */
  const checkCost = (call: CallRecord, cost: Cost | undefined): void => {
    const own = settledOf(call);
    const told = cost ?? { credits: 0, charged: 0, free: true };
    // Of several that are asked at once, some answer when the caller has its answer already.
    const isRace = call.step.chain === 'fastest' || call.step.chain === 'merge';
    for (const field of ['credits', 'charged'] as const) {
      const booked = own.reduce((sum, hold) => sum + (hold[field] ?? 0), 0);
      if (isRace ? told[field] > booked : told[field] !== booked)
        say(`call ${call.number} was told that it cost ${told[field]} (${field}), it is booked as ${booked}`);
    }
    if (!isRace && told.free !== own.every((hold) => hold.free === 1))
      say(`call ${call.number} was told that it is ${told.free ? 'free' : 'not free'}`);
    if (cost?.balance_after === undefined) return;
    const rows = [...rowsOf<LedgerRow>(disk.tables, 'ledger').values()].filter(
      (row) => row.subscription === call.subscription,
    );
    const from = isRace ? -1 : rows.findIndex((row) => own.some((hold) => hold.id === row.reference));
    const balances = new Set(rows.slice(Math.max(0, from)).map((row) => row.balance));
    if (!balances.has(cost.balance_after) && (from !== -1 || cost.balance_after !== 0))
      say(`call ${call.number} was told a balance of ${cost.balance_after}, which never was`);
    const callsFree = plans.get(call.subscription)?.tier.callsFree ?? null;
    const { calls_left: left = null } = cost;
    if ((left === null) !== (callsFree === null) || (left ?? 0) > (callsFree ?? 0) || (left ?? 0) < 0)
      say(`call ${call.number} was told that ${left} calls are left of ${callsFree}`);
  };

  return {
    violations,
    calls,
    requests,
    heldBy,
    sent: (call, provider, timeoutMs) => {
      const id = requests.length;
      const held = [...heldBy].flatMap(([hold, by]) =>
        by === call.number && !linked.has(hold) ? [hold] : [],
      );
      const own = held.find((one) => disk.holds().get(one)?.provider === provider);
      // Whoever costs nothing may be asked for several pages at once.
      const before = requests.findLast((one) => one.call === call.number && one.provider === provider);
      const hold = own ?? (provider === PRICED ? undefined : before?.hold);
      const row = hold === undefined ? undefined : disk.holds().get(hold);
      if (isBooked(call, provider) && (row === undefined || row.asked === null || row.state !== 'open'))
        say(`call ${call.number} asked ${provider} before that was on the disk`);
      if (isBooked(call, provider) && provider === PRICED && timeoutMs < LIMITS.providerTimeoutMs)
        say(`call ${call.number} hears ${provider} for only ${timeoutMs} ms`);
      if (call.hasLeft && call.step.key === null && !isAwaited(call))
        say(`call ${call.number} asked ${provider} when its caller had left`);
      const times = requests.filter((one) => one.call === call.number && one.provider === provider).length;
      if (times >= parts.triesMax(provider))
        say(`call ${call.number} asks ${provider} more than ${times} times`);
      if (hold !== undefined) linked.add(hold);
      const request: Request = { id, call: call.number, provider, hold, heard: 'lost', reported: null };
      requests.push(request);
      return request;
    },
    cut: ({ id, call, provider, hold }) => {
      const { gateway = 0 } = calls[call] ?? {};
      if (hold !== undefined && provider === PRICED && !parts.hasExcuse(gateway))
        say(`request ${id} of call ${call} was ended before ${provider} answered`);
    },
    delivered: (call, output) => {
      call.told = { output };
      checkAnswer(call, output);
      const { cost, credits } = output as { cost?: Cost; credits?: number };
      const isPerson = plans.get(call.subscription)?.isLocal === true;
      if (!isPerson && credits !== cost?.credits)
        say(`call ${call.number} was told of ${credits} credits, and that it cost ${cost?.credits}`);
      if (cost === undefined) say(`call ${call.number} was not told what it cost`);
      checkCost(call, cost);
    },
    failed: (call, error) => {
      call.told = { error };
      checkFailure(call, error);
      if (isTold(call, error)) checkCost(call, error.data['cost'] as Cost | undefined);
    },
    finish: () => {
      books.checkAll();
      for (const request of requests) {
        const problem = endOf(request);
        if (problem !== undefined) say(problem);
      }
      for (const hold of disk.holds().values()) checkEnded(hold);
      checkKeys();
      for (const call of calls) {
        if (call.told === undefined) continue;
        // What was told is still true when everything has been written.
        if ('output' in call.told) checkCost(call, (call.told.output as { cost?: Cost }).cost);
        else if (isTold(call, call.told.error))
          checkCost(call, call.told.error.data['cost'] as Cost | undefined);
      }
    },
  };

  /** Whether a request is paid for or counted: a person's own limit counts every call, everybody else's what has a price. */
  function isBooked({ subscription }: CallRecord, provider: string): boolean {
    const plan = plans.get(subscription);
    if (plan?.isLocal !== true) return provider === PRICED;
    return plan.tier.callsFree !== null || plan.tier.creditsMax !== null;
  }

  /** An answer is paid for, and is that of this caller's own question. */
  function checkAnswer(call: CallRecord, output: unknown): void {
    const { cached = false, request_id: id } = output as { cached?: boolean; request_id: string };
    for (const number of requestsIn(output)) {
      const request = requests[number];
      const asked = calls[request?.call ?? -1];
      if (asked !== undefined && !isSameRequest(asked, call))
        say(`call ${call.number} was given the answer to call ${asked.number}`);
      if (request?.hold === undefined) continue;
      const state = disk.holds().get(request.hold)?.state;
      if (state !== 'settled') say(`call ${call.number} was given an answer that is ${state}, not paid for`);
      if (call.step.key !== null && !cached && asked !== undefined && nameOf(asked) !== nameOf(call))
        say(`call ${call.number} was given what call ${asked.number} got under another key`);
    }
    const before = given.get(id);
    if (before !== undefined && (nameOf(before) === undefined || nameOf(before) !== nameOf(call)))
      say(`call ${call.number} was given what call ${before.number} got`);
    given.set(id, before ?? call);
  }

  /** A failure has a reason in what happened. */
  function checkFailure(call: CallRecord, { type, code, cause }: HeadgateError): void {
    const { number, step, gateway } = call;
    const isExcused = parts.hasExcuse(gateway);
    if (type === 'internal') say(`call ${number} failed inside: ${String(cause)}`);
    if (code === 'storage_unavailable' && !isExcused && !parts.hasClockSteps)
      say(`call ${number} is told that the store is gone`);
    if (code === 'cancelled' && !call.hasLeft && !isExcused)
      say(`call ${number} is told that its caller went away`);
    // Whoever joins another call has its time and its budget.
    const isBound = calls.some(
      (one) =>
        isSameRequest(one, call) &&
        (one.step.creditsMax !== null || (one !== call && one.step.timeoutMs < 60_000)),
    );
    if (FAULTS.has(code) && !parts.hasProviderFaults && !isExcused && !isBound)
      say(`call ${number} failed as ${code}`);
    const others = calls.filter((one) => one !== call && step.key !== null && nameOf(one) === nameOf(call));
    if (code === 'idempotency_mismatch' && others.every((one) => isSameInput(one, call)))
      say(`call ${number} is told that its key was used for something else`);
    const isOpen = (one: CallRecord): boolean =>
      one.told === undefined || ('error' in one.told && UNTOLD.has(one.told.error.code));
    if (code === 'in_progress' && !isExcused && !others.some((one) => isOpen(one) || hasTail(one)))
      say(`call ${number} is told that another one runs under its key`);
  }

  /** Whether something that a call asked may still be heard: of several that are asked at once, or when its time was over. */
  function hasTail(call: CallRecord): boolean {
    return holdsOf(call).some((hold) => hold.state === 'open') || parts.hasExcuse(call.gateway);
  }

  /** Whether a failure says what was booked. Under a key that is so only if nothing is heard any more. */
  function isTold(call: CallRecord, { code, data }: HeadgateError): boolean {
    return !UNTOLD.has(code) && (call.step.key === null || data['cost'] !== undefined);
  }

  /** A hold when everything has ended. */
  function checkEnded(hold: HoldRow): void {
    const { id, state, estimate } = hold;
    if (state === 'open') say(`${id} is still open`);
    const call = calls[heldBy.get(id) ?? -1];
    if (call !== undefined) {
      const { workspace = null, key = null, agent = null } = call.caller;
      const { creditsMax, depth } = call.step;
      if (hold.workspace !== workspace || hold.key !== key || hold.agent !== agent)
        say(`${id} is booked for somebody else than who called`);
      if (hold.subscription !== call.subscription) say(`${id} is booked for another account`);
      if (hold.provider !== PRICED) return;
      if (estimate !== (depth === 'advanced' ? 2 : 1)) say(`${id} reserves ${estimate} credits`);
      if (creditsMax !== null && estimate > creditsMax)
        say(`${id} reserves ${estimate} credits of ${creditsMax} that the call may cost`);
    }
    if (linked.has(id)) return;
    if (state === 'settled') say(`${id} was charged and never asked`);
    const gateway = call?.gateway ?? books.writers.get(id) ?? 0;
    if (state === 'doubt' && !parts.hasClockSteps && !parts.mayForget(gateway))
      say(`${id} is in doubt and was never asked`);
  }

  /** How a request that a provider received must end. */
  function endOf({ id, call, provider, hold, heard, reported }: Request): string | undefined {
    if (hold === undefined || provider !== PRICED) return undefined;
    const row = disk.holds().get(hold);
    const state = row?.state;
    const isExcused = parts.hasExcuse(calls[call]?.gateway ?? 0);
    const what = `request ${id} of call ${call} was ${heard} and is ${state}`;
    if (row === undefined) return what;
    switch (heard) {
      case 'answered': {
        const used = isCredits(reported) ? Math.min(reported, OVERAGE_MAX * row.estimate) : row.estimate;
        if (state === 'settled')
          return row.credits === used
            ? undefined
            : `request ${id} used ${String(reported)} credits, charged are ${row.credits}`;
        const isResolved = row.verdict !== null && parts.hasClockSteps;
        return state === 'doubt' && (isExcused || isResolved || isBeaten(call)) ? undefined : what;
      }
      case 'void':
      case 'refused':
      case 'unsent':
        if (state === 'released') return undefined;
        // A clock that is set forward ends the time of what is held.
        return state === 'doubt' && (isExcused || parts.hasClockSteps) ? undefined : what;
      case 'lost':
        return state === 'doubt' ? undefined : what;
    }
  }

  /** Whether another call under the same key was charged. */
  function isBeaten(number: number): boolean {
    const call = calls[number];
    if (call === undefined || call.step.key === null) return false;
    return calls.some(
      (other) =>
        other !== call &&
        nameOf(other) === nameOf(call) &&
        // The key was given to the other only when the time of this one was over.
        (parts.hasClockSteps || other.started >= call.started + LIMITS.holdTtlMs) &&
        settledOf(other).length > 0,
    );
  }

  /** One key is charged once, and everybody who asks under it gets the same answer. */
  function checkKeys(): void {
    if (parts.isSkewed) return;
    const charged = new Map<string, { call: CallRecord; at: Moment }[]>();
    for (const call of calls) {
      const [at] = holdsOf(call)
        .flatMap((hold) => books.settledAt.get(hold.id) ?? [])
        .sort((one, other) => one.passed - other.passed);
      const name = nameOf(call);
      if (name === undefined || at === undefined) continue;
      const before = charged.get(name) ?? [];
      const isNear = (one: { at: Moment }): boolean =>
        (one.at.passed < at.passed ? belief.betweenForAny(one.at, at) : belief.betweenForAny(at, one.at)) <
        DAY_MS;
      const other = before.find(isNear);
      if (other !== undefined)
        say(`one key was charged for call ${other.call.number} and call ${call.number}`);
      charged.set(name, [...before, { call, at }]);
    }
    if (!parts.hasClockSteps) checkReplays();
  }

  /** An answer is kept from the call that got it, whoever is given it later. */
  function checkReplays(): void {
    const answers = new Map<string, { call: CallRecord; text: string; asked: number }>();
    for (const call of calls) {
      const name = nameOf(call);
      if (name === undefined || call.told === undefined || !('output' in call.told)) continue;
      const numbers = requestsIn(call.told.output);
      const text = String(numbers);
      const before = answers.get(name);
      if (before !== undefined && before.text !== text && call.started < before.asked + DAY_MS)
        say(`one key was given two answers, by call ${before.call.number} and call ${call.number}`);
      if (before?.text === text) continue;
      const from = numbers.map((number) => calls[requests[number]?.call ?? -1]?.started ?? call.started);
      // An answer without results does not show whose it is: it may be the oldest one that can be kept.
      if (numbers.length === 0)
        from.push(
          ...calls
            .filter((other) => nameOf(other) === name)
            .map(({ started }) => started)
            .filter((started) => started > call.started - LIMITS.idempotencyTtlMs - LIMITS.holdTtlMs),
        );
      const asked = Math.min(call.started, ...from);
      answers.set(name, { call, text, asked });
    }
  }
}

const isCredits = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** Failures after which nobody can say yet what was booked, or whose caller did not wait to hear it. */
const UNTOLD = new Set(['cancelled', 'deadline_exceeded', 'storage_unavailable', 'in_progress', 'conflict']);

/** What a provider does wrong. */
const FAULTS = new Set([
  'upstream_unavailable',
  'upstream_invalid',
  'upstream_authentication',
  'upstream_rate_limit',
  'upstream_quota',
]);

/** Whose key it is: the same key with another question is refused. */
const nameOf = ({ subscription, step: { key, workspace, who } }: CallRecord): string | undefined =>
  key === null ? undefined : `${subscription} ${workspace} ${who} ${key}`;

/** Whether two calls ask the same for the same workspace, so that one answer may serve both. */
const isSameRequest = (one: CallRecord, other: CallRecord): boolean =>
  one.subscription === other.subscription &&
  one.step.workspace === other.step.workspace &&
  isSameInput(one, other);

const isSameInput = (one: CallRecord, other: CallRecord): boolean =>
  INPUT.every((field) => one.step[field] === other.step[field]) &&
  (one.step.operation === 'extract' || one.step.chain === other.step.chain);

const INPUT = ['question', 'operation', 'depth'] as const;
