import { type Figures, numberIn, rowsIn, shown, textIn, type View } from '../view.ts';

/** The call log: pages, and what it costs. */
export function calls(figures: Figures): View {
  const pages = rowsIn(figures, 'pages');
  const cost = rowsIn(figures, 'cost').map(
    (row) =>
      `${textIn(row, 'calls')} ${shown(numberIn(row, 'without_cpu_ms'))} → ${shown(numberIn(row, 'with_cpu_ms'))} ms`,
  );
  const stores = rowsIn(figures, 'stores').map(
    (row) =>
      `${textIn(row, 'name')}: ${shown(numberIn(row, 'left'))} rows are left where ${shown(numberIn(row, 'bound'))} may be`,
  );
  const of = (store: string) => pages.filter((row) => textIn(row, 'store') === store);
  return {
    title: 'The call log',
    note: `The first page of 50 of ${shown(numberIn(figures, 'rows'))} rows. Processor time per call of a gateway, its simulated provider and its client in one process, without and with the log, in turns: ${cost.join('; ')}. After trimming, ${stores.join('; ')}.`,
    head: ['filter', 'SQLite p50 ms', 'SQLite p95 ms', 'PostgreSQL p50 ms', 'PostgreSQL p95 ms'],
    rows: of('SQLite').map((row) => {
      const other = of('PostgreSQL').find((one) => textIn(one, 'filter') === textIn(row, 'filter'));
      return [
        textIn(row, 'filter'),
        ...[row, other].flatMap((one) =>
          one === undefined ? ['–', '–'] : [shown(numberIn(one, 'p50_ms')), shown(numberIn(one, 'p95_ms'))],
        ),
      ];
    }),
    plot: {
      title: 'First page of the call log on SQLite',
      caption: 'p95 in ms, shorter is better',
      bars: of('SQLite').map((row) => ({
        label: textIn(row, 'filter'),
        value: numberIn(row, 'p95_ms'),
        text: shown(numberIn(row, 'p95_ms')),
        isOurs: true,
      })),
    },
  };
}
