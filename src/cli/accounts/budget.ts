import { switchFlag, valueFlag, wholeNumber, type Args } from '../../core/command-line.ts';
import { HeadgateError } from '../../core/errors.ts';
import { formatUsd } from '../../core/money.ts';
import type { SpendBudget } from '../../store/budgets.ts';
import type { BudgetUnit } from '../../store/ledger/budget.ts';
import { renderTable } from '../table.ts';
import { defineVerb, listVerb, nounCommand, verbOn } from '../verbs.ts';
import { parseUsd } from './credits.ts';

const amount = ({ unit }: SpendBudget, value: number): string =>
  unit === 'money' ? formatUsd(value) : `${value} credits`;

const columns = [
  { title: 'budget', value: (row: SpendBudget) => row.id },
  { title: 'workspace', value: (row: SpendBudget) => row.workspace },
  {
    title: 'for',
    value: (row: SpendBudget) => (row.level === 'workspace' ? 'workspace' : `${row.level} ${row.subject}`),
  },
  { title: 'amount', value: (row: SpendBudget) => `${amount(row, row.amount)} / ${row.period}` },
  { title: 'used', value: (row: SpendBudget) => amount(row, row.used) },
  { title: 'left', value: (row: SpendBudget) => amount(row, row.left) },
  {
    title: 'renews',
    value: (row: SpendBudget) =>
      row.renews === null ? null : `${new Date(row.renews).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
  },
  { title: 'kind', value: (row: SpendBudget) => (row.hard ? 'hard' : 'soft') },
];

const render = (rows: SpendBudget | SpendBudget[]): string =>
  renderTable(
    [rows].flat(),
    columns,
    'No budgets yet: headgate budget set WORKSPACE --credits 1000 --per month',
  );

export const command = nounCommand({
  set: defineVerb({
    usage: 'WORKSPACE --credits N|--usd AMOUNT --per PERIOD [flags]',
    flags: [
      valueFlag('credits', 'N', 'The most credits in the period.'),
      valueFlag('usd', 'AMOUNT', 'The most money in the period: credits times the price of the provider.'),
      valueFlag('per', 'PERIOD', 'day, month, or a rolling time such as 12h or 7d.'),
      valueFlag('agent', 'ID', 'For this agent of the workspace.'),
      valueFlag('key', 'ID', 'For this key of the workspace.'),
      valueFlag('person', 'NAME', 'For this person in the workspace.'),
      valueFlag('zone', 'NAME', 'The time zone of days and months; UTC by default.'),
      switchFlag('soft', 'Report what goes beyond, and refuse nothing.'),
    ],
    words: 1,
    run: (store, { args, words, flag, need }) => {
      return store.budgets.set({
        workspace: need(words[0], 'The workspace'),
        ...subjectOf(args),
        ...amountOf(args),
        period: need(flag('per'), '--per'),
        hard: args.isOn('soft') !== true,
        zone: flag('zone'),
      });
    },
    render,
  }),
  list: listVerb((store, workspace) => store.budgets.list(workspace), render),
  remove: verbOn(
    'ID',
    'The budget',
    (store, id) => store.budgets.remove(id),
    (row) => `Removed:\n${render(row)}`,
  ),
});

function amountOf(args: Args): { unit: BudgetUnit; amount: number } {
  const usd = args.value('usd');
  const credits = wholeNumber(args, 'credits', { min: 0, max: 1_000_000_000 });
  if (usd === undefined && credits !== undefined) return { unit: 'credits', amount: credits };
  if (usd !== undefined && credits === undefined) return { unit: 'money', amount: parseUsd(usd) };
  throw new HeadgateError('invalid_request', 'Give either --credits or --usd.');
}

function subjectOf(args: Args) {
  const given = (['agent', 'key', 'person'] as const).filter((level) => args.value(level) !== undefined);
  const [level] = given;
  if (level === undefined) return { level: 'workspace' as const };
  if (given.length === 1) return { level, subject: args.value(level) ?? '' };
  throw new HeadgateError('invalid_request', 'Give one of --agent, --key and --person.');
}
