import { cleanText } from '../core/text.ts';

/** A stretch of text on one line, without a gap in it that could separate columns. */
export interface PdfSegment {
  text: string;
  x: number;
  right: number;
  /** The baseline, from the bottom of the page. */
  y: number;
  size: number;
  font: string;
  isMono: boolean;
  isRtl: boolean;
  /** Narrow gaps between its words, at which it may be cut into cells of a table. */
  gaps: Gap[];
}

interface Gap {
  /** The place in the text. */
  at: number;
  left: number;
  right: number;
}

export interface PdfPage {
  number: number;
  height: number;
  segments: PdfSegment[];
}

/** What pdf.js says of a text, as far as it is used. */
export interface TextItem {
  str: string;
  width: number;
  transform: number[];
  fontName: string;
}

type Span = Omit<PdfSegment, 'gaps'>;

/** Around a raised number, which may refer to a footnote; control characters, so that no text contains them. */
export const [NOTE_START, NOTE_END] = ['\u0002', '\u0003'];

/** A gap of this many ems separates segments. */
const GAP = 0.9;
const GAP_IN_TABLE = 0.45;
const SPACE = 0.14;
/** A page with more stretches than this is a drawing; the rest of it is left out. */
const SPANS_MAX = 20_000;

/**
 * Joins the texts of a page that begins at `bottom` to segments. Text that runs in another direction than most of
 * the page is left out.
 */
export function segmentsOf(
  items: TextItem[],
  isMono: (font: string) => boolean,
  bottom: number,
): PdfSegment[] {
  const spans = uprightSpans(items.slice(0, SPANS_MAX), isMono);
  const rows: Row[] = [];
  for (const span of spans.sort((a, b) => b.y - a.y || a.x - b.x)) {
    const row = openRow(rows, span);
    if (row === undefined) rows.push({ largest: span, spans: [span] });
    else {
      row.spans.push(span);
      if (span.size > row.largest.size) row.largest = span;
    }
  }
  const segments = withLabels(rows.flatMap(({ spans: row }) => joinRow(row)));
  for (const segment of segments) segment.y -= bottom;
  return segments;
}

function openRow(rows: Row[], span: Span): Row | undefined {
  for (let at = Math.max(0, rows.length - ROWS_OPEN); at < rows.length; at += 1)
    if (isInRow(span, rows[at] as Row)) return rows[at];
  return undefined;
}

interface Row {
  largest: Span;
  spans: Span[];
}

/** On the same baseline, or raised or lowered beside one of its texts; lines of other columns may be as close. */
function isInRow(span: Span, { largest, spans }: Row): boolean {
  if (!isOnLine(span, largest)) return false;
  if (Math.abs(span.y - largest.y) < largest.size * 0.1) return true;
  return spans.some(
    (one) => span.x - one.right < largest.size * GAP && one.x - span.right < largest.size * GAP,
  );
}

const ROWS_OPEN = 4;

/** Whether a text is on the line of another; a raised or lowered one is, too. */
function isOnLine(a: Span, b: Span): boolean {
  const small = a.size > b.size ? b : a;
  const large = small === a ? b : a;
  const middle = small.y + small.size / 4;
  return middle > large.y - large.size * 0.1 && middle < large.y + large.size * 0.7;
}

function uprightSpans(items: TextItem[], isMono: (font: string) => boolean): Span[] {
  const lengths = [0, 0, 0, 0];
  const texts = items.map((item) => ({ item, turn: turnOf(item), shown: item.str.trim().length }));
  for (const { turn, shown } of texts) lengths[turn]! += shown;
  const most = lengths.indexOf(Math.max(...lengths));
  const spans: Span[] = [];
  for (const { item, turn, shown } of texts) {
    if (turn !== most || shown === 0) continue;
    const { str, width, transform, fontName: font } = item;
    const [, , c = 0, d = 0, e = 0, f = 0] = transform;
    const x = turn === 0 ? e : turn === 1 ? f : turn === 2 ? -e : -f;
    const y = turn === 0 ? f : turn === 1 ? -e : turn === 2 ? -f : e;
    const size = Math.hypot(c, d);
    const isPlain = PLAIN.test(str);
    const text = isPlain ? str : readable(str);
    if (size === 0 || (!isPlain && text.trim() === '')) continue;
    const isRtl = !isPlain && RTL.test(text) && !/\p{Script=Latin}/u.test(text);
    spans.push({ text, x, right: x + width, y, size, font, isMono: isMono(font), isRtl });
  }
  return spans;
}

/** In which direction a text runs: 0 upright, then by quarters. */
const turnOf = ({ transform: [a = 0, b = 0] }: TextItem): number =>
  Math.abs(a) >= Math.abs(b) ? (a < 0 ? 2 : 0) : b > 0 ? 1 : 3;

