import { valueFlag, wholeNumber, type Args } from '../../core/command-line.ts';
import { LIMITS } from '../../core/limits.ts';
import { formatUsd } from '../../core/money.ts';
import type { Doubt } from '../../store/doubts.ts';
import type { LedgerEntry } from '../../store/ledger-pages.ts';
import type { Store } from '../../store/store.ts';
import { LEDGER_CSV_HEAD, ledgerCsvLine } from '../../store/ledger-csv.ts';
import { renderTable, timeText } from '../table.ts';
import { defineVerb, nounCommand } from '../verbs.ts';

const columns = [
  { title: 'time', value: (row: LedgerEntry) => timeText(row.at, 'second') },
  { title: 'what', value: (row: LedgerEntry) => row.kind },
  { title: 'workspace', value: (row: LedgerEntry) => row.workspace },
  { title: 'provider', value: (row: LedgerEntry) => row.provider },
  { title: 'amount', value: (row: LedgerEntry) => formatUsd(row.amount), align: 'right' as const },
  { title: 'balance', value: (row: LedgerEntry) => formatUsd(row.balance), align: 'right' as const },
  { title: 'note', value: (row: LedgerEntry) => row.note },
];

export const command = nounCommand({
  show: defineVerb({
    usage: '[flags]',
    flags: [
      valueFlag('workspace', 'ID', 'Limit to this workspace.'),
      valueFlag('limit', 'N', 'Most rows to show (50).'),
    ],
    run: async (store, { args, flag }) => {
      const subscription = await subscriptionOf(store, flag('workspace'));
      return (await store.reports.ledger({ ...subscription, limit: limitOf(args) })).entries;
    },
    render: (rows) => renderTable(rows, columns, 'Nothing booked yet.'),
  }),
  export: defineVerb({
    usage: '[flags]',
    flags: [valueFlag('workspace', 'ID', 'Limit to this workspace.')],
    run: async (store, { flag }) => {
      const rows: LedgerEntry[] = [];
      for await (const row of store.reports.exportLedger(await subscriptionOf(store, flag('workspace'))))
        rows.push(row);
      return rows;
    },
    render: (rows) => [LEDGER_CSV_HEAD, ...rows.map(ledgerCsvLine)].join(''),
  }),
  'in-doubt': defineVerb({
    usage: '[resolve ID --billed CREDITS] [flags]',
    flags: [
      valueFlag('workspace', 'ID', 'Limit to this workspace.'),
      valueFlag('limit', 'N', 'Most rows to show (50).'),
      valueFlag('billed', 'CREDITS', 'What the provider billed; 0 when it did not.'),
    ],
    words: 2,
    run: async (store, { args, words, flag, need }) => {
      if (words[0] === 'resolve') {
        need(flag('billed'), '--billed');
        const credits = wholeNumber(args, 'billed', { min: 0, max: LIMITS.creditsPerCallMax }) ?? 0;
        const verdict = credits === 0 ? 'not_billed' : 'billed';
        return [await store.doubts.resolve(need(words[1], 'The request'), { verdict, credits })];
      }
      const subscription = await subscriptionOf(store, flag('workspace'));
      return store.doubts.list({ ...subscription, limit: limitOf(args) });
    },
    render: (rows) => renderTable(rows, doubtColumns, 'Nothing is in doubt.'),
  }),
});

const doubtColumns = [
  { title: 'request', value: (row: Doubt) => row.id },
  { title: 'asked', value: (row: Doubt) => timeText(row.asked, 'second') },
  { title: 'workspace', value: (row: Doubt) => row.workspace },
  { title: 'provider', value: (row: Doubt) => row.provider },
  { title: 'at most', value: (row: Doubt) => formatUsd(row.amount), align: 'right' as const },
  { title: 'found', value: (row: Doubt) => row.verdict },
  { title: 'why', value: (row: Doubt) => row.reason },
];

async function subscriptionOf(
  store: Store,
  workspace: string | undefined,
): Promise<{ subscription?: string }> {
  if (workspace === undefined) return {};
  return { subscription: (await store.accounts.workspace(workspace)).subscription };
}

const limitOf = (args: Args): number => wholeNumber(args, 'limit', { min: 1, max: 10_000 }) ?? 50;
