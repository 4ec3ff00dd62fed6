import { valueFlag } from '../../core/command-line.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { formatUsd } from '../../core/money.ts';
import { USAGE_GROUPS, type UsageFilter, type UsageGroup, type UsageRow } from '../../store/reports.ts';
import {
  EXPORT_FORMATS,
  exportUsage,
  USAGE_CSV_HEAD,
  usageCsvLine,
  usageEvent,
} from '../../store/usage-export.ts';
import { renderTable } from '../table.ts';
import { defineVerb, nounCommand, type VerbArgs } from '../verbs.ts';

const sum = (rows: UsageRow[], of: (row: UsageRow) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);

const FILTERS = ['workspace', 'agent', 'key', 'person', 'provider', 'operation'] as const;
const filterFlags = [
  ...FILTERS.map((name) => valueFlag(name, 'NAME', `Limit to this ${name}.`)),
  valueFlag('from', 'DATE', 'The first day (UTC), such as 2026-01-31.'),
  valueFlag('to', 'DATE', 'The day to stop before.'),
];

function filterOf(flag: VerbArgs['flag']): UsageFilter {
  const given = [
    ...FILTERS.map((name) => [name, flag(name)]),
    ['from', dateOf('--from', flag('from'))],
    ['to', dateOf('--to', flag('to'))],
  ];
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as UsageFilter;
}

export const command = nounCommand({
  show: defineVerb({
    usage: '[flags]',
    flags: [
      valueFlag('by', USAGE_GROUPS.join(','), 'What to group by (workspace,provider).'),
      ...filterFlags,
    ],
    run: (store, { flag }) => store.reports.usage(filterOf(flag), groups(flag('by') ?? 'workspace,provider')),
    render: (rows) => renderTable(rows, columnsOf(rows), 'No calls yet.'),
  }),
  export: defineVerb({
    usage: '[--format csv|cloudevents] [flags]',
    flags: [valueFlag('format', EXPORT_FORMATS.join('|'), 'What to write (csv).'), ...filterFlags],
    run: async () => undefined,
    render: () => '',
    stream: async function* stream({ database }, { flag }) {
      const format = flag('format') ?? 'csv';
      if (!EXPORT_FORMATS.some((known) => known === format))
        throw new HeadgateError(
          'invalid_request',
          own`--format: "${named(format)}" is not one of ${named(EXPORT_FORMATS.join(', '))}.`,
        );
      const isFinal = format === 'cloudevents';
      const rows = exportUsage(database, { filter: filterOf(flag), isFinal, now: Date.now() });
      if (!isFinal) yield USAGE_CSV_HEAD;
      for await (const row of rows)
        yield isFinal ? `${JSON.stringify(usageEvent(row))}\n` : usageCsvLine(row);
    },
  }),
});

function columnsOf(rows: UsageRow[]) {
  const names = Object.keys(rows[0]?.group ?? {}) as UsageGroup[];
  const counted = (
    title: string,
    of: (row: UsageRow) => number,
    shown: (value: number) => string = String,
  ) => ({
    title,
    value: (row: UsageRow) => shown(of(row)),
    align: 'right' as const,
    total: (all: UsageRow[]) => shown(sum(all, of)),
  });
  const hasTokens = rows.some((row) => row.tokensIn + row.tokensOut > 0);
  return [
    ...names.map((name) => ({ title: name, value: (row: UsageRow) => shown(name, row.group[name] ?? null) })),
    counted('calls', (row) => row.calls),
    counted('free', (row) => row.free),
    counted('credits', (row) => row.credits),
    counted('returned', (row) => row.returned),
    counted('charged', (row) => row.charged, formatUsd),
    ...(hasTokens
      ? [
          counted('tokens in', (row) => row.tokensIn),
          counted('tokens out', (row) => row.tokensOut),
          counted('model cost', (row) => row.modelCost, formatUsd),
        ]
      : []),
  ];
}

const shown = (name: UsageGroup, value: string | number | null): string | number | null =>
  typeof value === 'number' ? new Date(value).toISOString().slice(0, name === 'hour' ? 16 : 10) : value;

function groups(list: string): UsageGroup[] {
  return list.split(',').map((name) => {
    const group = USAGE_GROUPS.find((known) => known === name.trim());
    if (group !== undefined) return group;
    throw new HeadgateError(
      'invalid_request',
      own`--by: "${named(name)}" is not one of ${named(USAGE_GROUPS.join(', '))}.`,
    );
  });
}

/** A day given as a flag. */
export function dateOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (!Number.isNaN(at)) return at;
  throw new HeadgateError(
    'invalid_request',
    own`${named(flag)}: "${named(text)}" is not a date such as 2026-01-31.`,
  );
}
