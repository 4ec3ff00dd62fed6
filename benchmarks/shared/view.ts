import { numberIn, shown, type Figures, type View } from '../view.ts';

/** What shared limits cost, by the size of the limit. */
export function shared(figures: Figures): View {
  const limits = Object.entries((figures['limits'] ?? {}) as Record<string, Figures>);
  const columns = ['admitted', 'operations_per_call', 'p50_ms', 'p99_ms', 'p50_ms_in_memory'];
  return {
    title: 'Shared limits',
    note: 'Four gateways share the limit of one key on PostgreSQL; eight callers at each use it up at once. Operations are statements sent to the database, with those that read what others have marked.',
    head: ['limit', 'admitted', 'operations per call', 'p50 ms', 'p99 ms', 'p50 ms, one process'],
    rows: limits.map(([limit, row]) => [limit, ...columns.map((column) => shown(numberIn(row, column)))]),
    plot: {
      title: 'Statements per call for a shared limit',
      caption: 'shorter is better',
      bars: limits.map(([limit, row]) => ({
        label: limit,
        value: numberIn(row, 'operations_per_call'),
        text: shown(numberIn(row, 'operations_per_call')),
        isOurs: true,
      })),
    },
  };
}
