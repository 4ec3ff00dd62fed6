import { HeadgateError } from '../../../src/core/errors.ts';
import { LIMITS } from '../../../src/core/limits.ts';
import type { Account, Bucket, HoldRow, LedgerRow } from '../../../src/store/ledger/types.ts';
import { HOUR_MS, WINDOW_HOURS, WINDOW_MS } from '../../../src/core/window.ts';
import { type Commit, type Disk, rowsOf } from './disk.ts';
import { type AccountPlan, type CallStep, OVERAGE_MAX } from './history.ts';
import type { Request } from './network.ts';
import { requestsIn } from './network.ts';
import type { Time } from './time.ts';

/** The provider with a price. */
export const PRICED = 'tavily';

const DAY_MS = 24 * HOUR_MS;

/** One call and what is known about it from outside. */
export interface CallRecord {
  number: number;
  step: CallStep;
  subscription: string;
  /** The process that it was made to. */
  gateway: number;
  /** When it was made, in time that has really passed. */
  started: number;
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
  sent(call: CallRecord, provider: string): Request;
  /** After everything has ended. */
  finish(): void;
}

export interface GateParts {
  time: Time;
  disk: Disk;
  plans: Map<string, AccountPlan>;
  /** Whether a request of this process may have ended in doubt for a reason of ours. */
  hasExcuse(gateway: number): boolean;
  /** Whether this process may have been kept from giving back what it held. */
  mayForget(gateway: number): boolean;
  hasClockSteps: boolean;
  /** Whether processes may disagree about the time, because one of them began after the clock was set back. */
  isSkewed: boolean;
}

interface Cost {
  credits: number;
  charged: number;
  free: boolean;
  balance_after?: number;
  calls_left?: number | null;
}

