// A second, naive implementation of the ledger's rules for the model test: it keeps every call for ever and counts by looking
// at all of them. It shares no code with the real one.
import type {
  BeginOperation,
  CommitOperation,
  HoldOperation,
  LedgerOperation,
  ReleaseOperation,
} from '../../../src/store/ledger/types.ts';

const HOUR = 3_600_000;

interface Call {
  /** In the account's own time. */
  at: number;
  id: string;
  credits: number;
  price: number;
  free: boolean;
  wasAsked: boolean;
  state: 'open' | 'settled' | 'released' | 'expired' | 'doubt';
  isClosed: boolean;
  charged: number;
  used: number;
  expires: number;
  /** When it stopped counting, in the account's own time; calls that still count have none. */
  goneAt: number | undefined;
  late: boolean;
}

interface Key {
  fingerprint: string;
  unit: string;
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

/** Time that never goes back; it goes on from where it was when the wall is more than a window behind. */
function createTime() {
  let own = 0;
  let offset = 0;
  return {
    pass(wall: number): number {
      const isFarBehind = own - wall - offset > 25 * HOUR;
      const isBack = offset > 0 && wall >= own - HOUR && wall + offset - own >= 25 * HOUR;
      const wasAhead = offset > 0;
      if (isFarBehind || isBack) offset = Math.max(0, own - wall);
      const now = Math.max(own, wall + offset);
      if (wasAhead || offset > 0) own = now;
      return now;
    },
    touch(now: number): void {
      own = Math.max(own, now);
    },
  };
}

export function createModel(tier: string): Model {
  const calls = new Map<string, Call>();
  const grants = new Map<string, number>();
  const keys = new Map<string, Key>();
  const time = createTime();

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
      if (isEnough(hour * HOUR)) return hour * HOUR - now;
    return null;
  };
  const standing = (tiers: HoldOperation['tiers'], now: number): string => {
    const free = tiers[tier]?.callsFree ?? null;
    return `${balance()} ${free === null ? null : Math.max(0, free - usedAt(now))}`;
  };

  const hold = (operation: HoldOperation, wall: number, now: number): string => {
    const same = calls.get(operation.id);
    if (same !== undefined && same.state !== 'open') return 'ended';
    if (same !== undefined) return `held ${same.free} ${same.free ? 0 : same.credits * same.price}`;
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
    time.touch(now);
    calls.set(operation.id, {
      at: now,
      id: operation.id,
      credits: operation.credits,
      price: operation.price,
      free,
      wasAsked: operation.asks,
      state: 'open',
      isClosed: false,
      charged: 0,
      used: 0,
      expires: wall + operation.ttlMs,
      goneAt: undefined,
      late: false,
    });
    return `held ${free} ${amount}`;
  };

  const isTaken = (key: Key, wall: number) =>
    key.expires > wall && (key.isDone || key.expires <= wall + 50 * HOUR);
  const begin = (operation: BeginOperation, wall: number, now: number): string => {
    const known = keys.get(operation.key);
    if (known !== undefined && isTaken(known, wall)) {
      if (known.fingerprint !== operation.fingerprint) return 'mismatch';
      if (known.isDone) return `replay ${standing(operation.tiers, now)}`;
      return known.unit === operation.id ? 'begun' : 'in_progress';
    }
    const { fingerprint, id: unit, ttlMs } = operation;
    keys.set(operation.key, { fingerprint, unit, isDone: false, expires: wall + ttlMs });
    return 'begun';
  };

  /** Gives back; the first to end a call decides. */
  const giveBack = (call: Call, state: 'released' | 'expired' | 'doubt', now: number): string => {
    if (call.state !== 'open') return `${call.state} ${call.charged} true`;
    time.touch(now);
    call.state = state;
    call.goneAt ??= now;
    return `${state} 0 false`;
  };
  const charge = (call: Call, credits: number | null, overageMax: number, now: number): string => {
    const wasSwept = call.state === 'expired' || (call.state === 'doubt' && !call.isClosed);
    if (call.state !== 'open' && !wasSwept) return `${call.state} ${call.charged} true`;
    time.touch(now);
    call.late = wasSwept;
    call.state = 'settled';
    call.used = Math.min(credits ?? call.credits, call.credits * overageMax);
    call.charged = call.free ? 0 : call.used * call.price;
    return `settled ${call.charged} false`;
  };
  const commit = (operation: CommitOperation, wall: number, now: number): string => {
    const own = operation.charges.map(({ hold: id }) => calls.get(id));
    if (own.includes(undefined)) return 'unknown hold';
    const { kept } = operation;
    const known = kept === null ? undefined : keys.get(kept.key);
    const isOthers = known?.isDone === true && known.unit !== operation.id;
    const ends = operation.charges.map(({ credits }, index) =>
      isOthers
        ? giveBack(own[index] as Call, 'doubt', now)
        : charge(own[index] as Call, credits, operation.overageMax, now),
    );
    if (kept !== null && !isOthers) {
      const isBooked = own.some((call) => call?.state === 'settled');
      // What was not paid for is not kept: the key is free again.
      const isPaid = !kept.failed && own.every((call) => call?.state === 'settled');
      const { key, fingerprint, ttlMs } = kept;
      if (isPaid || isBooked)
        keys.set(key, { fingerprint, unit: operation.id, isDone: true, expires: wall + ttlMs });
      else if (known?.unit === operation.id) keys.delete(key);
    }
    return `committed ${ends.join(', ')} ${standing(operation.tiers, now)}${isOthers ? ' replay' : ''}`;
  };

  const end = (operation: ReleaseOperation, wall: number, now: number): string => {
    const call = calls.get(operation.id);
    if (call === undefined) return 'unknown hold';
    const isDue = call.expires <= wall || call.expires > wall + 50 * HOUR;
    if (operation.kind === 'expire' && !isDue) return `resolved ${call.state} ${call.charged} true`;
    const swept = call.wasAsked ? 'doubt' : 'expired';
    const state = operation.kind === 'doubt' ? 'doubt' : operation.kind === 'release' ? 'released' : swept;
    return `resolved ${giveBack(call, state, now)}`;
  };

  return {
    calls,
    balance,
    reserved,
    step(operation, wall) {
      const now = time.pass(wall);
      switch (operation.kind) {
        case 'hold':
          return hold(operation, wall, now);
        case 'begin':
          return begin(operation, wall, now);
        case 'commit':
          return commit(operation, wall, now);
        case 'resolve': {
          const call = calls.get(operation.id);
          if (call?.state !== 'doubt') return 'unknown hold';
          const wasClosed = call.isClosed;
          call.isClosed = true;
          return `resolved doubt 0 ${wasClosed}`;
        }
        case 'grant': {
          const isKnown = grants.has(operation.reference);
          if (!isKnown) grants.set(operation.reference, operation.amount);
          if (!isKnown) time.touch(now);
          return `granted ${balance()} ${isKnown}`;
        }
        default:
          return end(operation, wall, now);
      }
    },
  };
}
