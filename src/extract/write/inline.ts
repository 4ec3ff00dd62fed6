import { closesGap, touches, writeNotes } from '../parse/block-text.ts';
import { attributeOf, type ElementNode, isText, type TreeNode } from '../parse/nodes.ts';
import type { WriterContext } from './writer-context.ts';

const STRONG = new Set(['strong', 'b']);
const EMPHASIS = new Set(['em', 'i']);
const DELETED = new Set(['del', 's', 'strike']);
const CODE = new Set(['code', 'kbd', 'samp', 'tt']);

interface Style {
  strong: boolean;
  emphasis: boolean;
  deleted: boolean;
  link: boolean;
}

const PLAIN: Style = { strong: false, emphasis: false, deleted: false, link: false };

/** Writes inline nodes as one Markdown paragraph. */
export function writeInline(nodes: TreeNode[], context: WriterContext): string {
  return collapse(writeNotes(writeNodes(nodes, context, PLAIN)))
    .trim()
    .replace(/\n/g, '  \n');
}

/** Collapses white space to one space, or to one newline if it contains one. */
const collapse = (text: string): string =>
  /[^\S \n]|\s\s/.test(text) ? text.replace(/\s+/g, (run) => (run.includes('\n') ? '\n' : ' ')) : text;

function writeNodes(nodes: TreeNode[], context: WriterContext, style: Style): string {
  // Pieces are looked at one by one and joined once: looking at the end of a growing string would copy it every time.
  const pieces: string[] = [];
  let last = '';
  let [isAfterGap, isAfterImage] = [false, false];
  for (const node of nodes) {
    if (isText(node) && !context.keeps(node.block)) continue;
    let piece = isText(node) ? escapeText(node.text) : writeElement(node, context, style);
    if (piece === '') {
      isAfterGap ||= !isText(node);
      isAfterImage ||= !isText(node) && isImage(node);
      continue;
    }
    if (isAfterGap && piece.trim() === '' && last.endsWith(' ')) continue;
    if (isAfterGap && isText(node)) piece = closeGap(pieces, piece);
    if (isAfterImage && touches(last.slice(-2), piece.slice(0, 2))) pieces.push(' ');
    [isAfterGap, isAfterImage] = [false, false];
    const stars = isText(node) ? 0 : sharedStars(last, piece);
    if (stars > 0) {
      pieces.push((pieces.pop() ?? '').slice(0, -stars));
      pieces.push(piece.slice(stars));
    } else {
      if (needsSpace(last, piece)) pieces.push(' ');
      pieces.push(piece);
    }
    last = piece;
  }
  return pieces.join('');
}

/** An image, or a link to one. */
const isImage = ({ tag, children: [first] }: ElementNode): boolean => tag === 'img' || first?.tag === 'img';

/** Where a picture was left out, no space stays before what follows, and no parentheses stay around nothing. */
function closeGap(pieces: string[], after: string): string {
  const before = pieces.pop() ?? '';
  const tight = before.trimEnd();
  if (tight.endsWith('(') && /^\s?\)/.test(after)) {
    pieces.push(tight.slice(0, -1).trimEnd());
    return after.replace(/^\s?\)/, '');
  }
  const isClosed = closesGap(after);
  pieces.push(isClosed ? tight : before);
  return isClosed ? after.trimStart() : after;
}

/**
 * How many stars the end of a piece and the beginning of the next one can do without: `**a****b**` would not be read as two emphases, nor as one, and
 * `***a*****b**` not at all. One star beside two is read as it should be.
 */
function sharedStars(before: string, after: string): number {
  if (!before.endsWith('*') || !after.startsWith('*')) return 0;
  const [, escape = '', ending = ''] = /(\\?)(\*+)$/.exec(before.slice(-5)) ?? [];
  const beginning = /^\*+/.exec(after.slice(0, 4))?.[0] ?? '';
  if (escape !== '' || ending.length > 3 || beginning.length > 3) return 0;
  const [least, most] = [
    Math.min(ending.length, beginning.length),
    Math.max(ending.length, beginning.length),
  ];
  return least === most || most === 3 ? least : 0;
}

/**
 * Emphasis that touches punctuation inside and a letter outside would not be read as emphasis, and two pieces of code that touch would be one; a space keeps
 * them what they are.
 */
