/**
 * React sends the slow parts of a page behind the rest of it, in hidden elements, each with a script that moves it to the place that was left for it:
 * `<!--$?--><template id="B:0"></template>Loading<!--/$-->` … `<div hidden id="S:0">text</div><script>$RC("B:0","S:0")</script>`; what stood in the
 * place goes. A part that came with a gap gets the rest in the same way: `<template id="P:1"></template>` … `$RS("S:1","P:1")`.
 */

/** Moves the parts of a page that React streams late to their places. Unknown markup is left alone. */
export function placeStreamed(html: string): string {
  if (!html.includes('$RC(')) return html;
  const pieces: string[] = [];
  writeStretch(readStream(html), { start: 0, end: html.length, marks: 0 }, pieces);
  return pieces.join('');
}

interface Stretch {
  start: number;
  end: number;
  /** Which of the marks is the first behind its start. */
  marks: number;
}

/** A placeholder with its fallback, or a streamed part with the element around it. */
interface Mark {
  start: number;
  /** Zero until it is found. */
  end: number;
  id: string;
  /** The content of a part. */
  body: Stretch | undefined;
}

interface Stream {
  html: string;
  /** Places and parts in the order of the source. */
  marks: Mark[];
  parts: Map<string, Mark>;
  /** From the id of a place to that of its part. */
  moves: Map<string, string>;
  placed: Set<Mark>;
}

/** The maximum nesting of parts in each other. */
const PARTS_MAX = 1_000;

const TOKEN = new RegExp(
  [
    '<div hidden id="(?<part>[^"<>]{0,40}S:[0-9a-f]{1,6})">',
    '<(?<slash>/?)div[\\s>]',
    '<!--\\$\\?--><template id="(?<place>[^"<>]{0,40}B:[0-9a-f]{1,6})"></template>',
    '<template id="(?<gap>[^"<>]{0,40}P:[0-9a-f]{1,6})"></template>',
    '<!--(?<edge>/?\\$)[?!]?-->',
    '<(?<raw>script|style|textarea|noscript)[\\s>]',
    '<!--',
  ].join('|'),
  'gi',
);

/** Finds all parts, places and moves in one pass. */
function readStream(html: string): Stream {
  const stream: Stream = { html, marks: [], parts: new Map(), moves: new Map(), placed: new Set() };
  const readDiv = createDivReader(stream);
  const pending: (Mark | undefined)[] = [];
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(html); token !== null; token = TOKEN.exec(html)) {
    const { part, slash, place, gap, edge, raw } = token.groups as Record<string, string | undefined>;
    const [start, end] = [token.index, TOKEN.lastIndex];
    if (part !== undefined || slash !== undefined) readDiv(start, end, slash === '/', part);
    else if (place !== undefined)
      pending.push(addMark(stream, { start, end: 0, id: place, body: undefined }));
    else if (gap !== undefined) addMark(stream, { start, end, id: gap, body: undefined });
    else if (edge === '$') pending.push(undefined);
    else if (edge === '/$') {
      const ended = pending.pop();
      if (ended !== undefined) ended.end = end;
    } else TOKEN.lastIndex = raw === undefined ? skipComment(html, start) : skipRaw(stream, raw, end);
  }
  return stream;
}

function addMark({ marks }: Stream, mark: Mark): Mark {
  marks.push(mark);
  return mark;
}

type DivReader = (start: number, end: number, isEnd: boolean, id: string | undefined) => void;

/** Parts are not nested in the source. A part without a script after it is incomplete, and ignored. */
function createDivReader(stream: Stream): DivReader {
  const { html, marks, parts } = stream;
  let depth = 0;
  let open: { mark: Mark; body: Stretch; depth: number } | undefined;
  return (start, end, isEnd, id) => {
    if (isEnd) depth -= 1;
    if (isEnd && open?.depth === depth) {
      open.body.end = start;
      open.mark.end = end;
      if (html.startsWith('<script', end) || html.startsWith('<div hidden id="', end))
        parts.set(open.mark.id, open.mark);
      open = undefined;
    }
    if (id !== undefined && open === undefined && parts.size < PARTS_MAX) {
      const body = { start: end, end: 0, marks: marks.length + 1 };
      open = { mark: addMark(stream, { start, end: 0, id, body }), body, depth };
    }
    if (!isEnd) depth += 1;
  };
}

function skipComment(html: string, start: number): number {
  const stop = html.indexOf('-->', start + 2);
  return stop < 0 ? html.length : stop + 3;
}

const RAW_END = /<\/(script|style|textarea|noscript)[\s>]/gi;
const MOVE = /\$R([CRS])\("([^"\\]{1,50})","([^"\\]{1,50})"/g;

/** Skips raw content and returns the position after it. Scripts are searched for moves. */
function skipRaw({ html, moves }: Stream, tag: string, start: number): number {
  const name = tag.toLowerCase();
  RAW_END.lastIndex = start;
  let end = RAW_END.exec(html);
  while (end !== null && end[1]?.toLowerCase() !== name) end = RAW_END.exec(html);
  const stop = end?.index ?? html.length;
  if (name === 'script')
    for (const [, kind, first = '', second = ''] of html.slice(start, stop).matchAll(MOVE))
      if (kind === 'S') moves.set(second, first);
      else moves.set(first, second);
  return stop;
}

function writeStretch(stream: Stream, stretch: Stretch, pieces: string[]): void {
  const { html, marks, placed } = stream;
  let position = stretch.start;
  for (let index = stretch.marks; index < marks.length; index++) {
    const mark = marks[index] as Mark;
    if (mark.start >= stretch.end) break;
    if (mark.start < position || mark.end === 0 || mark.end > stretch.end) continue;
    const part = partFor(stream, mark);
    if (part?.body === undefined && !placed.has(mark)) continue;
    pieces.push(html.slice(position, mark.start));
    position = mark.end;
    if (part?.body === undefined) continue;
    placed.add(part);
    writeStretch(stream, part.body, pieces);
  }
  pieces.push(html.slice(position, stretch.end));
}

/** The part that belongs in a place. It comes behind it, so that none can be in itself, and only once. */
function partFor({ parts, moves, placed }: Stream, place: Mark): Mark | undefined {
  const part = place.body === undefined ? parts.get(moves.get(place.id) ?? '') : undefined;
  return part === undefined || part.start < place.end || placed.has(part) ? undefined : part;
}
