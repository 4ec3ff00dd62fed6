import { type Line, regionsOf } from './pdf-columns.ts';
import { median, NOTE_END, NOTE_START, type PdfPage, type PdfSegment } from './pdf-lines.ts';
import { withoutRunning } from './pdf-running.ts';
import { tableAt } from './pdf-table.ts';

export interface PdfBlock {
  kind: 'heading' | 'paragraph' | 'caption' | 'item' | 'table' | 'code' | 'note';
  page: number;
  text: string;
  size: number;
  /** The level of a heading, or how deep a list item is. */
  level: number;
  /** The mark of a list item, or the label of a footnote. */
  mark: string;
  rows: string[][];
}

/** What is usual in a document. */
interface Usual {
  size: number;
  font: string;
  /** The words in it that have a hyphen or a capital within them. */
  words(): Set<string>;
  /** The titles of the outline, folded. */
  outline: Set<string>;
}

interface Heading {
  block: PdfBlock;
  style: string;
  /** How many numbers are before it: two in `1.2 Mills`. */
  depth: number;
}

/** The blocks of a document in reading order. */
export function pdfBlocks(pages: PdfPage[], outline: string[]): PdfBlock[] {
  const kept = withoutRunning(pages);
  const usual = usualOf(
    kept.flatMap(({ segments }) => segments),
    outline,
  );
  const blocks: PdfBlock[] = [];
  const headings: Heading[] = [];
  const gutters: number[] = [];
  for (const page of kept) {
    const notes: PdfBlock[] = [];
    for (const region of regionsOf(page.segments, gutters)) {
      const end = notesStart(region, usual, page.height);
      notes.push(...notesOf(region.slice(end), page.number, usual));
      addRegion(blocks, headings, [...groupsOf(region.slice(0, end), usual)], page.number, usual);
    }
    blocks.push(...notes);
  }
  setLevels(headings);
  return blocks;
}

function addRegion(
  blocks: PdfBlock[],
  headings: Heading[],
  groups: Group[],
  page: number,
  usual: Usual,
): void {
  let isFirst = true;
  for (const group of groups) {
    const block = blockOf(group, page, usual);
    if (block.kind === 'heading') headings.push({ block, ...styleOf(group, block) });
    if (block.kind === 'item') block.level = levelOfItem(blocks, block, group);
    const open = isFirst ? blocks.findLast((one) => !isFloat(one, usual)) : undefined;
    if (open !== undefined && goesOn(open, block)) open.text = glue(open.text, block.text, usual.words);
    else blocks.push(block);
    isFirst &&= isFloat(block, usual);
  }
}

/** What may stand between two parts of a paragraph: also small print, and the words of a drawing. */
const isFloat = ({ kind, size, text }: PdfBlock, usual: Usual): boolean =>
  kind === 'caption' ||
  kind === 'table' ||
  kind === 'note' ||
  kind === 'code' ||
  size < usual.size * 0.93 ||
  (kind === 'paragraph' && text.length < 20 && !isSentenceEnd(text));

