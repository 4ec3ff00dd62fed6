import { LIMITS } from '../../../src/core/limits.ts';
import { HOUR_MS, WINDOW_HOURS, WINDOW_MS } from '../../../src/core/window.ts';
import type { Account, Bucket, HoldRow, LedgerAnswer, LedgerRow } from '../../../src/store/ledger/types.ts';
import type { Belief, Moment } from './belief.ts';
import { checkBudgets } from './check-budgets.ts';
import { type Commit, type Disk, rowsOf } from './disk.ts';
import { type AccountPlan, OVERAGE_MAX } from './history.ts';
import type { Time } from './time.ts';

export const DAY_MS = 24 * HOUR_MS;

export interface GateParts {
  time: Time;
  disk: Disk;
  belief: Belief;
  plans: Map<string, AccountPlan>;
  /** Whether a request of this process may have ended in doubt for a reason of ours. */
  hasExcuse(gateway: number): boolean;
  /** Whether this process may have been kept from giving back what it held. */
  mayForget(gateway: number): boolean;
  hasClockSteps: boolean;
  /** How long a call may count, in time that really passes. A process that began after the clock was set back begins to count time when somebody calls. */
  countsForMs(): number;
  /** Whether processes may disagree about the time, because one of them began after the clock was set back. */
  isSkewed: boolean;
  /** Whether any provider ever does anything but answer. */
  hasProviderFaults: boolean;
  priceOf(provider: string): number;
  /** How often one call may ask a provider. */
  triesMax(provider: string): number;
}

/** What is known about the holds on the disk. */
export interface BookChecks {
  checkAll(): void;
  /** Which process wrote a hold. */
  writers: Map<string, number>;
  /** When a hold was first seen to be charged. */
  settledAt: Map<string, Moment>;
}