function needsSpace(before: string, after: string): boolean {
  if (before.endsWith('`') && after.startsWith('`')) return !before.endsWith('\\`');
  if (before.endsWith('*') && /^[\p{L}\p{N}]/u.test(after.slice(0, 2)))
    return /[^\p{L}\p{N}\s*\\]\*+$/u.test(before.slice(-4));
  if (!after.startsWith('*')) return false;
  return /[\p{L}\p{N}]$/u.test(before.slice(-2)) && /^\*+[^\p{L}\p{N}\s*]/u.test(after.slice(0, 4));
}

function writeElement(element: ElementNode, context: WriterContext, style: Style): string {
  const tag = element.tag;
  if (element.skipped || context.drops(element)) return '';
  const noteRef = context.footnotes.noteRefOf(element);
  if (noteRef !== undefined) return context.keepsAny(element) ? noteRef : '';
  if (tag === 'br') return '\n';
  if (tag === '#paragraph') return '\n';
  if (tag === 'img') return writeImage(element, context) || writeNodes(element.children, context, style);
  if (CODE.has(tag)) return writeCode(element, context);
  if (tag === 'math') return writeMath(element, context);
  if (tag === 'a') return writeLink(element, context, style);
  if (STRONG.has(tag) && !style.strong)
    return wrap(writeNodes(element.children, context, { ...style, strong: true }), '**');
  if (EMPHASIS.has(tag) && !style.emphasis)
    return wrap(writeNodes(element.children, context, { ...style, emphasis: true }), '*');
  if (DELETED.has(tag) && !style.deleted)
    return wrap(writeNodes(element.children, context, { ...style, deleted: true }), '~~');
  const inner = writeNodes(element.children, context, style);
  if (tag === 'q') return inner.trim() === '' ? inner : `“${inner}”`;
  return element.isBlock ? ` ${inner} ` : inner;
}

const leading = (text: string): string => (/^\s/.test(text) ? ' ' : '');
const trailing = (text: string): string => (/\s$/.test(text) ? ' ' : '');

/** Marks stand tight around the words of each line. */
function wrap(inner: string, mark: string): string {
  const body = collapse(inner.trim());
  if (body === '') return inner;
  const parts = body.split('\n').filter((part) => part !== '');
  const marked = parts.map((part) => `${mark}${part}${mark}`).join('\n');
  return `${leading(inner)}${marked}${trailing(inner)}`;
}