const PLAIN = /^[ -~]*$/;
const RTL = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/;
/** Ligatures, and letters in the form that they have at one place of a word. */
const FORMS = /[\uFB00-\uFDFB\uFE70-\uFEFC]+/g;

/** The text in plain letters. pdf.js has put right-to-left scripts in their logical order. */
const readable = (str: string): string =>
  // A soft hyphen is shown only at the end of a line.
  cleanText(str.replace(FORMS, (run) => run.normalize('NFKC')).replace(/\u00AD\s*$/, '-'));

/** Puts a raised number that the line of another column is level with before or after the text beside it. */
function withLabels(segments: PdfSegment[]): PdfSegment[] {
  const labels = segments.filter(({ text }) => LABEL.test(text)).slice(0, LABELS_MAX);
  const joined = new Set<PdfSegment>();
  for (const label of labels) {
    const { x, right, y, size, text } = label;
    const isLevel = (one: PdfSegment): boolean =>
      size < one.size * 0.9 && y > one.y + one.size * 0.15 && y < one.y + one.size * 0.7;
    const beside = segments.find(
      (one) =>
        isLevel(one) && (Math.abs(one.x - right) < one.size || Math.abs(x - one.right) < one.size * 0.4),
    );
    if (beside === undefined) continue;
    const mark = `${NOTE_START}${text}${NOTE_END}`;
    if (x < beside.x) Object.assign(beside, { text: `${mark} ${beside.text}`, x, gaps: [] });
    else Object.assign(beside, { text: beside.text + mark, right });
    joined.add(label);
  }
  return joined.size === 0 ? segments : segments.filter((one) => !joined.has(one));
}

const LABEL = /^[\p{Nd}*†‡§]{1,3}$/u;
const LABELS_MAX = 100;

/** Cuts the texts of a line where there is a wide gap, and joins the others. */
function joinRow(row: Span[]): PdfSegment[] {
  const groups: Span[][] = [];
  let right = 0;
  for (const span of row.sort((a, b) => a.x - b.x)) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    // Some writers print a text twice to make it bold.
    if (last?.text === span.text && Math.abs(last.x - span.x) < span.size * 0.2) continue;
    const em = Math.max(span.size, last?.size ?? 0);
    if (group === undefined || span.x - right > em * GAP) groups.push([span]);
    else group.push(span);
    right = Math.max(span.right, groups.at(-1)?.length === 1 ? span.right : right);
  }
  return groups.map(joinGroup);
}

function joinGroup(group: Span[]): PdfSegment {
  const [only] = group;
  if (only !== undefined && group.length === 1)
    return { ...only, text: only.text.replace(/\s+/g, ' ').trimEnd(), gaps: [] };
  const main = group.reduce((most, span) => (span.text.length > most.text.length ? span : most));
  const isRtl = sum(group, (span) => (span.isRtl ? span.text.length : -span.text.length)) > 0;
  const ordered = isRtl ? rightToLeft(group) : group;
  const gaps: Gap[] = [];
  let text = '';
  for (const [index, span] of ordered.entries()) {
    const before = ordered[index - 1];
    const gap = before === undefined ? 0 : before.x < span.x ? span.x - before.right : before.x - span.right;
    const isApart = gap > Math.max(span.size, before?.size ?? 0) * SPACE;
    if (before !== undefined && gap > span.size * GAP_IN_TABLE)
      gaps.push({ at: text.length, left: before.right, right: span.x });
    if (isApart && !/\s$/.test(text) && !/^\s/.test(span.text)) text += ' ';
    const isRaised = span.size < main.size * 0.85 && span.y > main.y + main.size * 0.15;
    text +=
      isRaised && LABEL.test(span.text.trim()) ? `${NOTE_START}${span.text.trim()}${NOTE_END}` : span.text;
  }
  const { y, size, font, isMono } = main;
  const right = Math.max(...group.map((span) => span.right));
  return {
    text: text.replace(/\s+/g, ' ').trimEnd(),
    x: group[0]?.x ?? 0,
    right,
    y,
    size,
    font,
    isMono,
    isRtl,
    gaps: isRtl ? [] : gaps,
  };
}

/** From the right to the left; words and numbers of other scripts that follow each other stay in their order. */
function rightToLeft(group: Span[]): Span[] {
  const out: Span[] = [];
  let run: Span[] = [];
  for (const span of group.toReversed()) {
    if (!RTL.test(span.text) && /[\p{L}\p{Nd}]/u.test(span.text)) run.unshift(span);
    else {
      out.push(...run, span);
      run = [];
    }
  }
  return [...out, ...run];
}

export const sum = <Item>(items: Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

/** The value below which half of the others are. */
export const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
