import { decodeAttribute, decodeText } from './attributes.ts';
import { createNameFinder } from './names.ts';
import { KNOWN_TAGS } from './tags.ts';

/**
 * Receives the events of a scan in document order. Names are lower case; attributes are pairs in a flat
 * list.
 */
export interface ScanHandler {
  open(name: string, attributes: string[], selfClosing: boolean): void;
  close(name: string): void;
  text(text: string): void;
  /** The raw content of `<script>`, `<style>` and similar elements. */
  raw(name: string, content: string): void;
  /** Names of attributes that are read besides those that always are. */
  readsAlso?: string[];
}

/** Elements whose content is not markup. */
const RAW = new Set(['script', 'style', 'textarea', 'title', 'iframe', 'noembed', 'noframes', 'xmp']);

/** The attributes that are used; all others are skipped without being copied. */
const findAttribute = createNameFinder(
  (
    'class id role itemprop itemtype itemscope href src alt title style hidden aria-hidden aria-label aria-modal aria-controls data-src data-lazy-src ' +
    'data-original srcset data-srcset name content property rel datetime colspan rowspan lang start type charset http-equiv ' +
    'dir data-path data-preloaded data-lang data-language language encoding value color bgcolor sizes media alttext data-testid width height open shadowrootmode ' +
    'data-cfemail data-tex data-latex data-math checked disabled reversed close separators linethickness action for popover popovertarget commandfor data-target data-bs-target'
  ).split(' '),
);
const findTag = createNameFinder(KNOWN_TAGS);
const ATTRIBUTES_MAX = 40;
const NO_ATTRIBUTES: string[] = [];

const TAB = 9;
const SPACE = 32;
const BANG = 33;
const QUOTE = 34;
const APOSTROPHE = 39;
const SLASH = 47;
const EQUALS = 61;
const GREATER = 62;
const QUESTION = 63;

/**
 * One pass over the source without lookahead beyond `indexOf`: linear on any input, no recursion, no state per depth. It follows
 * the HTML standard where pages depend on it (raw text, quotes, bogus comments) and never fails.
 */
export function scanHtml(html: string, handler: ScanHandler): void {
  let position = 0;
  // A `<` that does not start a tag is text.
  let search = 0;
  for (;;) {
    const open = html.indexOf('<', search);
    if (open < 0) break;
    const next = html.charCodeAt(open + 1);
    const isMarkup = isLetter(next) || next === SLASH || next === BANG || next === QUESTION;
    search = open + 1;
    if (!isMarkup) continue;
    if (open > position) handler.text(decodeText(html.slice(position, open)));
    if (next === SLASH) position = scanClose(html, open, handler);
    else if (isLetter(next)) position = scanTag(html, open + 1, handler);
    else position = skipDeclaration(html, open);
    search = position;
  }
  if (position < html.length) handler.text(decodeText(html.slice(position)));
  // Its last values are slices of this page.
  found.length = 0;
}

/** Where the attributes of a tag are gathered: a list that grows for each tag would be mostly empty room. */
const found: string[] = [];

/** Publishers write the elements of formulas with the prefix that they have in XML. */
const tagName = (html: string, start: number, end: number): string =>
  findTag(html, start, end) ?? html.slice(start, end).toLowerCase().replace(/^mml:/, '');

function scanTag(html: string, start: number, handler: ScanHandler): number {
  let position = nameEnd(html, start);
  const name = tagName(html, start, position);
  let count = 0;
  for (;;) {
    position = skipSpace(html, position);
    const code = html.charCodeAt(position);
    if (code === GREATER || Number.isNaN(code)) break;
    const nameStart = position;
    position = attributeNameEnd(html, position);
    const nameStop = position;
    position = skipSpace(html, position);
    const value = scanValue(html, position);
    position = value.next;
    const attribute =
      findAttribute(html, nameStart, nameStop) ?? alsoRead(html, nameStart, nameStop, handler);
    if (attribute !== undefined && count < 2 * ATTRIBUTES_MAX) {
      found[count] = attribute;
      found[count + 1] = decodeAttribute(html.slice(value.start, value.stop));
      count += 2;
    }
  }
  const selfClosing = html.charCodeAt(position - 1) === SLASH;
  handler.open(name, count === 0 ? NO_ATTRIBUTES : found.slice(0, count), selfClosing);
  const isRaw = RAW.has(name) && (!selfClosing || (name === 'script' && endsBeforeNext(html, position)));
  return isRaw ? scanRaw(html, position + 1, name, handler) : position + 1;
}

