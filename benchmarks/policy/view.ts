import { type Figures, numberIn, shown, type View } from '../view.ts';

/** What the policy costs a call, and what it recognises. */
export function policy(figures: Figures): View {
  const timed: [label: string, name: string][] = [
    ['a decision over four levels with 200 domains each', 'decide'],
    ['a look for secrets in a query', 'scan'],
    ['the same with 400 characters', 'scan_400'],
  ];
  const timesOf = (name: string) => figures[name] as { p50: number; p99: number };
  const count = (name: string): string => shown(numberIn(figures, name));
  return {
    title: 'Policy',
    note: `Microseconds, the best of three runs each. Of ${count('samples')} made secrets of ${count('kinds')} kinds, ${count('found')} are found; ${count('near_wrong')} of ${count('near_misses')} texts that are nearly one, and ${count('benign_wrong')} of ${count('benign')} benign queries, are taken for a secret.`,
    head: ['', 'p50 µs', 'p99 µs'],
    rows: timed.map(([label, name]) => [label, shown(timesOf(name).p50), shown(timesOf(name).p99)]),
    plot: {
      title: 'What the policy costs a call',
      caption: 'microseconds, the 99th percentile, shorter is better',
      bars: timed.map(([label, name]) => {
        const { p99 } = timesOf(name);
        return { label, value: p99, text: shown(p99), isOurs: true };
      }),
    },
  };
}
