import { hostOf } from '../../core/url.ts';
import { chunkText } from '../../rank/chunk.ts';
import { isForeign } from '../../rank/language.ts';
import { isToned, tokeniseFolded, tokeniseForeign } from '../../rank/tokenise.ts';
import { hash53 } from './bytes.ts';
import { DOCUMENT_KINDS, type StoredDocument } from '../document.ts';
import { createPostingsLog } from './postings-log.ts';
import { encodeIndex } from './format.ts';

/** The weight of a term in a title or heading. */
const TITLE_TIMES = 3;
const HEADING_TIMES = 1;
/** Longer documents are indexed in units of about this size, cut at their headings. */
const UNIT_CHARS_MAX = 4_000;
const LENGTH_MAX = 0xffff;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Collects documents and builds their index. Offsets are those of the records in the docs file. */
export interface SegmentBuilder {
  readonly documents: number;
  add(document: StoredDocument, offset: number): void;
  encode(): Uint8Array;
}

export function createSegmentBuilder(): SegmentBuilder {
  const units = {
    document: [] as number[],
    start: [] as number[],
    end: [] as number[],
    length: [] as number[],
  };
  const documents: { document: Omit<StoredDocument, 'content'>; offset: number }[] = [];
  const postings = createPostingsLog();
  const names = new Set<string>();

  const addUnit = (start: number, end: number, length: number) => {
    postings.endUnit(units.document.length);
    units.document.push(documents.length - 1);
    units.start.push(start);
    units.end.push(end);
    units.length.push(Math.min(length, LENGTH_MAX));
  };
  return {
    get documents() {
      return documents.length;
    },
    add: (document, offset) => {
      const { content, ...rest } = document;
      documents.push({ document: rest, offset });
      const titled = titleOf(document);
      for (const term of tokeniseFolded(titled)) names.add(term);
      const termsOf = isForeign(`${titled}\n${content}`) ? tokeniseForeign : tokeniseFolded;
      const toned = termsOf === tokeniseForeign && isToned(content);
      const title = termsOf(titled);
      for (const unit of unitsOf(document)) {
        const text = termsOf(content.slice(unit.start, unit.end));
        const headings = unit.headings === '' ? [] : termsOf(unit.headings);
        postings.count(text, 1);
        // A question may be typed without tones.
        if (toned) postings.count(tokeniseFolded(content.slice(unit.start, unit.end)), 1);
        postings.count(headings, HEADING_TIMES);
        postings.count(title, TITLE_TIMES);
        addUnit(
          unit.start,
          unit.end,
          text.length + headings.length * HEADING_TIMES + title.length * TITLE_TIMES,
        );
      }
    },
    encode: () =>
      encodeIndex({
        ...unitColumns(units),
        ...documentColumns(documents),
        ...postings.columns(units.length),
        names: [...names].sort(),
      }),
  };
}

const titleOf = (document: StoredDocument): string =>
  document.package === undefined
    ? document.title
    : `${document.title} ${document.package.replace(/[@/_.-]+/g, ' ')}`;

/** A short document is one unit. A long one is split, and the headings above a unit count towards it. */
function unitsOf({ content, format }: StoredDocument): { start: number; end: number; headings: string }[] {
  if (content.length <= UNIT_CHARS_MAX) return [{ start: 0, end: content.length, headings: '' }];
  const chunks = packed(chunkText(content, { charsMax: UNIT_CHARS_MAX, format }));
  return chunks.length === 0 ? [{ start: 0, end: content.length, headings: '' }] : chunks;
}

/** Joins short sections until a unit has a reasonable length. */
function packed(chunks: ReturnType<typeof chunkText>): { start: number; end: number; headings: string }[] {
  const units: { start: number; end: number; headings: string }[] = [];
  for (const { start, end, headings = [] } of chunks) {
    const open = units.at(-1);
    if (open !== undefined && end - open.start <= UNIT_CHARS_MAX) open.end = end;
    // The last heading is in the text itself.
    else units.push({ start, end, headings: headings.slice(0, -1).join('\n') });
  }
  return units;
}

function unitColumns(units: { document: number[]; start: number[]; end: number[]; length: number[] }) {
  return {
    unitDocument: Uint32Array.from(units.document),
    unitStart: Uint32Array.from(units.start),
    unitEnd: Uint32Array.from(units.end),
    unitLength: Uint16Array.from(units.length),
  };
}

function documentColumns(documents: { document: Omit<StoredDocument, 'content'>; offset: number }[]) {
  const domains = createList();
  const packages = createList();
  const ids = documents
    .map(({ document }, at) => [hash53(document.id), at] as const)
    .sort((a, b) => a[0] - b[0]);
  const all = documents.map(({ document }) => document);
  return {
    documentOffset: Float64Array.from(documents, ({ offset }) => offset),
    idHash: Float64Array.from(ids, ([hash]) => hash),
    idDocument: Uint32Array.from(ids, ([, at]) => at),
    contentHash: Float64Array.from(all, ({ hash }) => hash),
    publishedDay: Int32Array.from(all, ({ publishedDate }) => dayOf(publishedDate)),
    addedMinute: Uint32Array.from(all, ({ addedAt }) => Math.floor(addedAt / MINUTE_MS)),
    expiresMinute: Uint32Array.from(all, ({ expiresAt }) => Math.ceil((expiresAt ?? 0) / MINUTE_MS)),
    domain: Uint32Array.from(all, ({ url }) => domains.place(hostOf(url))),
    package: Uint32Array.from(all, (document) => packages.place(document.package ?? '')),
    kind: Uint8Array.from(all, ({ kind }) => DOCUMENT_KINDS.indexOf(kind)),
    domains: domains.values,
    packages: packages.values,
  };
}

function createList() {
  const values = [''];
  const places = new Map([['', 0]]);
  return {
    values,
    place: (value: string): number => {
      const known = places.get(value);
      if (known !== undefined) return known;
      places.set(value, values.length);
      return values.push(value) - 1;
    },
  };
}

function dayOf(date: string | undefined): number {
  const time = date === undefined ? Number.NaN : Date.parse(date.slice(0, 10));
  return Number.isNaN(time) ? 0 : Math.floor(time / DAY_MS);
}
