import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { formatUsd } from '../../core/money.ts';
import { USAGE_GROUPS, type UsageGroup, type UsageRow } from '../../store/reports.ts';
import { renderTable } from '../table.ts';
import { defineVerb, nounCommand, valueFlag } from '../verbs.ts';

const sum = (rows: UsageRow[], of: (row: UsageRow) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);

export const command = nounCommand({
  show: defineVerb({
    usage: '[flags]',
    flags: [
      valueFlag('by', USAGE_GROUPS.join(','), 'What to group by (workspace,provider).'),
      valueFlag('workspace', 'ID', 'Limit to this workspace.'),
      valueFlag('agent', 'ID', 'The agent.'),
      valueFlag('person', 'NAME', 'Calls of clients that this person signed in to.'),
      valueFlag('from', 'DATE', 'The first day, such as 2026-01-31.'),
      valueFlag('to', 'DATE', 'The day to stop before.'),
    ],
    run: (store, { flag }) => {
      const [workspace, agent, person] = [flag('workspace'), flag('agent'), flag('person')];
      const [from, to] = [dateOf('--from', flag('from')), dateOf('--to', flag('to'))];
      return store.reports.usage(
        {
          ...(workspace === undefined ? {} : { workspace }),
          ...(agent === undefined ? {} : { agent }),
          ...(person === undefined ? {} : { person }),
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
        },
        groups(flag('by') ?? 'workspace,provider'),
      );
    },
    render: (rows) => renderTable(rows, columnsOf(rows), 'No priced calls yet.'),
  }),
});

function columnsOf(rows: UsageRow[]) {
  const names = Object.keys(rows[0]?.group ?? {}) as UsageGroup[];
  const right = 'right' as const;
  return [
    ...names.map((name) => ({ title: name, value: (row: UsageRow) => shown(name, row.group[name] ?? null) })),
    {
      title: 'calls',
      value: (row: UsageRow) => row.calls,
      align: right,
      total: (all: UsageRow[]) => String(sum(all, (row) => row.calls)),
    },
    {
      title: 'free',
      value: (row: UsageRow) => row.free,
      align: right,
      total: (all: UsageRow[]) => String(sum(all, (row) => row.free)),
    },
    {
      title: 'credits',
      value: (row: UsageRow) => row.credits,
      align: right,
      total: (all: UsageRow[]) => String(sum(all, (row) => row.credits)),
    },
    {
      title: 'returned',
      value: (row: UsageRow) => row.returned,
      align: right,
      total: (all: UsageRow[]) => String(sum(all, (row) => row.returned)),
    },
    {
      title: 'charged',
      value: (row: UsageRow) => formatUsd(row.charged),
      align: right,
      total: (all: UsageRow[]) => formatUsd(sum(all, (row) => row.charged)),
    },
  ];
}

const shown = (name: UsageGroup, value: string | number | null): string | number | null =>
  name === 'hour' && typeof value === 'number' ? new Date(value).toISOString().slice(0, 16) : value;

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
