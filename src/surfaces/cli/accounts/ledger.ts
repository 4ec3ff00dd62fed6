import { HeadgateError } from '../../../core/errors.ts';
import { LIMITS } from '../../../core/limits.ts';
import { named, own } from '../../../core/own-text.ts';
import { formatUsd } from '../../../core/money.ts';
import type { Doubt } from '../../../store/doubts.ts';
import type { LedgerEntry } from '../../../store/reports.ts';
import type { Store } from '../../../store/store.ts';
import { LEDGER_CSV_HEAD, ledgerCsvLine } from '../../ledger-csv.ts';
import { renderTable } from '../table.ts';
import { defineVerb, nounCommand } from '../verbs.ts';

const columns = [
  {
    title: 'time',
    value: (row: LedgerEntry) => new Date(row.at).toISOString().slice(0, 19).replace('T', ' '),
  },
  { title: 'what', value: (row: LedgerEntry) => row.kind },
  { title: 'workspace', value: (row: LedgerEntry) => row.workspace },
  { title: 'provider', value: (row: LedgerEntry) => row.provider },
  { title: 'amount', value: (row: LedgerEntry) => formatUsd(row.amount), align: 'right' as const },
  { title: 'balance', value: (row: LedgerEntry) => formatUsd(row.balance), align: 'right' as const },
  { title: 'note', value: (row: LedgerEntry) => row.note },
];

export const command = nounCommand('ledger', 'Every booking, with the balance after it.', {
  show: defineVerb({
    usage: 'headgate ledger [--workspace ID] [--limit 50]',
    flags: ['workspace', 'limit'],
    run: async (store, { flag }) => {
      const subscription = await subscriptionOf(store, flag('workspace'));
      return (await store.reports.ledger({ ...subscription, limit: count(flag('limit') ?? '50') })).entries;
    },
    render: (rows) => renderTable(rows, columns, 'Nothing booked yet.'),
  }),
  export: defineVerb({
    usage: 'headgate ledger export [--workspace ID]',
    flags: ['workspace'],
    run: async (store, { flag }) => {
      const rows: LedgerEntry[] = [];
      for await (const row of store.reports.exportLedger(await subscriptionOf(store, flag('workspace'))))
        rows.push(row);
      return rows;
    },
    render: (rows) => [LEDGER_CSV_HEAD, ...rows.map(ledgerCsvLine)].join(''),
  }),
  'in-doubt': defineVerb({
    usage:
      'headgate ledger in-doubt [--workspace ID] [--limit 50]\n  headgate ledger in-doubt resolve ID --billed CREDITS (0: it was not billed)',
    flags: ['workspace', 'limit', 'billed'],
    run: async (store, { words, flag, need }) => {
      if (words[0] === 'resolve') {
        const credits = billed(need(flag('billed'), '--billed'));
        const verdict = credits === 0 ? 'not_billed' : 'billed';
        return [await store.doubts.resolve(need(words[1], 'The request'), { verdict, credits })];
      }
      const subscription = await subscriptionOf(store, flag('workspace'));
      return store.doubts.list({ ...subscription, limit: count(flag('limit') ?? '50') });
    },
    render: (rows) => renderTable(rows, doubtColumns, 'Nothing is in doubt.'),
  }),
});

const doubtColumns = [
  { title: 'request', value: (row: Doubt) => row.id },
  {
    title: 'asked',
    value: (row: Doubt) => new Date(row.asked).toISOString().slice(0, 19).replace('T', ' '),
  },
  { title: 'workspace', value: (row: Doubt) => row.workspace },
  { title: 'provider', value: (row: Doubt) => row.provider },
  { title: 'at most', value: (row: Doubt) => formatUsd(row.amount), align: 'right' as const },
  { title: 'found', value: (row: Doubt) => row.verdict },
  { title: 'why', value: (row: Doubt) => row.reason },
];

function billed(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0 && value <= LIMITS.creditsPerCallMax) return value;
  throw new HeadgateError(
    'invalid_request',
    own`--billed: "${named(text)}" is not a whole number of credits.`,
  );
}

async function subscriptionOf(
  store: Store,
  workspace: string | undefined,
): Promise<{ subscription?: string }> {
  if (workspace === undefined) return {};
  return { subscription: (await store.accounts.workspace(workspace)).subscription };
}

function count(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0 && value <= 10_000) return value;
  throw new HeadgateError('invalid_request', own`--limit: "${named(text)}" is not a number from 1 to 10000.`);
}
