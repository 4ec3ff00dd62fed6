import { setTimeout as wait } from 'node:timers/promises';
import { wholeNumber, type Args } from '../../core/command-line.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { formatUsd } from '../../core/money.ts';
import { named, own } from '../../core/own-text.ts';
import { clip, oneLine } from '../../core/text.ts';
import { lineText } from '../../toolsets/markdown.ts';
import { CALL_COLUMNS_FILTERED, CALL_NUMBERS_FILTERED } from '../../store/calls.ts';
import type { CallFilter, CallPage, Calls, LoggedCall } from '../../store/calls.ts';
import type { Command, CommandContext } from '../command.ts';
import { renderTable } from '../table.ts';
import { valueFlag } from '../verbs.ts';
import { dateOf } from './usage.ts';

const NAMES = [...CALL_COLUMNS_FILTERED, ...CALL_NUMBERS_FILTERED, 'cached'] as const;

/** Prints the call log, or follows it. */
export const command: Command = {
  usage: '[--follow] [--filter NAME=VALUE …] [flags]',
  flags: [
    { name: 'follow', takes: 'switch', description: 'Print new calls as they are written.' },
    {
      name: 'filter',
      takes: 'values',
      shows: 'NAME=VALUE',
      description: `One of ${NAMES.join(', ')}; ${CALL_NUMBERS_FILTERED.join(', ')} are lower bounds. May be repeated.`,
    },
    valueFlag('text', 'WORDS', 'Words in the query or address, where a workspace keeps them.'),
    valueFlag('from', 'DATE', 'The first day, such as 2026-01-31.'),
    valueFlag('to', 'DATE', 'The day to stop before.'),
    valueFlag('before', 'CURSOR', 'The next page: the cursor that the page before ended with.'),
    valueFlag('limit', 'N', 'Most calls to print (50).'),
  ],
  run: async (context) => {
    const { args, print, say, open } = context;
    const filter = filterOf(args);
    const limit = wholeNumber(args, 'limit', { min: 1, max: LIMITS.callsPageMax }) ?? 50;
    const before = args.value('before');
    const { store, close } = await open({ accounts: true });
    try {
      if (store === undefined) throw new HeadgateError('internal', 'The store was not opened.');
      if (args.isOn('follow') === true) return await follow(store.calls, filter, context);
      const page = await store.calls.page(filter, { ...(before === undefined ? {} : { before }), limit });
      print(
        args.isOn('json') === true
          ? `${JSON.stringify(page, null, 2)}\n`
          : renderTable(page.calls, columns, 'No calls.'),
      );
      if (args.isOn('json') !== true) say(endOf(page));
      return 0;
    } finally {
      await close();
    }
  },
};

function endOf({ next, searchedTo }: CallPage): string {
  if (next === undefined) return '';
  const looked = searchedTo === undefined ? '' : `Looked back to ${timeOf(searchedTo)}. `;
  return `${looked}More: --before ${next}\n`;
}

const FOLLOW_MS = 1_000;
/** Rows of another gateway may become visible after newer ones. */
const OVERLAP = 500;

async function follow(calls: Calls, filter: CallFilter, context: CommandContext): Promise<number> {
  const { args, print, signal } = context;
  const isJson = args.isOn('json') === true;
  const start = await calls.latest();
  const seen = new Set<number>();
  let last = start;
  while (!signal.aborted) {
    const found = await calls.after(Math.max(start, last - OVERLAP), filter, LIMITS.callsPageMax);
    const fresh = found.filter(({ seq }) => !seen.has(seq));
    for (const { seq } of fresh) seen.add(seq);
    last = Math.max(last, ...fresh.map(({ seq }) => seq));
    for (const seq of seen) if (seq <= last - OVERLAP) seen.delete(seq);
    for (const call of fresh) print(isJson ? `${JSON.stringify(call)}\n` : `${lineOf(call)}\n`);
    // The wait rejects only when the signal fires.
    await wait(FOLLOW_MS, undefined, { signal }).catch(() => undefined);
  }
  return 0;
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

const timeOf = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
const QUERY_CHARS = 60;
const whoOf = ({ agent, workspace }: LoggedCall): string | null => agent ?? workspace;
const resultOf = ({ outcome, code, cached }: LoggedCall): string =>
  `${outcome}${code === null ? '' : ` ${code}`}${cached ? ' cached' : ''}`;
const queryOf = ({ query }: LoggedCall): string | null =>
  query === null ? null : clip(lineText(oneLine(query)), QUERY_CHARS);

const columns = [
  { title: 'time', value: (call: LoggedCall) => timeOf(call.at) },
  { title: 'from', value: (call: LoggedCall) => call.surface },
  { title: 'who', value: whoOf },
  { title: 'operation', value: (call: LoggedCall) => call.operation },
  { title: 'outcome', value: resultOf },
  { title: 'provider', value: (call: LoggedCall) => call.provider },
  { title: 'ms', value: (call: LoggedCall) => call.ms, align: 'right' as const },
  { title: 'credits', value: (call: LoggedCall) => call.credits, align: 'right' as const },
  { title: 'charged', value: (call: LoggedCall) => formatUsd(call.charged), align: 'right' as const },
  { title: 'request', value: (call: LoggedCall) => call.request },
  { title: 'query', value: queryOf },
];

const lineOf = (call: LoggedCall): string =>
  columns.map(({ value }) => String(value(call) ?? '–')).join('  ');