export function createGate(parts: GateParts): Gate {
  const { time, disk, plans } = parts;
  const violations: string[] = [];
  const say = (what: string): void => void violations.push(what);
  const calls: CallRecord[] = [];
  const requests: Request[] = [];
  const heldBy = new Map<string, number>();
  /** When a hold was first seen, in the time that everybody believes has passed. */
  const heldAt = new Map<string, number>();
  const settledAt = new Map<string, number>();
  const holdsOf = (call: CallRecord): HoldRow[] =>
    [...heldBy].flatMap(([id, by]) => (by === call.number ? (disk.holds().get(id) ?? []) : []));
  const linked = new Set<string>();
  const writers = new Map<string, number>();

  disk.onCommit = (commit) => {
    const touched = new Set(commit.operations.map((operation) => operation.subscription));
    for (const id of touched) {
      const account = rowsOf<Account>(disk.tables, 'subscriptions').get(id);
      if (account === undefined) continue;
      checkAccount(account, commit.asked);
    }
    for (const [index, operation] of commit.operations.entries()) {
      if (operation.kind !== 'hold') continue;
      writers.set(operation.id, commit.writer);
      checkHeld(commit, index);
    }
  };

  /** The books of one account, as they are on the disk now. */
  const checkAccount = (account: Account, at: number): void => {
    const { id } = account;
    const rows = [...rowsOf<LedgerRow>(disk.tables, 'ledger').values()].filter(
      (row) => row.subscription === id,
    );
    let total = 0;
    for (const row of rows) {
      total += row.amount;
      if (row.balance !== total) say(`a row of the ledger says ${row.balance} where the sum is ${total}`);
    }
    if (total !== account.balance) say(`the ledger sums to ${total}, the balance is ${account.balance}`);
    let reserved = 0;
    const counted = new Map<string, { count: number; credits: number }>();
    const charges = new Map(
      rows.flatMap((row) => (row.kind === 'charge' ? [[row.reference, row.amount]] : [])),
    );
    for (const hold of disk.holds().values()) {
      if (hold.subscription !== id) continue;
      if (!heldAt.has(hold.id)) heldAt.set(hold.id, at);
      if (hold.state === 'open') reserved += hold.amount;
      checkHold(hold, -(charges.get(hold.id) ?? 0));
      if (hold.counted === 0 || (hold.state !== 'open' && hold.state !== 'settled')) continue;
      const slot = `${id}\n${hold.hour}\n${hold.category}`;
      const before = counted.get(slot) ?? { count: 0, credits: 0 };
      const credits = hold.state === 'open' ? hold.estimate : (hold.credits ?? 0);
      counted.set(slot, { count: before.count + 1, credits: before.credits + credits });
    }
    if (reserved !== account.reserved) say(`${account.reserved} is reserved, open holds sum to ${reserved}`);
    for (const [slot, bucket] of rowsOf<Bucket>(disk.tables, 'request_buckets')) {
      // Hours that no longer count may be gone, or hold only what came late.
      if (bucket.subscription !== id || bucket.hour <= account.clock / HOUR_MS - WINDOW_HOURS) continue;
      const { count, credits } = counted.get(slot) ?? { count: 0, credits: 0 };
      if (bucket.count !== count || bucket.credits !== credits)
        say(
          `an hour counts ${bucket.count} calls and ${bucket.credits} credits, held are ${count} and ${credits}`,
        );
    }
  };

  const checkHold = (hold: HoldRow, charge: number): void => {
    const { id, state, credits, charged, estimate } = hold;
    if (charged !== charge) say(`${id} says that ${charged} was charged, the ledger ${charge}`);
    if (state !== 'settled') {
      if (settledAt.has(id)) say(`${id} was charged and is ${state} now`);
      if (charged !== 0) say(`${id} is ${state} and was charged`);
      return;
    }
    if (!settledAt.has(id)) settledAt.set(id, time.believed);
    if ((credits ?? 0) > OVERAGE_MAX * estimate)
      say(`${id} reserved ${estimate} credits and used ${credits}`);
    if (charged !== (hold.free === 1 ? 0 : (credits ?? 0) * hold.price)) say(`${id} was charged ${charged}`);
  };

  const inWindow = (subscription: string, at: number, lengthMs: number): HoldRow[] =>
    [...disk.holds().values()].filter(
      (hold) =>
        hold.subscription === subscription &&
        hold.counted === 1 &&
        (hold.state === 'open' || hold.state === 'settled') &&
        (heldAt.get(hold.id) ?? 0) > at - lengthMs,
    );

  /** One decision about a hold, right after it is on the disk. */
  const checkHeld = ({ asked, operations, answers }: Commit, index: number): void => {
    const operation = operations[index];
    const answer = answers[index];
    if (operation?.kind !== 'hold' || answer === undefined) return;
    const { subscription } = operation;
    const plan = plans.get(subscription);
    if (plan === undefined) return;
    // Other decisions of the same batch may have moved the account on.
    const isLast = operations.length === 1;
    const { callsFree, beyond, creditsMax } = plan.tier;
    if (answer.status === 'held') {
      const own = parts.isSkewed ? [] : inWindow(subscription, asked, DAY_MS);
      if (beyond === 'block' && callsFree !== null && operation.counted && isLast && own.length > callsFree)
        say(`${own.length} calls in 24 hours, ${callsFree} are allowed`);
      const credits = own.reduce(
        (sum, hold) => sum + (hold.state === 'open' ? hold.estimate : (hold.credits ?? 0)),
        0,
      );
      if (creditsMax !== null && isLast && credits > creditsMax)
        say(`${credits} credits in 24 hours, ${creditsMax} are allowed`);
      const account = rowsOf<Account>(disk.tables, 'subscriptions').get(subscription);
      if (isLast && answer.hold.amount > 0 && account !== undefined && account.balance < account.reserved)
        say(`${account.reserved} is reserved of a balance of ${account.balance}`);
      return;
    }
    if (answer.status === 'limit' && answer.resetInMs !== null && answer.resetInMs > WINDOW_MS)
      say(`somebody is refused for ${answer.resetInMs} ms`);
    if (answer.status === 'limit' && answer.unit === 'calls' && isLast && !parts.hasClockSteps) {
      const used = inWindow(subscription, asked, WINDOW_MS).length;
      if (used < (callsFree ?? 0)) say(`refused after ${used} of ${callsFree} calls`);
    }
  };

  const checkCost = (call: CallRecord, cost: Cost | undefined): void => {
    const own = holdsOf(call).filter((hold) => hold.state === 'settled');
    const charged = own.reduce((sum, hold) => sum + hold.charged, 0);
    const told = cost?.charged ?? 0;
    const isRace = call.step.chain === 'fastest' || call.step.chain === 'merge';
    if (isRace ? told > charged : told !== charged)
      say(`call ${call.number} was told that it cost ${told}, it was charged ${charged}`);
    if (cost?.balance_after === undefined) return;
    const rows = [...rowsOf<LedgerRow>(disk.tables, 'ledger').values()];
    const isKnown = rows.some(
      (row) => row.subscription === call.subscription && row.balance === cost.balance_after,
    );
    if (!isKnown && cost.balance_after !== 0)
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
    sent: (call, provider) => {
      const id = requests.length;
      const held = [...heldBy].flatMap(([hold, by]) =>
        by === call.number && !linked.has(hold) ? [hold] : [],
      );
      const own = held.find((one) => disk.holds().get(one)?.provider === provider);
      // Whoever costs nothing may be asked for several pages at once.
      const before = requests.findLast((one) => one.call === call.number && one.provider === provider);
      const hold = own ?? (provider === PRICED ? undefined : before?.hold);
      const row = hold === undefined ? undefined : disk.holds().get(hold);
      // A person's own limit counts every call; everybody else's only those that have a price.
      const isBooked = provider === PRICED || plans.get(call.subscription)?.isLocal === true;
      if (isBooked && (row === undefined || row.asked === null || row.state !== 'open'))
        say(`call ${call.number} asked ${provider} before that was on the disk`);
      if (hold !== undefined) linked.add(hold);
      const request: Request = { id, call: call.number, provider, hold, heard: 'lost' };
      requests.push(request);
      return request;
    },
    delivered: (call, output) => {
      call.told = { output };
      for (const id of requestsIn(output)) {
        const request = requests[id];
        const asked = calls[request?.call ?? -1];
        if (asked !== undefined && !isSameRequest(asked, call))
          say(`call ${call.number} was given the answer to call ${asked.number}`);
        if (request?.hold === undefined) continue;
        const state = disk.holds().get(request.hold)?.state;
        if (state !== 'settled')
          say(`call ${call.number} was given an answer that is ${state}, not paid for`);
      }
      const { cost } = output as { cost?: Cost };
      if (cost === undefined) say(`call ${call.number} was not told what it cost`);
      checkCost(call, cost);
    },
    failed: (call, error) => {
      call.told = { error };
      if (error.type === 'internal') say(`call ${call.number} failed inside: ${String(error.cause)}`);
      if (!UNTOLD.has(error.code) && call.step.key === null)
        checkCost(call, error.data['cost'] as Cost | undefined);
    },
    finish: () => {
      for (const account of rowsOf<Account>(disk.tables, 'subscriptions').values())
        checkAccount(account, time.believed);
      for (const request of requests) {
        const problem = endOf(request);
        if (problem !== undefined) say(problem);
      }
      for (const hold of disk.holds().values()) {
        if (hold.state === 'open') say(`${hold.id} is still open`);
        if (linked.has(hold.id)) continue;
        if (hold.state === 'settled') say(`${hold.id} was charged and never asked`);
        if (hold.state === 'doubt' && !parts.hasClockSteps && !parts.mayForget(gatewayOf(hold)))
          say(`${hold.id} is in doubt and was never asked`);
      }
      checkKeys();
    },
  };

  /** The process that took a hold; one that nobody heard of was given to nobody. */
  function gatewayOf({ id }: HoldRow): number {
    return calls[heldBy.get(id) ?? -1]?.gateway ?? writers.get(id) ?? 0;
  }

  /** How a request that a provider received must end. */
  function endOf({ id, call, provider, hold, heard }: Request): string | undefined {
    if (hold === undefined || provider !== PRICED) return undefined;
    const state = disk.holds().get(hold)?.state;
    const isExcused = parts.hasExcuse(calls[call]?.gateway ?? 0);
    const what = `request ${id} of call ${call} was ${heard} and is ${state}`;
    if (state === undefined) return what;
    switch (heard) {
      case 'answered':
        if (state === 'settled') return undefined;
        return state === 'doubt' && (isExcused || isBeaten(call)) ? undefined : what;
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
        holdsOf(other).some((hold) => hold.state === 'settled'),
    );
  }

  /** One key is charged once, and everybody who asks under it gets the same answer. */
  function checkKeys(): void {
    const charged = new Map<string, { call: number; at: number }[]>();
    for (const call of calls) {
      const times = holdsOf(call).flatMap((hold) => settledAt.get(hold.id) ?? []);
      const name = nameOf(call);
      if (name === undefined || times.length === 0) continue;
      const before = charged.get(name) ?? [];
      const at = Math.min(...times);
      const other = before.find((one) => Math.abs(one.at - at) < DAY_MS);
      if (other !== undefined) say(`one key was charged for call ${other.call} and call ${call.number}`);
      charged.set(name, [...before, { call: call.number, at }]);
    }
  }
}

/** Failures after which nobody can say yet what was booked, or whose caller did not wait to hear it. */
const UNTOLD = new Set(['cancelled', 'deadline_exceeded', 'storage_unavailable', 'in_progress', 'conflict']);

/** Whose key it is: the same key with another question is refused. */
const nameOf = ({ subscription, step: { key, workspace } }: CallRecord): string | undefined =>
  key === null ? undefined : `${subscription} ${workspace} ${key}`;

/** Whether two calls ask the same for the same workspace, so that one answer may serve both. */
const isSameRequest = (one: CallRecord, other: CallRecord): boolean =>
  one.subscription === other.subscription &&
  SAME.every((field) => one.step[field] === other.step[field]) &&
  (one.step.operation === 'extract' || one.step.chain === other.step.chain);

const SAME = ['workspace', 'question', 'operation', 'depth'] as const;
