import type { Clock } from '../../core/clock.ts';
import { LIMITS } from '../../core/limits.ts';
import { CALL_GROUPS, type ChartedCall, type CallGroup, type Calls } from '../../store/calls.ts';

/** What happened in some time. `p50` and `p95` are in milliseconds, rounded to two digits; absent without calls. */
export interface CallSums {
  calls: number;
  failed: number;
  cached: number;
  credits: number;
  charged: number;
  p50?: number;
  p95?: number;
}

export interface HistoryQuery {
  from: number;
  to: number;
  by: CallGroup;
  /** How far the reader's days begin before those of UTC. */
  zoneMs: number;
}

/** Sums of a range of time in steps of `stepMs`, and of the same time before it. */
export interface Timeline {
  from: number;
  to: number;
  stepMs: number;
  steps: CallSums[];
  /** Calls per step of the names with the most calls; the name of the rest is undefined. */
  stacks: { name?: string | null; values: number[] }[];
  now: CallSums;
  /** Undefined when the call log does not reach back so far. */
  before?: CallSums;
  /** When the call log begins. */
  since?: number;
}

/** Sums of the call log over time, for the charts; of all gateways that share the store. */
export interface History {
  timeline(query: HistoryQuery): Promise<Timeline>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The shorter ago, the finer. Each reaches back twice as far as the longest range that uses it. */
const LEVELS = [
  { slotMs: MINUTE_MS, keptMs: 13 * HOUR_MS },
  { slotMs: 30 * MINUTE_MS, keptMs: 49 * HOUR_MS },
  { slotMs: 3 * HOUR_MS, keptMs: 190 * DAY_MS },
] as const;
const STEPS_MS = [1, 2, 5, 10, 30, 60, 180, 360, 720, 1_440, 2_880].map((minutes) => minutes * MINUTE_MS);
const STEPS_MAX = 92;
const STACKS_MAX = 7;
/** Rows that another gateway has numbered are committed by then. */
const SETTLED_MS = 5_000;

interface Slot {
  calls: number;
  failed: number;
  cached: number;
  credits: number;
  charged: number;
  /** Calls by rounded duration, and by group and name. */
  times: Map<number, number>;
  names: Record<CallGroup, Map<string | null, number>>;
}

/** For each level its slots, by the time at which they begin. */
type Slots = Map<number, Slot>[];

/** Reads each row of the call log once: what was read is kept in memory as sums, and only newer rows are read again. */
export function createHistory(calls: Calls, clock: Clock): History {
  const known: Slots = LEVELS.map(() => new Map());
  let folded: number | undefined;
  let seen = { seq: 0, at: 0 };
  let reading: Promise<Slots> | undefined;

  const fold = async (into: Slots, after: number, upTo: number): Promise<void> => {
    for (let from = after; from < upTo; from += LIMITS.callsLookedMax)
      for (const row of await calls.facts(from, Math.min(from + LIMITS.callsLookedMax, upTo)))
        addTo(into, row, clock.now());
  };
  /** The rows since the last that have settled. */
  const read = async (): Promise<Slots> => {
    const now = clock.now();
    const latest = await calls.latest();
    folded ??= await calls.lastBefore(now - (LEVELS.at(-1)?.keptMs ?? 0));
    if (seen.at <= now - SETTLED_MS) {
      await fold(known, folded, seen.seq);
      folded = Math.max(folded, seen.seq);
      seen = { seq: latest, at: now };
    }
    known.forEach((slots, level) => {
      for (const at of slots.keys()) if (at < now - (LEVELS[level]?.keptMs ?? 0)) slots.delete(at);
    });
    const recent: Slots = LEVELS.map(() => new Map());
    await fold(recent, folded, latest);
    return recent;
  };
  return {
    timeline: async (query) => {
      reading ??= read().finally(() => (reading = undefined));
      const [recent, since] = await Promise.all([reading, calls.oldest()]);
      return timelineOf([known, recent], query, { now: clock.now(), since });
    },
  };
}

function addTo(levels: Slots, row: ChartedCall, now: number): void {
  const ms = roundedMs(row.ms);
  LEVELS.forEach(({ slotMs, keptMs }, level) => {
    if (row.at < now - keptMs) return;
    const at = Math.floor(row.at / slotMs) * slotMs;
    const slot = levels[level]?.get(at) ?? newSlot();
    levels[level]?.set(at, slot);
    slot.calls += 1;
    slot.failed += row.outcome === 'ok' || row.outcome === 'empty' ? 0 : 1;
    slot.cached += row.cached ? 1 : 0;
    slot.credits += row.credits;
    slot.charged += row.charged;
    count(slot.times, ms, 1);
    for (const group of CALL_GROUPS) count(slot.names[group], row[group], 1);
  });
}

const newSlot = (): Slot => ({
  calls: 0,
  failed: 0,
  cached: 0,
  credits: 0,
  charged: 0,
  times: new Map(),
  names: { provider: new Map(), workspace: new Map(), operation: new Map(), outcome: new Map() },
});

const count = <Key>(counts: Map<Key, number>, key: Key, by: number): void =>
  void counts.set(key, (counts.get(key) ?? 0) + by);

/** Rounding keeps the order, so a percentile of rounded times is the rounded percentile. */
function roundedMs(ms: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, ms))) - 1);
  return Math.round(ms / unit) * unit;
}