function alsoRead(
  html: string,
  start: number,
  stop: number,
  { readsAlso = [] }: ScanHandler,
): string | undefined {
  for (const name of readsAlso) if (name.length === stop - start && html.startsWith(name, start)) return name;
  return undefined;
}

/** `<script/>` is no empty element for a browser: the program follows, unless the next script begins before one ends. */
function endsBeforeNext(html: string, position: number): boolean {
  NEXT_SCRIPT.lastIndex = position;
  return NEXT_SCRIPT.exec(html)?.[0].startsWith('</') === true;
}

const NEXT_SCRIPT = /<\/?script[\s>/]/gi;

interface Value {
  start: number;
  stop: number;
  next: number;
}

/** The value after an attribute's name; empty when there is none. */
function scanValue(html: string, position: number): Value {
  if (html.charCodeAt(position) !== EQUALS) return { start: position, stop: position, next: position };
  const start = skipBlank(html, position + 1);
  const quote = html.charCodeAt(start);
  if (quote !== QUOTE && quote !== APOSTROPHE) {
    const stop = unquotedEnd(html, start);
    return { start, stop, next: stop };
  }
  const end = html.indexOf(quote === QUOTE ? '"' : "'", start + 1);
  const stop = end < 0 ? html.length : end;
  return { start: start + 1, stop, next: stop + 1 };
}

/** Reports the raw content of `name` and returns the position of its end tag. */
function scanRaw(html: string, start: number, name: string, handler: ScanHandler): number {
  let stop = html.indexOf('</', start);
  while (stop >= 0 && !isEndTagOf(html, stop + 2, name)) stop = html.indexOf('</', stop + 2);
  if (stop < 0) stop = html.length;
  handler.raw(name, html.slice(start, stop));
  return stop;
}

function isEndTagOf(html: string, start: number, name: string): boolean {
  const stop = start + name.length;
  return html.slice(start, stop).toLowerCase() === name && !isLetter(html.charCodeAt(stop));
}

function scanClose(html: string, open: number, handler: ScanHandler): number {
  const start = open + 2;
  const stop = html.indexOf('>', start);
  if (stop < 0) return html.length;
  if (isLetter(html.charCodeAt(start))) handler.close(tagName(html, start, nameEnd(html, start)));
  return stop + 1;
}

function skipDeclaration(html: string, open: number): number {
  const isComment = html.startsWith('<!--', open);
  if (isComment && html.charCodeAt(open + 4) === GREATER) return open + 5;
  const stop = isComment ? html.indexOf('-->', open + 4) : html.indexOf('>', open);
  return stop < 0 ? html.length : stop + (isComment ? 3 : 1);
}

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
const isSpace = (code: number): boolean => code === SPACE || (code >= TAB && code <= 13);

function nameEnd(html: string, start: number): number {
  let position = start;
  for (; position < html.length; position++) {
    const code = html.charCodeAt(position);
    if (code === GREATER || code === SLASH || isSpace(code)) break;
  }
  return position;
}

function attributeNameEnd(html: string, start: number): number {
  // A name may begin with `=`: the standard says so, and it keeps the scan moving.
  let position = start + 1;
  for (; position < html.length; position++) {
    const code = html.charCodeAt(position);
    if (code === EQUALS || code === GREATER || code === SLASH || isSpace(code)) break;
  }
  return position;
}

function unquotedEnd(html: string, start: number): number {
  let position = start;
  for (; position < html.length; position++) {
    const code = html.charCodeAt(position);
    if (code === GREATER || isSpace(code)) break;
  }
  return position;
}

/** Between attributes a slash counts as space. */
function skipSpace(html: string, start: number): number {
  let position = start;
  for (; position < html.length; position++) {
    const code = html.charCodeAt(position);
    if (code !== SLASH && !isSpace(code)) break;
  }
  return position;
}

function skipBlank(html: string, start: number): number {
  let position = start;
  while (position < html.length && isSpace(html.charCodeAt(position))) position += 1;
  return position;
}
