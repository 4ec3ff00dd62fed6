import { setTimeout as wait } from 'node:timers/promises';
import { switchFlag, valueFlag, valuesFlag, wholeNumber, type Args } from '../../core/command-line.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { formatUsd } from '../../core/money.ts';
import { named, own } from '../../core/own-text.ts';
import { clip, oneLine } from '../../core/text.ts';
import { lineText } from '../../toolsets/markdown.ts';
import { CALL_COLUMNS_FILTERED, CALL_NUMBERS_FILTERED } from '../../store/calls.ts';
import type { CallFilter, CallPage, Calls, LoggedCall } from '../../store/calls.ts';
import type { Database } from '../../store/database.ts';
import { listRows, textColumn } from '../../store/rows.ts';
import type { Command, CommandContext } from '../command.ts';
import { renderTable, timeText } from '../table.ts';
import { dateOf } from './usage.ts';

const NAMES = [...CALL_COLUMNS_FILTERED, ...CALL_NUMBERS_FILTERED, 'cached'] as const;

/** Prints the call log, or follows it. */
export const command: Command = {
  usage: '[--follow] [--filter NAME=VALUE …] [flags]',
  flags: [
    switchFlag('follow', 'Print new calls as they are written.'),
    valuesFlag(
      'filter',
      'NAME=VALUE',
      `One of ${NAMES.join(', ')}; ${CALL_NUMBERS_FILTERED.join(', ')} are lower bounds. May be repeated.`,
    ),
    valueFlag('text', 'WORDS', 'Words in the query or address, where a workspace keeps them.'),
    valueFlag('from', 'DATE', 'The first day, such as 2026-01-31.'),
    valueFlag('to', 'DATE', 'The day to stop before.'),
    valueFlag('before', 'CURSOR', 'The next page: the cursor that the page before ended with.'),
    valueFlag('limit', 'N', 'Most calls to print (50).'),
  ],
  run: async (context) => {
    const { args, printResult, say, open } = context;
    const filter = filterOf(args);
    const limit = wholeNumber(args, 'limit', { min: 1, max: LIMITS.callsPageMax }) ?? 50;
    const { store } = await open({ accounts: true });
    if (store === undefined) throw new HeadgateError('internal', 'The store was not opened.');
    const readNames = createNames(store.database);
    if (args.isOn('follow') === true) return await follow(store.calls, readNames, filter, context);
    const page = await store.calls.page(filter, { before: args.value('before'), limit });
    const isJson = args.isOn('json') === true;
    const columns = columnsWith(isJson ? new Map() : await readNames(page.calls));
    printResult(page, () => renderTable(page.calls, columns, 'No calls.'));
    if (!isJson) say(endOf(page));
    return 0;
  },
};

function endOf({ next, searchedTo }: CallPage): string {
  if (next === undefined) return '';
  const looked = searchedTo === undefined ? '' : `Looked back to ${timeText(searchedTo, 'second')}. `;
  return `${looked}More: --before ${next}\n`;
}

const FOLLOW_MS = 1_000;
/** Rows of another gateway may become visible after newer ones. */
const OVERLAP = 500;

async function follow(
  calls: Calls,
  readNames: ReadNames,
  filter: CallFilter,
  { args, print, signal }: CommandContext,
): Promise<number> {
  const isJson = args.isOn('json') === true;
  const start = await calls.latest();
  const seen = new Set<number>();
  let last = start;
  while (!signal.aborted) {
    const newest = await calls.latest();
    const found = await calls.after(Math.max(start, last - OVERLAP), filter, LIMITS.callsPageMax);
    // A filter that finds nothing must not look at the same rows again and again.
    last = found.length < LIMITS.callsPageMax ? Math.max(last, newest) : (found.at(-1)?.seq ?? last);
    const fresh = found.filter(({ seq }) => !seen.has(seq));
    for (const { seq } of fresh) seen.add(seq);
    for (const seq of seen) if (seq <= last - OVERLAP) seen.delete(seq);
    const columns = columnsWith(isJson ? new Map() : await readNames(fresh));
    for (const call of fresh)
      print(
        isJson
          ? `${JSON.stringify(call)}\n`
          : `${columns.map(({ value }) => String(value(call) ?? '–')).join('  ')}\n`,
      );
    // The wait rejects only when the signal fires.
    await wait(FOLLOW_MS, undefined, { signal }).catch(() => undefined);
  }
  return 0;
}

