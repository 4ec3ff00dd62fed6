import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { clip, oneLine, plural } from '../core/text.ts';
import type { Services } from '../operations/services.ts';
import { namedAddresses, compareSnapshots, isReadable } from '../snapshot/compare.ts';
import { laterDates } from '../snapshot/later-dates.ts';
import type { Entry, WebSnapshot } from '../snapshot/entry.ts';
import { openSnapshot } from '../snapshot/snapshot.ts';
import type { CommandContext } from './command.ts';

// What a snapshot says to somebody who reads its pages as an agent does.

interface PageText {
  url: string;
  captured: string;
  title: string;
  text: string;
}

type Reading = Pick<CommandContext, 'signal'> & { services: Services };
export type Told = { result: object; text: string; code?: number };

const LINES_SHOWN = 10;
const CHARS_SHOWN = 200;
const line = (text: string): string => clip(oneLine(text), CHARS_SHOWN);

async function textOf(
  snapshot: WebSnapshot,
  entry: Entry,
  { services, signal }: Reading,
): Promise<PageText | undefined> {
  const answer = snapshot.answer(entry);
  if ('failed' in answer || answer.headers['content-encoding'] !== undefined) return undefined;
  const contentType = answer.headers['content-type'] ?? '';
  try {
    const { title, markdown } = await services.extract(
      { bytes: answer.bytes, contentType, url: entry.url },
      {},
      signal,
    );
    return { url: entry.url, captured: new Date(entry.at).toISOString(), title, text: markdown };
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    if (error.code === 'cancelled' || error.type === 'internal') throw error;
    return undefined;
  }
}

async function* textsIn(path: string, reading: Reading): AsyncGenerator<PageText> {
  const snapshot = openSnapshot(path);
  try {
    for (const entry of snapshot.entries.filter(isReadable)) {
      const page = await textOf(snapshot, entry, reading);
      if (page !== undefined) yield page;
    }
  } finally {
    snapshot.close();
  }
}

/** Prints the text of every page, a line of JSON for each. */
export async function exportTexts(
  path: string,
  reading: Reading,
  print: (text: string) => void,
): Promise<Told> {
  let pages = 0;
  for await (const page of textsIn(path, reading)) {
    print(`${JSON.stringify(page)}\n`);
    pages += 1;
  }
  return { result: { path, pages }, text: '' };
}

/** The pages whose text names dates after a day. */
export async function checkLeaks(path: string, day: string | undefined, reading: Reading): Promise<Told> {
  const at = /^\d{4}-\d\d-\d\d/.test(day ?? '') ? Date.parse(day ?? '') : NaN;
  if (Number.isNaN(at))
    throw new HeadgateError('invalid_request', '--as-of is missing or is no date.', {
      remediation: 'Write it as 2026-01-31.',
    });
  // A day ends with its last moment.
  const limit = day?.length === 10 ? at + 86_399_999 : at;
  const pages: { url: string; captured: string; dates: string[] }[] = [];
  for await (const { url, captured, title, text } of textsIn(path, reading)) {
    const dates = laterDates(`${title}\n${text}`, limit);
    if (dates.length > 0) pages.push({ url, captured, dates });
  }
  const rows = pages.map(
    ({ url, captured, dates }) => `${line(url)} (${captured.slice(0, 10)}): ${line(dates.join('; '))}\n`,
  );
  return {
    result: { path, as_of: day, pages },
    text: rows.length === 0 ? `No page names a date after ${day}.\n` : rows.join(''),
    code: rows.length === 0 ? 0 : 1,
  };
}

interface Change {
  method: string;
  url: string;
  /** Addresses in the answer of a provider, or lines in the text of a page. */
  lost: string[];
  gained: string[];
}

/** What changed for an agent: requests that have an answer in only one of the files, results, and text of pages. */
export async function diffSnapshots(paths: [string, string], reading: Reading): Promise<Told> {
  const [before, after] = [openSnapshot(paths[0]), openSnapshot(paths[1])];
  try {
    const { lost, gained, changed, same } = compareSnapshots(before, after);
    const changes: Change[] = [];
    for (const [a, b] of changed) {
      const parts =
        isReadable(a) && isReadable(b)
          ? [linesOf(await textOf(before, a, reading)), linesOf(await textOf(after, b, reading))]
          : [namedAddresses(before, a), namedAddresses(after, b)];
      const [left = new Set(), right = new Set()] = parts;
      changes.push({
        method: a.method,
        url: a.url,
        lost: [...left].filter((one) => !right.has(one)),
        gained: [...right].filter((one) => !left.has(one)),
      });
    }
    const named = ({ method, url }: Entry) => ({ method, url });
    const result = { same, lost: lost.map(named), gained: gained.map(named), changed: changes };
    const isSame = lost.length + gained.length + changed.length === 0;
    return {
      result,
      text: isSame ? `${plural(same, 'exchange')}, all the same.\n` : render(result),
      code: isSame ? 0 : 1,
    };
  } finally {
    before.close();
    after.close();
  }
}

const linesOf = (page: PageText | undefined): Set<string> =>
  new Set((page?.text ?? '').split('\n').filter((text) => text.trim() !== ''));

function render(result: {
  same: number;
  lost: Pick<Change, 'method' | 'url'>[];
  gained: Pick<Change, 'method' | 'url'>[];
  changed: Change[];
}): string {
  const { same, lost, gained, changed } = result;
  const some = (mark: string, texts: string[]): string[] => [
    ...texts.slice(0, LINES_SHOWN).map((text) => `${mark} ${line(text)}`),
    ...(texts.length > LINES_SHOWN ? [`${mark} and ${texts.length - LINES_SHOWN} more`] : []),
  ];
  const asked = (list: Pick<Change, 'method' | 'url'>[]): string[] =>
    list.map(({ method, url }) => `${method} ${url}`);
  const rows = [
    own`${same} the same, ${lost.length} lost, ${gained.length} gained, ${changed.length} changed.`,
    ...some('-', asked(lost)),
    ...some('+', asked(gained)),
    ...changed.flatMap((change) => [
      `~ ${line(`${change.method} ${change.url}`)}`,
      ...some('  -', change.lost),
      ...some('  +', change.gained),
    ]),
  ];
  return `${rows.join('\n')}\n`;
}