export function writeCode(element: ElementNode, context: WriterContext): string {
  const text = plainText(element, context).replace(/\s+/g, ' ');
  const body = text.trim();
  if (body === '') return text;
  const longest = body.match(/`+/g)?.reduce((most, run) => Math.max(most, run.length), 0) ?? 0;
  const fence = '`'.repeat(longest + 1);
  const padding = body.startsWith('`') || body.endsWith('`') ? ' ' : '';
  return `${leading(text)}${fence}${padding}${body}${padding}${fence}${trailing(text)}`;
}

/** Formulas stay text: the TeX that the page gives, or its characters. */
function writeMath(element: ElementNode, context: WriterContext): string {
  const source = attributeOf(element, 'alttext');
  return source === undefined ? escapeText(plainText(element, context)) : `$${source.trim()}$`;
}

function writeLink(element: ElementNode, context: WriterContext, style: Style): string {
  if (context.footnotes.isBackReference(element)) return '';
  const href = attributeOf(element, 'href');
  const inner = writeNodes(element.children, context, { ...style, link: true });
  const url = href === undefined || style.link ? undefined : context.absolute(href);
  return url === undefined ? inner : linked(inner, url);
}

/** `[text](url)` with the spaces around the text left outside. */
export function linked(inner: string, url: string): string {
  const body = inner.trim();
  if (body === '') return inner;
  return `${leading(inner)}[${body.replace(/\s+/g, ' ')}](${writeUrl(url)})${trailing(inner)}`;
}

/** Encodes spaces and parentheses, which would end the link early. */
export const writeUrl = (url: string): string =>
  url.replace(/[\s<>()]/g, (character) =>
    character === '(' ? '%28' : character === ')' ? '%29' : encodeURIComponent(character),
  );

function writeImage(element: ElementNode, context: WriterContext): string {
  const alt = (attributeOf(element, 'alt') ?? '').replace(/\s+/g, ' ').trim();
  if (!context.keepsImage(element)) return '';
  if (!context.images) return '';
  const url = context.absolute(imageSource(element) ?? '');
  return url === undefined ? '' : `![${escapeText(alt)}](${writeUrl(url)})`;
}

/** The URL of an image, also from the data attributes of lazy loaders. */
export function imageSource(image: ElementNode): string | undefined {
  for (const name of ['src', 'data-src', 'data-lazy-src', 'data-original']) {
    const value = attributeOf(image, name)?.trim();
    if (value !== undefined && value !== '' && !value.startsWith('data:')) return value;
  }
  const set = attributeOf(image, 'srcset') ?? attributeOf(image, 'data-srcset');
  // An address in the set ends with a space; commas may be part of it.
  return set
    ?.trim()
    .split(/\s/)[0]
    ?.replace(/^,+|,+$/g, '');
}

/** The kept text below an element, without Markdown. */
export function plainText(element: ElementNode, context: WriterContext): string {
  const [only, another] = element.children;
  if (only !== undefined && another === undefined) return plainPiece(only, context);
  const pieces: string[] = [];
  let last = '\n';
  let isAfterLine = false;
  for (const child of element.children) {
    const piece = plainPiece(child, context);
    if (piece === '') continue;
    // The lines of some code are elements of their own.
    const isLine = !isText(child) && (child.isBlock || child.holdsBlocks);
    if ((isLine || isAfterLine) && !last.endsWith('\n') && !piece.startsWith('\n')) pieces.push('\n');
    pieces.push(piece);
    last = piece;
    isAfterLine = isLine;
  }
  return pieces.join('');
}

function plainPiece(node: TreeNode, context: WriterContext): string {
  if (isText(node)) return context.keeps(node.block) ? node.text : '';
  if (node.tag === 'br' || node.tag === '#paragraph') return '\n';
  return node.skipped || context.drops(node) ? '' : plainText(node, context);
}

/** Escapes only what would be read as markup, to save tokens. */
export const escapeText = (text: string): string =>
  /[\\`*_[\]<~&]/.test(text) ? escapeAroundTex(text, escapeMarks) : text;

const escapeMarks = (text: string): string =>
  text
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '\\\\')
    .replace(/`/g, '\\`')
    .replace(/\*(?=\S|$)|(?<=\S|^)\*/g, '\\*')
    .replace(/(?<![\p{L}\p{N}])_(?=\S)|(?<=\S)_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/[[\]]/g, '\\$&')
    .replace(/<(?=[a-zA-Z/!?])/g, '\\<')
    .replace(/&(?=[#a-zA-Z0-9]{1,30};)/g, '\\&')
    .replace(/(?<!~)~~(?!~)/g, '\\~\\~');

/**
 * TeX in running text, for a script to render: between dollars, `\(` and `\)`, or `\[` and `\]`. No
 * alternative can contain the start of another, so that matching is linear.
 */
const TEX =
  /(\$\$)([^$]{1,2000})\$\$|(\$)(?!\s)([^$\n]{1,400})(?<!\s)\$(?!\d)|\\(\()((?:[^\\\n]|\\(?![()[\]])){1,400})\\\)|\\(\[)((?:[^\\]|\\(?![()[\]])){1,2000})\\\]/g;
const MATHEMATICAL = /[\\^_=<>{}+|]|^\s*[A-Za-z]\s*$/;

/** What would be read as something else: code, a tag, a link. */
const MARKUP = /`|<[a-z/!?]|\]\(/i;

/** Escapes text with `escape`, except for formulas: an escaped `\sum\_{i}` is no longer TeX. */
function escapeAroundTex(text: string, escape: (text: string) => string): string {
  if (!text.includes('$') && !text.includes('\\(') && !text.includes('\\[')) return escape(text);
  let out = '';
  let end = 0;
  for (const found of text.matchAll(TEX)) {
    const mark = found[1] ?? found[3] ?? found[5] ?? found[7] ?? '';
    const tex = (found[2] ?? found[4] ?? found[6] ?? found[8] ?? '').trim();
    if (!MATHEMATICAL.test(tex) || MARKUP.test(tex)) continue;
    const fence = mark === '$$' || mark === '[' ? '$$' : '$';
    out += `${escape(text.slice(end, found.index))}${fence}${tex}${fence}`;
    end = found.index + found[0].length;
  }
  return out + escape(text.slice(end));
}
