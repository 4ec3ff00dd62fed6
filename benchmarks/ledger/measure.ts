import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Contender } from './contenders.ts';
import { flushesSoFar } from './disk.ts';

export interface Case {
  accounts: number;
  callers: number;
}

export interface Figure extends Case {
  contender: string;
  /** Reserves and settles per second, median of the rounds. */
  perSecond: number;
  least: number;
  most: number;
  p50Ms: number;
  p99Ms: number;
  /** Of reserves alone, and of settles alone. */
  reserveP99Ms: number;
  settleP50Ms: number;
  settleP99Ms: number;
  loopP99Ms: number;
  flushesPerOperation: number | null;
}

interface Round {
  perSecond: number;
  latencies: number[];
  reserves: number[];
  settles: number[];
  loopP99Ms: number;
  flushes: number | undefined;
}

/** The contenders take turns, so that what else the machine does hits all of them alike. */
export async function compare(
  contenders: Contender[],
  each: Case,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Figure[]> {
  const measured = new Map<Contender, Round[]>(contenders.map((contender) => [contender, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of contenders)
      measured.get(contender)?.push(await measure(contender, each, seconds));
  }
  return [...measured].map(([contender, results]) => summary(contender, each, results));
}

async function measure(contender: Contender, { accounts, callers }: Case, seconds: number): Promise<Round> {
  const latencies: number[] = [];
  const reserves: number[] = [];
  const settles: number[] = [];
  const loop = monitorEventLoopDelay({ resolution: 5 });
  const flushed = flushesSoFar();
  const start = performance.now();
  const end = start + seconds * 1_000;
  loop.enable();
  const timed = async (work: Promise<unknown>) => {
    const from = performance.now();
    await work;
    const ms = performance.now() - from;
    latencies.push(ms);
    return ms;
  };
  const caller = async (_: unknown, index: number) => {
    while (performance.now() < end) {
      const account = `account-${index % accounts}`;
      const id = contender.newId();
      reserves.push(await timed(contender.reserve(id, account)));
      settles.push(await timed(contender.settle(id, account)));
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  loop.disable();
  const perSecond = latencies.length / ((performance.now() - start) / 1_000);
  const flushes = flushed === undefined ? undefined : (flushesSoFar() ?? 0) - flushed;
  return { perSecond, latencies, reserves, settles, loopP99Ms: loop.percentile(99) / 1e6, flushes };
}

function summary(contender: Contender, each: Case, results: Round[]): Figure {
  const speeds = results.map((round) => round.perSecond).toSorted((a, b) => a - b);
  const latencies = results.flatMap((round) => round.latencies);
  const settles = results.flatMap((round) => round.settles);
  const flushes = results.reduce((sum, round) => sum + (round.flushes ?? Number.NaN), 0) / latencies.length;
  return {
    contender: contender.name,
    ...each,
    perSecond: Math.round(speeds[Math.floor(speeds.length / 2)] ?? 0),
    least: Math.round(speeds[0] ?? 0),
    most: Math.round(speeds.at(-1) ?? 0),
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    reserveP99Ms: quantile(
      results.flatMap((round) => round.reserves),
      0.99,
    ),
    settleP50Ms: quantile(settles, 0.5),
    settleP99Ms: quantile(settles, 0.99),
    loopP99Ms: rounded(Math.max(...results.map((round) => round.loopP99Ms))),
    flushesPerOperation: Number.isNaN(flushes) ? null : Number(flushes.toFixed(3)),
  };
}

function quantile(times: number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
