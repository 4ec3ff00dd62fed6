import { numberIn, shown, type Figures, type View } from '../view.ts';

/** Crawls in the background, by the number of gateways. */
export function crawl(figures: Figures): View {
  const runs = (figures['runs'] ?? []) as Figures[];
  const nameOf = (run: Figures): string =>
    `${numberIn(run, 'gateways')}${run['taken_over_after_s'] === undefined ? '' : ', one killed'}`;
  const columns = ['pages', 'pages_per_second', 'cpu_ms_per_page', 'lost', 'twice_in_results'];
  return {
    title: 'Crawls on several gateways',
    note: 'Gateway processes on one PostgreSQL crawl 50 hosts that take 200 ms for a page; each gateway reads 4 pages at a time. Processor time is that of the gateways. The machine is shared with other work.',
    head: [
      'gateways',
      'pages',
      'pages per second',
      'CPU ms per page',
      'lost',
      'twice',
      'shortest gap ms (delay 100)',
      'taken over after s',
    ],
    rows: runs.map((run) => [
      nameOf(run),
      ...columns.map((column) => shown(numberIn(run, column))),
      shown(numberIn(run, 'shortest_gap_ms')),
      run['taken_over_after_s'] === undefined ? '–' : shown(numberIn(run, 'taken_over_after_s')),
    ]),
    plot: {
      title: 'Pages per second of a crawl',
      caption: 'longer is better',
      bars: runs.map((run) => ({
        label: nameOf(run),
        value: numberIn(run, 'pages_per_second'),
        text: shown(numberIn(run, 'pages_per_second')),
        isOurs: true,
      })),
    },
  };
}
