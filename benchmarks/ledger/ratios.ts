import type { Figure } from './measure.ts';

/** A figure, and the disk it was measured on. */
export type Measured = Figure & { disk: string };

/** How much our stores do for each operation of a naive one, per disk; the disk whose flush costs least has the least to group. */
export function ratiosOfStores(figures: Measured[]): Record<string, number> {
  const disks = [...new Set(figures.map((it) => it.disk))];
  return Object.fromEntries(
    disks.flatMap((disk) => {
      const of = (contender: string, accounts: number): number =>
        figures.find(
          (it) =>
            it.disk === disk && it.contender === contender && it.accounts === accounts && it.callers === 128,
        )?.perSecond ?? Number.NaN;
      const ratio = (ours: string, theirs: string, accounts: number): number =>
        of(ours, accounts) / of(theirs, accounts);
      return Object.entries({
        'SQLite, group commit : fsync per call (≥ 20)': ratio(
          'SQLite, group commit',
          'SQLite, fsync per call',
          64,
        ),
        'SQLite, one hot account': ratio('SQLite, group commit', 'SQLite, fsync per call', 1),
        'PostgreSQL, batched : one call per operation (≥ 2.5)': ratio(
          'PostgreSQL, batched',
          'PostgreSQL, function per call',
          64,
        ),
        'PostgreSQL, batched : BEGIN … COMMIT': ratio(
          'PostgreSQL, batched',
          'PostgreSQL, BEGIN … COMMIT',
          64,
        ),
        'PostgreSQL, one hot account : one call per operation': ratio(
          'PostgreSQL, batched',
          'PostgreSQL, function per call',
          1,
        ),
      })
        .filter(([, value]) => !Number.isNaN(value))
        .map(([name, value]): [string, number] => [`${disk}: ${name}`, Number(value.toFixed(2))]);
    }),
  );
}

/** L11: what a caller may have to wait, p99 of a reserve in milliseconds. */
const GOALS = [
  { contender: 'SQLite, group commit', callers: 16, goalMs: 15 },
  { contender: 'SQLite, group commit', callers: 128, goalMs: 40 },
  { contender: 'PostgreSQL, batched', callers: 16, goalMs: 25 },
  { contender: 'PostgreSQL, batched', callers: 128, goalMs: 150 },
];

export function latencyGoals(figures: Measured[]): { what: string; p99Ms: number; goalMs: number }[] {
  return GOALS.flatMap(({ contender, callers, goalMs }) =>
    figures
      .filter((it) => it.contender === contender && it.callers === callers && it.accounts === 64)
      .map((it) => ({
        what: `${contender}, ${callers} callers, ${it.disk}`,
        p99Ms: it.reserveP99Ms,
        goalMs,
      })),
  );
}

/** F26: what a long history costs. */
export function ratiosOfHistories(figures: Measured[]): Record<string, number> {
  return Object.fromEntries(
    ['SQLite', 'PostgreSQL'].flatMap((engine) => {
      const [short, long] = figures.filter((it) => it.contender.startsWith(engine));
      if (short === undefined || long === undefined) return [];
      const ratio = Number((long.reserveP99Ms / short.reserveP99Ms).toFixed(2));
      return [[`${engine}, p99 of a reserve, long history : short (≤ 1.2)`, ratio]];
    }),
  );
}

/** What budgets cost a settle: with them, for each without. */
export function ratiosOfBudgets(figures: Measured[]): Record<string, number> {
  return Object.fromEntries(
    figures
      .filter(({ contender }) => !contender.endsWith('no budgets'))
      .flatMap((it) => {
        const [store = ''] = it.contender.split(',');
        const plain = figures.find(
          (one) => one.contender === `${store}, no budgets` && one.callers === it.callers,
        );
        if (plain === undefined) return [];
        return (['settleP50Ms', 'settleP99Ms'] as const).map((name) => [
          `${it.contender}, ${it.callers} callers, ${name} : none`,
          Number((it[name] / plain[name]).toFixed(3)),
        ]);
      }),
  );
}