const isSentenceEnd = (text: string): boolean =>
  /[.!?:;…。！？؟।]["'”’»)\]]*(?:\u0002[^\u0003]*\u0003)?$/.test(text.slice(-10));

/** Whether a block at the top of a column or page continues the last one of the column or page before. */
function goesOn(open: PdfBlock, next: PdfBlock): boolean {
  if (next.kind !== 'paragraph' || (open.kind !== 'paragraph' && open.kind !== 'item')) return false;
  if (Math.abs(open.size - next.size) > next.size * 0.06 || isSentenceEnd(open.text)) return false;
  return /^[\p{Ll}\p{Lo}\p{Nd}("“«]/u.test(next.text);
}

function usualOf(segments: PdfSegment[], outline: string[]): Usual {
  const sizes = new Map<number, number>();
  const fonts = new Map<string, number>();
  for (const { text, size, isMono } of segments) if (!isMono) add(sizes, rounded(size), text.length);
  const size = mostOf(sizes) ?? 10;
  for (const one of segments)
    if (rounded(one.size) === size && !one.isMono) add(fonts, one.font, one.text.length);
  let words: Set<string> | undefined;
  return {
    size,
    font: mostOf(fonts) ?? '',
    words: () => (words ??= wordsOf(segments)),
    outline: new Set(outline.map(folded)),
  };
}

/** The words that have a hyphen or a capital within them. */
function wordsOf(segments: PdfSegment[]): Set<string> {
  const words = new Set<string>();
  for (const { text } of segments) {
    if (words.size > WORDS_MAX) break;
    if (text.includes('-'))
      for (const [word] of text.matchAll(/\p{L}+-\p{L}+/gu)) words.add(word.toLowerCase());
    if (/[a-z][A-Z]/.test(text))
      for (const [word] of text.matchAll(/\p{L}*\p{Ll}\p{Lu}\p{L}*/gu)) words.add(word.toLowerCase());
  }
  return words;
}

const WORDS_MAX = 200_000;
const rounded = (size: number): number => Math.round(size * 2) / 2;
const add = <Key>(map: Map<Key, number>, key: Key, count: number): unknown =>
  map.set(key, (map.get(key) ?? 0) + count);
const mostOf = <Key>(map: Map<Key, number>): Key | undefined => [...map].sort((a, b) => b[1] - a[1])[0]?.[0];
const folded = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The lines of one block, or the rows of a table. */
interface Group {
  lines: Line[];
  rows?: string[][];
}

function* groupsOf(lines: Line[], usual: Usual): Generator<Group> {
  const right = lines.reduce((most, line) => Math.max(most, endOf(line)), -Infinity);
  const gaps = lines.slice(1).map((line, index) => (lines[index] as Line).y - line.y);
  const spacing =
    median(gaps.filter((gap, index) => gap < (lines[index] as Line).size * 2.5)) || usual.size * 1.2;
  let group: Line[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as Line;
    const table = line.isMono ? undefined : tableAt(lines, at);
    if (
      group.length > 0 &&
      (table !== undefined || isNew(group, line, lines[at + 1], { right, spacing, usual }))
    ) {
      yield { lines: group };
      group = [];
    }
    if (table === undefined) group.push(line);
    else {
      yield { lines: lines.slice(at, at + table.lines), rows: table.rows };
      at += table.lines - 1;
    }
  }
  if (group.length > 0) yield { lines: group };
}

/** Where a line starts and ends in the direction in which it is read. */
const startOf = (line: PdfSegment): number => (line.isRtl ? -line.right : line.x);
const endOf = (line: PdfSegment): number => (line.isRtl ? -line.x : line.right);

interface Frame {
  right: number;
  spacing: number;
  usual: Usual;
}

/** Whether a line begins a block. */
function isNew(group: Line[], line: Line, next: Line | undefined, { right, spacing, usual }: Frame): boolean {
  const [first, before] = [group[0] as Line, group.at(-1) as Line];
  if (hasLeader(before.text)) return true;
  const isLarge = line.size > usual.size * LARGE;
  const gap = before.y - line.y;
  if (gap > Math.max(spacing * 1.25, isLarge ? line.size * 1.45 : 0)) return true;
  if (line.isMono || before.isMono) return line.isMono !== before.isMono;
  if (Math.abs(line.size - before.size) > Math.max(line.size, before.size) * 0.08) return true;
  const wordEnd = line.text.indexOf(' ') === -1 ? line.text.length : line.text.indexOf(' ');
  const word = ((line.right - line.x) / line.text.length) * (wordEnd + 1);
  // The next word would have had room on the line, so the line was ended on purpose.
  const isEnded = right - endOf(before) > word * 1.15 + line.size * 0.3;
  if (isLarge) return false;
  if (BULLET.test(line.text)) return true;
  if (NUMBER.test(line.text) && (isEnded || isSentenceEnd(before.text))) return true;
  if (line.font !== before.font && isEnded) return true;
  if (
    line.font !== before.font &&
    isSentenceEnd(before.text) &&
    right - endOf(line) > (right - startOf(line)) * 0.3
  )
    return true;
  if (isEnded && (isSentenceEnd(before.text) || !/^\p{Ll}/u.test(line.text))) return true;
  const indent = startOf(line) - startOf(before);
  if (Math.abs(indent) < line.size * 0.8) return false;
  if (markOf(first.text) !== undefined) return indent < 0 && startOf(line) < startOf(first) + line.size * 0.5;
  if (indent < 0) return group.length > 1;
  return group.length > 1 || next === undefined || startOf(next) < startOf(line) - line.size * 0.5;
}

const LARGE = 1.12;
/** The dots before a page number in a table of contents. */
const hasLeader = (text: string): boolean => /(?:\s?[.·…_]){4,}\s*[\divxlc]{1,6}$/.test(text.slice(-20));
const BULLET = /^([•‣▪◦●○■□·\uF0A7\uF0B7])\s*(?=\S)/;
const NUMBER =
  /^([–—*-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})\)|(?:\d{1,3}|[a-z]|[ivx]{1,5})\.|\[\d{1,3}\])\s+(?=\S)/;
const markOf = (text: string): string | undefined => (BULLET.exec(text) ?? NUMBER.exec(text))?.[0];
const CAPTION =
  /^(?:fig(?:ure|\.)?|table|tab\.|chart|plate|abb(?:ildung|\.)|tabelle|figura|tabla|tableau|рис(?:унок|\.)|таблица|図|表|图|شكل|جدول)\s*[\dIVX]+/iu;

function blockOf({ lines, rows }: Group, page: number, usual: Usual): PdfBlock {
  const first = lines[0] as Line;
  const block = (kind: PdfBlock['kind'], text: string, mark = ''): PdfBlock => ({
    kind,
    page,
    text,
    size: first.size,
    level: 0,
    mark,
    rows: rows ?? [],
  });
  if (rows !== undefined) return block('table', '');
  if (first.isMono && lines.length > 1) return block('code', codeOf(lines));
  let text = first.text;
  for (let at = 1; at < lines.length; at++) text = glue(text, (lines[at] as Line).text, usual.words);
  if (hasLeader(text)) return block('item', text.replace(/\s*(?:\s?[.·…_]){4,}\s*/g, ' … '), '-');
  if (CAPTION.test(text)) return block('caption', text);
  if (isHeading(lines, text, usual)) return block('heading', text);
  const mark = markOf(text);
  return mark === undefined ? block('paragraph', text) : block('item', text.slice(mark.length), mark.trim());
}

/** Joins two lines of a paragraph: without the hyphen of a word that was divided, and without a space between ideographs. */
function glue(before: string, after: string, words: () => Set<string>): string {
  const last = before.at(-1) ?? '';
  const [, head] =
    last === '-' || last === '\u2010' ? (/(\p{L}+).$/u.exec(before.slice(-WORD_MAX)) ?? []) : [];
  if (head !== undefined) {
    const [rest] = /^\p{L}+/u.exec(after) ?? [];
    if (rest === undefined) return /^\p{N}/u.test(after) ? before + after : `${before} ${after}`;
    // A name is not divided, unless it is also written in one word.
    const isDivided = /^\p{Ll}/u.test(rest)
      ? !words().has(`${head}-${rest}`.toLowerCase())
      : words().has((head + rest).toLowerCase());
    return (isDivided ? before.slice(0, -1) : before) + after;
  }
  const isDense = DENSE.test(last) && DENSE.test(after[0] ?? '');
  return isDense ? before + after : `${before} ${after}`;
}

const WORD_MAX = 60;
const DENSE = /[\u3000-\u30FF\u3400-\u9FFF\uF900-\uFAFF\uFF00-\uFF60]/;

function codeOf(lines: Line[]): string {
  const left = Math.min(...lines.map(({ x }) => x));
  const { x, right, text } = lines.reduce((most, line) => (line.text.length > most.text.length ? line : most))
    .cells[0] as PdfSegment;
  const width = (right - x) / text.length || 1;
  return lines
    .map(({ cells }) =>
      cells.reduce((out, cell) => {
        const at = Math.min(CODE_CHARS_MAX, Math.round((cell.x - left) / width));
        return `${out}${' '.repeat(Math.max(out === '' ? 0 : 1, at - out.length))}${cell.text}`;
      }, ''),
    )
    .join('\n');
}

const CODE_CHARS_MAX = 200;

/** A short text that is larger than usual, in another font, all in capitals, or in the outline. */
function isHeading(lines: Line[], text: string, { size, font, outline }: Usual): boolean {
  const first = lines[0] as Line;
  if (
    lines.length > 3 ||
    text.length > 200 ||
    !/\p{L}.*\p{L}.*\p{L}|\p{Lo}{2}/u.test(text) ||
    hasLeader(text)
  )
    return false;
  if (first.size > size * LARGE) return true;
  if (outline.size > 0 && text.length > 2 && outline.has(folded(text))) return true;
  if (lines.length > 2 || text.length > 100 || /[.,;:!]$/.test(text) || first.cells.length > 2) return false;
  if (first.size < size * 0.95 || /^[\p{Ll}("“]/u.test(text) || BULLET.test(text)) return false;
  if (first.isMono || /@|https?:/.test(text)) return false;
  const isCapitals = /\p{Lu}{4}/u.test(text) && !/\p{Ll}/u.test(text);
  return lines.every((line) => line.font !== font) || (isCapitals && lines.length === 1 && text.length < 60);
}

function styleOf({ lines }: Group, { text }: PdfBlock): Omit<Heading, 'block'> {
  const { size, font } = lines[0] as Line;
  return {
    style: `${rounded(size)} ${font}`,
    depth: /^(\d+(?:\.\d+)*)\.?\s/.exec(text)?.[1]?.split('.').length ?? 0,
  };
}

/** Larger headings are above smaller ones; of those in one style, more numbers mean a lower level. */
function setLevels(headings: Heading[]): void {
  const styles = [...new Set(headings.map(({ style }) => style))].sort(
    (a, b) => Number.parseFloat(b) - Number.parseFloat(a),
  );
  let level = 0;
  for (const style of styles) {
    const own = headings.filter((heading) => heading.style === style);
    const depths = own.map(({ depth }) => depth).filter((depth) => depth > 0);
    const least = Math.min(...depths);
    level += 1;
    for (const { block, depth } of own)
      block.level = Math.min(6, level + Math.max(0, depth === 0 ? 0 : depth - least));
    if (depths.length > 0) level += Math.min(2, Math.max(...depths) - least);
  }
}

/** How deep an item is: deeper than the one before it if it starts farther in. */
function levelOfItem(blocks: PdfBlock[], block: PdfBlock, { lines }: Group): number {
  const at = startOf(lines[0] as Line);
  starts.set(block, at);
  for (let index = blocks.length - 1; index >= 0; index--) {
    const before = blocks[index] as PdfBlock;
    if (before.kind !== 'item') break;
    const start = starts.get(before) ?? at;
    if (Math.abs(at - start) < block.size * 0.5) return before.level;
    if (at > start) return Math.min(5, before.level + 1);
  }
  return 0;
}

const starts = new WeakMap<PdfBlock, number>();

const NOTE = new RegExp(
  `^(?:${NOTE_START}([^${NOTE_END}]+)${NOTE_END}|(\\d{1,3})[.)]?\\s|([*†‡§]))\\s*(?=\\p{L}|["“(\\[])`,
  'u',
);

/** The line at which the footnotes of a region begin: small print to its end, in the lower half of the page. */
function notesStart(region: Line[], usual: Usual, height: number): number {
  let start = region.length;
  for (let index = region.length - 1; index >= 0; index--) {
    const line = region[index] as Line;
    if (line.size > usual.size * 0.93 || line.y > height * 0.6) break;
    if (NOTE.test(line.text)) start = index;
  }
  return start;
}

function notesOf(lines: Line[], page: number, { words }: Usual): PdfBlock[] {
  const notes: PdfBlock[] = [];
  for (const { text, size } of lines) {
    const [all, ...marks] = NOTE.exec(text) ?? [];
    const last = notes.at(-1);
    const mark = marks.find((one) => one !== undefined) ?? '';
    if (all !== undefined)
      notes.push({ kind: 'note', page, size, level: 0, rows: [], mark, text: text.slice(all.length) });
    else if (last !== undefined) last.text = glue(last.text, text, words);
  }
  return notes;
}

/** The largest text of the first page, if it is larger than the others. */
export function pdfTitle(blocks: PdfBlock[]): string | undefined {
  const page = blocks[0]?.page;
  const texts = blocks.filter(
    (block) => block.page === page && (block.kind === 'heading' || block.kind === 'paragraph'),
  );
  const largest = Math.max(...texts.map(({ size }) => size));
  const found = texts.filter(({ kind, size }) => kind === 'heading' && size > largest * 0.97);
  const isLarger = texts.some(({ size }) => size < largest / LARGE);
  return isLarger && found.length > 0 && found.length < 4
    ? found.map(({ text }) => text).join(' ')
    : undefined;
}
