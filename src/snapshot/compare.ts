import { createHash } from 'node:crypto';
import type { Entry, WebSnapshot } from './entry.ts';

/** What became different between two snapshots for somebody who asks the same. */
export interface SnapshotDifference {
  lost: Entry[];
  gained: Entry[];
  /** The last answer to the same request, in both. */
  changed: [before: Entry, after: Entry][];
  same: number;
}

export function compareSnapshots(before: WebSnapshot, after: WebSnapshot): SnapshotDifference {
  const [left, right] = [lastOf(before), lastOf(after)];
  const shared = [...left].flatMap(([key, entry]): [Entry, Entry][] => {
    const other = right.get(key);
    return other === undefined ? [] : [[entry, other]];
  });
  const changed = shared.filter(([a, b]) => sumOf(before, a) !== sumOf(after, b));
  return {
    lost: [...left].filter(([key]) => !right.has(key)).map(([, entry]) => entry),
    gained: [...right].filter(([key]) => !left.has(key)).map(([, entry]) => entry),
    changed,
    same: shared.length - changed.length,
  };
}

/** By request; of several answers, the last. */
const lastOf = ({ entries }: WebSnapshot): Map<string, Entry> =>
  new Map(entries.map((entry) => [entry.exact, entry]));

function sumOf(snapshot: WebSnapshot, entry: Entry): string {
  const answer = snapshot.answer(entry);
  if ('failed' in answer) return answer.failed;
  return `${answer.status} ${createHash('sha256').update(answer.bytes).digest('hex')}`;
}

/** The addresses that an answer of a provider names, in order. */
export function namedAddresses(snapshot: WebSnapshot, entry: Entry): Set<string> {
  const answer = snapshot.answer(entry);
  const found = new Set<string>();
  if (!('failed' in answer))
    for (const [address] of answer.bytes.toString().matchAll(/https?:\/\/[^\s"'<>\\]+/g)) found.add(address);
  return found;
}

/** Whether an exchange is a page that somebody reads, and not a file for robots. */
export const isReadable = ({ kind, url, status, mime = '' }: Entry): boolean =>
  kind === 'page' &&
  status === 200 &&
  /^(text\/(html|plain|markdown)|application\/(xhtml\+xml|pdf))$/.test(mime) &&
  new URL(url).pathname !== '/robots.txt';