function timelineOf(
  all: Slots[],
  { from: asked, to, by, zoneMs }: HistoryQuery,
  { now, since }: { now: number; since: number | undefined },
): Timeline {
  const reach = now - asked + (to - asked);
  const fits = LEVELS.findIndex(({ slotMs, keptMs }) => reach <= keptMs && (to - asked) / slotMs <= 720);
  const level = fits === -1 ? LEVELS.length - 1 : fits;
  const { slotMs = MINUTE_MS } = LEVELS[level] ?? {};
  const fewEnough = (step: number): boolean => step >= slotMs && (to - asked) / step <= STEPS_MAX - 2;
  const stepMs = STEPS_MS.find(fewEnough) ?? Math.ceil((to - asked) / STEPS_MAX / DAY_MS) * DAY_MS;
  const from = Math.floor((asked + zoneMs) / stepMs) * stepMs - zoneMs;
  const slots = all.flatMap((levels) => [...(levels[level] ?? [])]);
  const within = (start: number, end: number): Slot[] =>
    slots.filter(([at]) => at >= start && at < end).map(([, slot]) => slot);
  const starts = Array.from({ length: Math.ceil((to - from) / stepMs) }, (_, step) => from + step * stepMs);
  const steps = starts.map((start) => within(start, Math.min(start + stepMs, to)));
  const beginning = from - (to - from);
  return {
    from,
    to,
    stepMs,
    steps: steps.map(sumsOf),
    stacks: stacksOf(steps, by),
    now: sumsOf(steps.flat()),
    ...(since !== undefined && since <= beginning ? { before: sumsOf(within(beginning, from)) } : {}),
    ...(since === undefined ? {} : { since }),
  };
}

function stacksOf(steps: Slot[][], by: CallGroup): Timeline['stacks'] {
  const counts = steps.map((slots) => mergedCounts(slots.map((slot) => slot.names[by])));
  const names = [...mergedCounts(counts)].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const top = names.length > STACKS_MAX + 1 ? names.slice(0, STACKS_MAX) : names;
  const stacks: Timeline['stacks'] = top.map((name) => ({
    name,
    values: counts.map((step) => step.get(name) ?? 0),
  }));
  if (top.length === names.length) return stacks;
  const rest = new Set(names.slice(top.length));
  const restOf = (step: Map<string | null, number>): number =>
    [...step].reduce((sum, [name, calls]) => (rest.has(name) ? sum + calls : sum), 0);
  return [...stacks, { values: counts.map(restOf) }];
}

function mergedCounts<Key>(all: Map<Key, number>[]): Map<Key, number> {
  const merged = new Map<Key, number>();
  for (const counts of all) for (const [key, calls] of counts) count(merged, key, calls);
  return merged;
}

function sumsOf(slots: Slot[]): CallSums {
  const sum = (of: (slot: Slot) => number): number => slots.reduce((total, slot) => total + of(slot), 0);
  const calls = sum((slot) => slot.calls);
  const times = [...mergedCounts(slots.map((slot) => slot.times))].sort((a, b) => a[0] - b[0]);
  const percentile = (share: number): number | undefined => {
    let left = Math.ceil(calls * share);
    return times.find(([, some]) => (left -= some) <= 0)?.[0];
  };
  const [p50, p95] = [percentile(0.5), percentile(0.95)];
  return {
    calls,
    failed: sum((slot) => slot.failed),
    cached: sum((slot) => slot.cached),
    credits: sum((slot) => slot.credits),
    charged: sum((slot) => slot.charged),
    ...(p50 === undefined || p95 === undefined ? {} : { p50, p95 }),
  };
}
