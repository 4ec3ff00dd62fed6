import { type Figures, numberIn, rowsIn, shown, textIn, type View } from '../view.ts';

/** Who calls, and what it costs to know. */
export function signIn(figures: Figures): View {
  const checks = rowsIn(figures, 'checks');
  return {
    title: 'Checking who calls',
    note: `Processor time of one check, the median and the most of ${shown(numberIn(figures, 'rounds'))} rounds. A gateway caches a key or token for a second.`,
    head: ['', 'median µs', 'most µs'],
    rows: checks.map((row) => [
      textIn(row, 'name'),
      shown(numberIn(row, 'median_us')),
      shown(numberIn(row, 'most_us')),
    ]),
    plot: {
      title: 'A check of who calls',
      caption: 'microseconds of processor time, shorter is better',
      bars: checks.map((row) => ({
        label: textIn(row, 'name'),
        value: numberIn(row, 'median_us'),
        text: shown(numberIn(row, 'median_us')),
        isOurs: true,
      })),
    },
  };
}
