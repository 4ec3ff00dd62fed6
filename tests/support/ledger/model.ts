// A second, naive implementation of the ledger's rules for the model test: it keeps every call for ever and counts by looking
// at all of them. It shares no code with the real one.
import type {
  HoldOperation,
  LedgerOperation,
  ReleaseOperation,
  SettleOperation,
} from '../../../src/store/ledger/types.ts';

const HOUR = 3_600_000;

interface Call {
  at: number;
  id: string;
  credits: number;
  price: number;
  free: boolean;
  state: 'open' | 'settled' | 'released' | 'expired';
  charged: number;
  used: number;
  expires: number;
  key: string | undefined;
  /** When it stopped counting; calls that still count have none. */
  goneAt: number | undefined;
  late: boolean;
}

interface Asked {
  fingerprint: string;
  call: string;
  isDone: boolean;
  expires: number;
}

export interface Model {
  /** What the real ledger must answer, as a short text. */
  step(operation: LedgerOperation, wallClock: number): string;
  balance(): number;
  reserved(): number;
  calls: Map<string, Call>;
}

export function createModel(tier: string): Model {
  const calls = new Map<string, Call>();
  const grants = new Map<string, number>();
  const asked = new Map<string, Asked>();
  let clock = 0;

  const counts = (call: Call) => call.state === 'open' || call.state === 'settled';
  const hourOf = (ms: number) => Math.floor(ms / HOUR);
  const inWindow = (call: Call, now: number) => counts(call) && hourOf(now) - hourOf(call.at) < 25;
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  const list = () => [...calls.values()];
  const balance = () => sum([...grants.values()]) - sum(list().map((call) => call.charged));
  const reservedOf = (call: Call) => (call.state === 'open' && !call.free ? call.credits * call.price : 0);
  const reserved = () => sum(list().map(reservedOf));
  const creditsOf = (call: Call) => (call.state === 'open' ? call.credits : call.used);

  const usedAt = (now: number) => list().filter((call) => inWindow(call, now)).length;
  const creditsAt = (now: number) =>
    sum(
      list()
        .filter((call) => inWindow(call, now))
        .map(creditsOf),
    );
  const firstHour = (now: number, isEnough: (at: number) => boolean): number | null => {
    for (let hour = hourOf(now) + 1; hour <= hourOf(now) + 80; hour += 1)
      if (isEnough(hour * HOUR)) return hour * HOUR;
    return null;
  };

  const hold = (operation: HoldOperation, now: number): string => {
    const same = calls.get(operation.id);
    if (same !== undefined) return `held ${same.free} ${same.free ? 0 : same.credits * same.price}`;
    const { idempotency } = operation;
    const before = idempotency === null ? undefined : asked.get(idempotency.key);
    if (before !== undefined && idempotency !== null && before.expires > now) {
      if (before.fingerprint !== idempotency.fingerprint) return 'mismatch';
      return before.isDone ? `replay ${before.call}` : `in_progress ${before.call}`;
    }
    const rules = operation.tiers[tier];
    if (rules === undefined) return 'unknown tier';
    const used = usedAt(now);
    const free = rules.callsFree === null || used < rules.callsFree;
    if (!free && rules.beyond === 'block') {
      const limit = rules.callsFree ?? 0;
      return `limit calls ${used} ${limit === 0 ? null : firstHour(now, (at) => usedAt(at) < limit)}`;
    }
    const { creditsMax } = rules;
    if (creditsMax !== null && creditsAt(now) + operation.credits > creditsMax) {
      const reset = firstHour(now, (at) => creditsAt(at) + operation.credits <= creditsMax);
      return `limit credits ${creditsAt(now)} ${operation.credits > creditsMax ? null : reset}`;
    }
    const amount = free ? 0 : operation.credits * operation.price;
    if (amount > 0 && balance() - reserved() < amount)
      return `insufficient ${balance() - reserved()} ${amount}`;
    clock = now;
    calls.set(operation.id, {
      at: now,
      id: operation.id,
      credits: operation.credits,
      price: operation.price,
      free,
      state: 'open',
      charged: 0,
      used: 0,
      expires: now + operation.ttlMs,
      key: idempotency?.key,
      goneAt: undefined,
      late: false,
    });
    if (idempotency !== null) {
      const { key, fingerprint, ttlMs } = idempotency;
      asked.set(key, { fingerprint, call: operation.id, isDone: false, expires: now + ttlMs });
    }
    return `held ${free} ${amount}`;
  };

  const giveBack = (call: Call, state: 'released' | 'expired', now: number): string => {
    clock = now;
    call.state = state;
    call.goneAt ??= now;
    const own = call.key === undefined ? undefined : asked.get(call.key);
    if (call.key !== undefined && own?.call === call.id && !own.isDone) asked.delete(call.key);
    return `resolved ${state} 0 false`;
  };

  const end = (operation: SettleOperation | ReleaseOperation, now: number): string => {
    const call = calls.get(operation.id);
    if (call === undefined) return 'unknown hold';
    const already = `resolved ${call.state} ${call.charged} true`;
    if (operation.kind !== 'settle') {
      const isDue = operation.kind === 'release' || call.expires <= now;
      const state = operation.kind === 'release' ? 'released' : 'expired';
      return call.state === 'open' && isDue ? giveBack(call, state, now) : already;
    }
    if (call.state === 'settled' || call.state === 'released') return already;
    const own = call.key === undefined ? undefined : asked.get(call.key);
    if (own?.isDone === true && own.call !== call.id) return giveBack(call, 'released', now);
    clock = now;
    call.late = call.state === 'expired';
    call.state = 'settled';
    call.used = operation.credits ?? call.credits;
    call.charged = call.free ? 0 : call.used * call.price;
    if (own !== undefined) Object.assign(own, { isDone: true, call: call.id });
    return `resolved settled ${call.charged} false`;
  };

  return {
    calls,
    balance,
    reserved,
    step(operation, wallClock) {
      const now = Math.max(clock, wallClock);
      if (operation.kind === 'hold') return hold(operation, now);
      if (operation.kind !== 'grant') return end(operation, now);
      const isKnown = grants.has(operation.reference);
      if (!isKnown) grants.set(operation.reference, operation.amount);
      clock = Math.max(clock, isKnown ? 0 : now);
      return `granted ${balance()} ${isKnown}`;
    },
  };
}