type Names = Map<string, string>;
type ReadNames = (calls: LoggedCall[]) => Promise<Names>;

/** The names of the workspaces and agents of calls; those that were deleted have none. */
function createNames(database: Database): ReadNames {
  const names: Names = new Map();
  return async (calls) => {
    const ids = calls.flatMap(({ agent, workspace }) => [...(agent?.split('/') ?? []), workspace ?? '']);
    const missing = [...new Set(ids)].filter((id) => !names.has(id));
    for (const id of missing) names.set(id, id);
    for (const table of ['agents', 'workspaces'])
      for (const row of await listRows(database, table, { column: 'id', ids: missing }))
        names.set(textColumn(row, 'id'), textColumn(row, 'name'));
    return names;
  };
}

function filterOf(args: Args): CallFilter {
  const filter: Record<string, unknown> = {};
  for (const part of args.values('filter') ?? []) {
    const [, name = '', value = ''] = /^\s*([a-z]+)\s*=\s*(.*?)\s*$/s.exec(part) ?? [];
    const known = NAMES.find((one) => one === name);
    if (known === undefined || value === '') throw badFilter(part);
    const isNumber = CALL_NUMBERS_FILTERED.some((one) => one === known);
    if (isNumber && !/^\d{1,15}$/.test(value)) throw badFilter(part);
    if (known === 'cached' && value !== 'true' && value !== 'false') throw badFilter(part);
    filter[known] = isNumber ? Number(value) : known === 'cached' ? value === 'true' : value;
  }
  const [text, from, to] = [
    args.value('text'),
    dateOf('--from', args.value('from')),
    dateOf('--to', args.value('to')),
  ];
  return {
    ...filter,
    ...(text === undefined ? {} : { text }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

const badFilter = (part: string): HeadgateError =>
  new HeadgateError('invalid_request', own`--filter: "${named(part)}" is not NAME=VALUE.`, {
    remediation: own`Use one of ${named(NAMES.join(', '))}.`,
  });

const QUERY_CHARS = 60;
const whoOf = ({ agent, workspace }: LoggedCall, names: Names): string | null =>
  (agent ?? workspace)
    ?.split('/')
    .map((id) => names.get(id) ?? id)
    .join(' → ') ?? null;
const resultOf = ({ outcome, code, cached }: LoggedCall): string =>
  `${outcome}${code === null ? '' : ` ${code}`}${cached ? ' cached' : ''}`;
const queryOf = ({ query }: LoggedCall): string | null =>
  query === null ? null : clip(lineText(oneLine(query)), QUERY_CHARS);

const columnsWith = (names: Names) => [
  { title: 'time', value: (call: LoggedCall) => timeText(call.at, 'second') },
  { title: 'from', value: (call: LoggedCall) => call.surface },
  { title: 'who', value: (call: LoggedCall) => whoOf(call, names) },
  { title: 'operation', value: (call: LoggedCall) => call.operation },
  { title: 'outcome', value: resultOf },
  { title: 'provider', value: (call: LoggedCall) => call.provider },
  { title: 'ms', value: (call: LoggedCall) => call.ms, align: 'right' as const },
  { title: 'credits', value: (call: LoggedCall) => call.credits, align: 'right' as const },
  { title: 'charged', value: (call: LoggedCall) => formatUsd(call.charged), align: 'right' as const },
  { title: 'request', value: (call: LoggedCall) => call.request },
  { title: 'query', value: queryOf },
];