/** Looks at the books after every transaction. */
export function checkBooks(parts: GateParts, say: (what: string) => void): BookChecks {
  const { time, disk, plans, belief } = parts;
  const heldAt = new Map<string, Moment>();
  const settledAt = new Map<string, Moment>();
  const writers = new Map<string, number>();
  const closed = new Map<string, string>();
  const seen = new Map<string, Account>();
  const accountOf = (id: string) => rowsOf<Account>(disk.tables, 'subscriptions').get(id);
  const budgets = checkBudgets(disk, say);

  disk.onCommit = (commit) => {
    for (const id of new Set(commit.operations.map((operation) => operation.subscription))) {
      const account = accountOf(id);
      if (account === undefined) continue;
      const now = belief.ofAccount(id, commit.asked, account !== seen.get(id));
      seen.set(id, account);
      checkAccount(account, now);
      budgets.check(commit, account);
      for (const [index, operation] of commit.operations.entries())
        if (operation.subscription === id) checkAnswer(commit, index, now, account);
    }
    for (const operation of commit.operations)
      if (operation.kind === 'hold' && !writers.has(operation.id)) writers.set(operation.id, commit.writer);
    budgets.passed();
  };

  /** The books of one account, as they are on the disk now. */
  const checkAccount = (account: Account, now: Moment): void => {
    const { id } = account;
    let total = 0;
    const charges = new Map<string, number>();
    for (const row of rowsOf<LedgerRow>(disk.tables, 'ledger').values()) {
      if (row.subscription !== id) continue;
      total += row.amount;
      if (row.balance !== total) say(`a row of the ledger says ${row.balance} where the sum is ${total}`);
      if (row.kind === 'charge') charges.set(row.reference, row.amount);
    }
    if (total !== account.balance) say(`the ledger sums to ${total}, the balance is ${account.balance}`);
    let reserved = 0;
    const counted = new Map<string, { count: number; credits: number }>();
    for (const hold of disk.holds().values()) {
      if (hold.subscription !== id) continue;
      if (!heldAt.has(hold.id)) heldAt.set(hold.id, now);
      if (hold.state === 'open') reserved += hold.amount;
      checkHold(hold, -(charges.get(hold.id) ?? 0), now);
      charges.delete(hold.id);
      if (hold.counted === 0 || !isCounting(hold)) continue;
      const slot = `${id}\n${hold.hour}\n${hold.category}`;
      const before = counted.get(slot) ?? { count: 0, credits: 0 };
      counted.set(slot, { count: before.count + 1, credits: before.credits + creditsOf(hold) });
    }
    for (const hold of charges.keys()) say(`${hold} was charged and nobody held it`);
    if (reserved !== account.reserved) say(`${account.reserved} is reserved, open holds sum to ${reserved}`);
    for (const [slot, bucket] of rowsOf<Bucket>(disk.tables, 'request_buckets')) {
      if (bucket.subscription !== id) continue;
      const { count, credits } = counted.get(slot) ?? { count: 0, credits: 0 };
      counted.delete(slot);
      // Hours that no longer count may be gone, or hold only what came late.
      if (isPast(bucket.hour, account)) continue;
      if (bucket.count !== count || bucket.credits !== credits)
        say(
          `an hour counts ${bucket.count} calls and ${bucket.credits} credits, held are ${count} and ${credits}`,
        );
    }
    for (const [slot, { count }] of counted)
      if (!isPast(Number(slot.split('\n')[1]), account)) say(`an hour has forgotten ${count} calls`);
  };

  const checkHold = (hold: HoldRow, charge: number, now: Moment): void => {
    const { id, state, credits, charged, estimate, verdict } = hold;
    if (charged !== charge) say(`${id} says that ${charged} was charged, the ledger ${charge}`);
    if (hold.price !== parts.priceOf(hold.provider)) say(`${id} has a price of ${hold.price}`);
    if (hold.amount !== (hold.free === 1 ? 0 : estimate * hold.price)) say(`${id} reserves ${hold.amount}`);
    const before = closed.get(id);
    const verdictNow = `${state} ${verdict} ${credits}`;
    if (before !== undefined && before !== verdictNow)
      say(`${id} was resolved as ${before} and is ${verdictNow}`);
    if (verdict !== null) closed.set(id, verdictNow);
    if (state === 'doubt' && hold.reason === null) say(`${id} is in doubt for no reason`);
    if (state !== 'settled') {
      if (settledAt.has(id)) say(`${id} was charged and is ${state} now`);
      if (charged !== 0) say(`${id} is ${state} and was charged`);
      return;
    }
    if (!settledAt.has(id)) settledAt.set(id, belief.ofProcess(now.passed));
    if ((credits ?? 0) > OVERAGE_MAX * estimate)
      say(`${id} reserved ${estimate} credits and used ${credits}`);
    if (charged !== (hold.free === 1 ? 0 : (credits ?? 0) * hold.price)) say(`${id} was charged ${charged}`);
  };

  const inWindow = (subscription: string, now: Moment, lengthMs: number): HoldRow[] =>
    [...disk.holds().values()].filter((hold) => {
      const from = heldAt.get(hold.id);
      return (
        hold.subscription === subscription &&
        hold.counted === 1 &&
        isCounting(hold) &&
        from !== undefined &&
        belief.between(from, now) < lengthMs
      );
    });

  /** What may still count, by time that has really passed. */
  const counting = (subscription: string, { passed }: Moment): HoldRow[] =>
    [...disk.holds().values()].filter(
      (hold) =>
        hold.subscription === subscription &&
        hold.counted === 1 &&
        isCounting(hold) &&
        passed - (heldAt.get(hold.id)?.passed ?? 0) < parts.countsForMs(),
    );

  /** One answer of the ledger, right after it is on the disk. Others of the same batch may have moved the account on. */
  const checkAnswer = ({ operations, answers }: Commit, index: number, now: Moment, account: Account) => {
    const operation = operations[index];
    const answer = answers[index];
    const plan = plans.get(account.id);
    if (operation === undefined || answer === undefined || plan === undefined) return;
    if (operation.kind === 'hold') {
      if (answer.status === 'held' && !writers.has(operation.id)) checkTime(disk.holds().get(operation.id));
      if (operations.length === 1) {
        if (answer.status === 'held') checkHeld(operation.id, now, account, plan);
        else if (answer.status === 'ended') checkEnded(operation.id);
        else checkRefused(answer, now, account, plan, operation.credits);
      }
    }
    if (operations.length > 1 || answer.status !== 'committed') return;
    if (answer.balance !== account.balance)
      say(`somebody is told a balance of ${answer.balance}, it is ${account.balance}`);
    const { callsFree } = plan.tier;
    if (parts.hasClockSteps || parts.isSkewed || answer.callsLeft === null || callsFree === null) return;
    const left = (lengthMs: number) => Math.max(0, callsFree - inWindow(account.id, now, lengthMs).length);
    if (answer.callsLeft < left(WINDOW_MS) || answer.callsLeft > left(DAY_MS))
      say(`somebody is told that ${answer.callsLeft} calls are left, it is ${left(WINDOW_MS)}`);
  };

  /** What is held lives as long as a provider may take, and no longer than it may be kept. */
  const checkTime = (hold: HoldRow | undefined): void => {
    const livesMs = hold === undefined ? 0 : hold.expires - hold.created;
    if (livesMs < LIMITS.holdTtlMs || livesMs > LIMITS.holdTtlMaxMs)
      say(`something is held for ${livesMs} ms`);
  };

  const checkHeld = (id: string, now: Moment, account: Account, { tier }: AccountPlan): void => {
    const hold = disk.holds().get(id);
    if (hold === undefined) return say('what was held is not on the disk');
    // A booking that is sent again finds what it did before, and what came after it.
    const isFirst = !writers.has(id);
    if (isFirst && hold.amount > 0 && hold.state === 'open' && account.balance < account.reserved)
      say(`${account.reserved} is reserved of a balance of ${account.balance}`);
    if (parts.isSkewed || hold.counted === 0) return;
    const { callsFree, beyond, creditsMax } = tier;
    const day = inWindow(account.id, now, DAY_MS);
    const isOver = callsFree !== null && day.length > callsFree;
    if (isOver && beyond === 'block') say(`${day.length} calls in 24 hours, ${callsFree} are allowed`);
    if (isOver && hold.free === 1 && isFirst) say(`${day.length} calls in 24 hours, ${callsFree} are free`);
    if (isFirst && hold.hour !== Math.floor(account.clock / HOUR_MS))
      say(`${id} is counted in the hour ${hold.hour}, its account is at ${account.clock}`);
    const used = counting(account.id, now).length - 1;
    if (hold.free === 0 && isFirst && (callsFree === null || used < callsFree))
      say(`a call has a price after ${used} of ${callsFree} that are free`);
    const credits = day.reduce((sum, one) => sum + creditsOf(one), 0);
    if (creditsMax !== null && credits > creditsMax && isFirst)
      say(`${credits} credits in 24 hours, ${creditsMax} are allowed`);
  };

  /** Sent again, after somebody had ended it. */
  const checkEnded = (id: string): void => {
    const state = disk.holds().get(id)?.state;
    if (!writers.has(id) || state === 'open') say(`a hold that is ${state ?? 'new'} is refused as ended`);
  };

  const checkRefused = (
    answer: LedgerAnswer,
    now: Moment,
    { id, balance, reserved }: Account,
    { tier: { callsFree, creditsMax } }: AccountPlan,
    wanted: number,
  ): void => {
    // Looked at with the budgets.
    if (answer.status === 'budget') return;
    if (answer.status === 'limit' && answer.resetInMs !== null && answer.resetInMs > WINDOW_MS)
      say(`somebody is refused for ${answer.resetInMs} ms`);
    if (answer.status === 'insufficient' && balance - reserved >= answer.required)
      say(`${answer.required} is refused, ${balance - reserved} is there`);
    const used = counting(id, now);
    const credits = used.reduce((sum, hold) => sum + creditsOf(hold), 0);
    if (answer.status === 'limit' && answer.unit === 'credits') {
      if (creditsMax === null || credits + wanted <= creditsMax)
        say(`refused after ${credits} of ${creditsMax} credits`);
    } else if (used.length < (callsFree ?? Infinity))
      say(`refused as ${answer.status} after ${used.length} of ${callsFree} calls`);
  };

  return {
    writers,
    settledAt,
    checkAll: () => {
      for (const account of rowsOf<Account>(disk.tables, 'subscriptions').values())
        checkAccount(account, belief.ofAccount(account.id, time.passed, false));
    },
  };
}

const isCounting = ({ state }: HoldRow): boolean => state === 'open' || state === 'settled';
const creditsOf = ({ state, estimate, credits }: HoldRow): number =>
  state === 'open' ? estimate : (credits ?? 0);
const isPast = (hour: number, { clock }: Account): boolean => hour <= clock / HOUR_MS - WINDOW_HOURS;
