import type { ContentFormat } from '../core/query.ts';

/**
 * A block of content: a heading, paragraph, list, table or code. Offsets are UTF-16 units; `end` is after its
 * last line break.
 */
export interface TextBlock {
  kind: 'heading' | 'code' | 'table' | 'paragraph';
  start: number;
  end: number;
  /** The level of a heading, 1–6, and its text. */
  level?: number;
  title?: string;
}

/** The blocks of a content in order. They do not overlap, and only white space is between them. */
export function blocksOf(content: string, format: ContentFormat): TextBlock[] {
  const blocks: TextBlock[] = [];
  let open: TextBlock | undefined;
  let fence = '';
  const close = () => {
    if (open !== undefined)
      blocks.push(format === 'text' && isTabbed(content, open) ? { ...open, kind: 'table' } : open);
    open = undefined;
  };
  for (const [start, end] of linesOf(content)) {
    const line = content.slice(start, Math.min(end, start + LINE_LOOK_CHARS));
    if (fence !== '' && open !== undefined) {
      open.end = end;
      if (line.trim().startsWith(fence) && line.trim().replaceAll(fence[0] ?? '', '') === '') {
        fence = '';
        close();
      }
      continue;
    }
    const kind = format === 'text' ? plainKind(line) : lineKind(line);
    if (kind === 'blank' || kind !== open?.kind || kind === 'heading' || isNextItem(content, open, line))
      close();
    if (kind === 'blank') continue;
    if (kind === 'fence') {
      fence = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? '```';
      open = { kind: 'code', start, end };
    } else if (kind === 'heading') {
      const [, marks = '#', title = ''] = HEADING.exec(line) ?? [];
      open = { kind, start, end, level: marks.length, title: plainTitle(title) };
    } else if (open === undefined) open = { kind, start, end };
    else open.end = end;
  }
  close();
  return blocks;
}

/** True when a list item begins after a paragraph that belongs to the item before it. */
const isNextItem = (content: string, open: TextBlock, line: string): boolean =>
  /^[ \t]/.test(content.slice(open.start, open.start + 1)) && /^(?:[-*+]|\d{1,3}[.)])[ \t]/.test(line);

/** The visible text of a heading: without link targets and emphasis marks. */
const plainTitle = (title: string): string =>
  title
    .replace(/\s+#+\s*$/, '')
    .replace(/!?\[((?:[^\]\\]|\\.)*)\]\([^()\s]*\)/g, '$1')
    .replace(/\*\*|(?<![\\\w])\*(?=\S)|(?<=[^\s\\])\*(?!\w)/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim();

/** The start and end of every line; the end is after its line break. */
export function* linesOf(content: string, from = 0, to = content.length): Generator<[number, number]> {
  let start = from;
  while (start < to) {
    const found = content.indexOf('\n', start);
    const end = found === -1 || found >= to ? to : found + 1;
    yield [start, end];
    start = end;
  }
}

/**
 * True when the first two lines have the same number of tab-separated cells, which is what remains of a table
 * in plain text.
 */
function isTabbed(content: string, { start, end }: TextBlock): boolean {
  const lines = linesOf(content, start, end);
  const [first, second] = [lines.next().value, lines.next().value];
  if (!first || !second) return false;
  const cells = cellsOf(content.slice(...first));
  return cells > 1 && cells === cellsOf(content.slice(...second));
}

const cellsOf = (line: string): number => line.slice(0, LINE_LOOK_CHARS).trim().split('\t').length;

/** Only the start of a line is examined; a line may have megabytes. */
const LINE_LOOK_CHARS = 1_000;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)/;

const plainKind = (line: string): 'blank' | 'paragraph' => (line.trim() === '' ? 'blank' : 'paragraph');

function lineKind(line: string): 'blank' | 'fence' | 'heading' | 'table' | 'paragraph' {
  if (line.trim() === '') return 'blank';
  if (/^\s{0,12}(?:`{3,}|~{3,})/.test(line)) return 'fence';
  if (HEADING.test(line)) return 'heading';
  return /^\s{0,12}\|/.test(line) ? 'table' : 'paragraph';
}
