import { codeLanguage } from './code-language.ts';
import { linked, plainText, writeInline } from './inline.ts';
import { writeTable } from './table.ts';
import { HEADING_TAGS } from '../parse/tags.ts';
import { attributeOf, type ElementNode, isText, type Tree, type TreeNode } from '../parse/nodes.ts';
import { createWriterContext, type WriteOptions, type WriterContext } from './writer-context.ts';

const LISTS = new Set(['ul', 'ol', 'menu', 'dir']);
/** Deeper quotes and lists are written flat: indenting costs their size once per level. */
const INDENT_LEVELS_MAX = 12;

/** Writes the kept blocks of a tree as Markdown (GFM). */
export function writeMarkdown(tree: Tree, options: WriteOptions = {}): string {
  const context = createWriterContext(tree, options);
  return withoutIdleRules(writeChildren(tree.root, context, { level: 0, link: undefined })).join('\n\n');
}

const RULE = '---';

/** Removes rules at the beginning, at the end, and after another rule. */
function withoutIdleRules(blocks: string[]): string[] {
  const kept: string[] = [];
  for (const block of blocks) if (block !== RULE || (kept.at(-1) ?? RULE) !== RULE) kept.push(block);
  if (kept.at(-1) === RULE) kept.pop();
  return kept;
}

interface Place {
  level: number;
  /** The address of a link around block-level elements. */
  link: string | undefined;
}

const deeper = (place: Place): Place => ({ ...place, level: place.level + 1 });

/** The blocks below an element: inline runs become paragraphs, block-level elements write themselves. */
function writeChildren(element: ElementNode, context: WriterContext, place: Place): string[] {
  const blocks: string[] = [];
  let run: TreeNode[] = [];
  let afterItem = -1;
  let hasTerm = false;
  const endRun = () => {
    if (run.length > 0) pushParagraph(blocks, run, context, place);
    run = [];
  };
  for (const child of element.children) {
    if (isText(child)) run.push(child);
    else if (child.tag === '#paragraph') endRun();
    else if (child.isBlock || child.holdsBlocks) {
      endRun();
      if (child.skipped || context.drops(child)) continue;
      const written = writeBlock(child, context, place);
      if (child.tag === 'dt') hasTerm = written.length > 0;
      if (child.tag === 'dd' && hasTerm && written[0] !== undefined) written[0] = defined(written[0]);
      const isItem = child.tag === 'li' && written.length > 0;
      // Items outside a list form a list as well.
      if (isItem && afterItem === blocks.length) written[0] = `${blocks.pop() ?? ''}\n${written[0] ?? ''}`;
      append(blocks, written);
      if (isItem) afterItem = blocks.length;
    } else run.push(child);
  }
  endRun();
  return blocks;
}

/** Not by spreading: a page may have more blocks than a call may have arguments. */
function append(blocks: string[], more: string[]): void {
  for (const block of more) blocks.push(block);
}

function pushParagraph(blocks: string[], run: TreeNode[], context: WriterContext, place: Place): void {
  const text = writeInline(run, context);
  if (text === '') return;
  const note = noteOfRun(run, text, context);
  if (note !== undefined) blocks.push(note);
  else blocks.push(escapeLineStarts(place.link === undefined ? text : linked(text, place.link)));
}

const LEADS_MAX = 3;

/** The note that a paragraph is, where one of the elements that it begins with stands for it. */
function noteOfRun(run: TreeNode[], text: string, { footnotes }: WriterContext): string | undefined {
  for (const node of run.slice(0, LEADS_MAX)) {
    const note = isText(node) || node.isBlock ? undefined : footnotes.noteOf(node, [text]);
    if (note !== undefined) return note;
  }
  return undefined;
}

/** A paragraph must not begin like a heading, list or quote. */
export const escapeLineStarts = (text: string): string =>
  /^[-#+>=~\d]/m.test(text) ? escapeStarts(text) : text;

const escapeStarts = (text: string): string =>
  text
    .replace(/^(#{1,6}(?= |$)|[-+](?= |$)|>|={2,}$|-{2,}$|~(?=~~))/gm, '\\$1')
    .replace(/^(\d{1,9})([.)])(?= |$)/gm, '$1\\$2');

function writeBlock(element: ElementNode, context: WriterContext, place: Place): string[] {
  const tag = element.tag;
  if (HEADING_TAGS.has(tag)) return writeHeading(element, context, place);
  if (LISTS.has(tag)) return writeList(element, context, place);
  if (tag === 'pre') return writePre(element, context);
  if (tag === 'table' && !context.footnotes.isNote(element))
    return writeTable(element, context, (cell) => writeChildren(cell, context, place));
  if (tag === 'blockquote') return writeQuote(element, context, place);
  if (tag === 'hr') return context.keeps(element.first) ? [RULE] : [];
  if (tag === 'a') return writeLinkedBlocks(element, context, place);
  const blocks = writeChildren(element, context, tag === 'li' ? deeper(place) : place);
  const note = context.footnotes.noteOf(element, blocks);
  if (note !== undefined) return [note];
  return tag === 'li' && blocks.length > 0 ? [writeItem(blocks, '- ', place.level)] : blocks;
}

function writeHeading(element: ElementNode, context: WriterContext, place: Place): string[] {
  const text = writeChildren(element, context, place).join(' ').replace(/\s+/g, ' ').trim();
  if (text === '') return [];
  return [`${'#'.repeat(Number(element.tag[1]))} ${text.replace(/(#+)$/, '\\$1')}`];
}

function writeLinkedBlocks(element: ElementNode, context: WriterContext, place: Place): string[] {
  const href = attributeOf(element, 'href');
  const link = href === undefined ? undefined : context.absolute(href);
  return writeChildren(element, context, { ...place, link: link ?? place.link });
}

function writeQuote(element: ElementNode, context: WriterContext, place: Place): string[] {
  const inner = writeChildren(element, context, deeper(place));
  if (inner.length === 0 || place.level >= INDENT_LEVELS_MAX) return inner;
  return [
    inner
      .join('\n\n')
      .replace(/^(?=.)/gm, '> ')
      .replace(/^$/gm, '>'),
  ];
}

/** GFM has no definition lists; a colon before the definition is how most writers and readers know them. */
const defined = (first: string): string =>
  /^(#|[-+*] |\d+[.)] |>|```|~~~|\||: |\[\^)/.test(first) ? first : `: ${first}`;

function writeList(element: ElementNode, context: WriterContext, place: Place): string[] {
  const isOrdered = element.tag === 'ol';
  const step = attributeOf(element, 'reversed') === undefined ? 1 : -1;
  let number = numberOf(element) ?? (step === 1 ? 1 : countItems(element));
  const blocks: string[] = [];
  const notes: string[] = [];
  let items: string[] = [];
  for (const child of element.children) {
    if (isText(child) || child.skipped) continue;
    const isItem = child.tag === 'li';
    if (context.drops(child)) {
      // The items after one that is left out keep the numbers that the page shows.
      if (isItem) number = (numberOf(child) ?? number) + step;
      continue;
    }
    if (!isItem && holdsItems(child)) {
      if (items.length > 0) blocks.push(items.join('\n'));
      items = [];
      append(blocks, writeBlock(child, context, place));
      continue;
    }
    const inner = isItem
      ? writeChildren(child, context, deeper(place))
      : writeBlock(child, context, deeper(place));
    if (inner.length === 0) continue;
    const note = context.footnotes.noteOf(child, inner);
    if (note !== undefined) {
      notes.push(note);
      continue;
    }
    number = numberOf(child) ?? number;
    const marker = isOrdered ? `${number}. ` : '- ';
    if (isItem) number += step;
    const last = items.at(-1);
    // A list directly in a list belongs to the item before it.
    if (LISTS.has(child.tag) && last !== undefined)
      items[items.length - 1] = `${last}\n${indented(inner.join('\n\n'), marker, place.level)}`;
    else items.push(writeItem(inner, marker, place.level));
  }
  if (items.length > 0) blocks.push(items.join('\n'));
  return [...blocks, ...notes];
}

/** A list that counts down begins with the number of its items. */
const countItems = ({ children }: ElementNode): number => children.filter(({ tag }) => tag === 'li').length;

/** The number that a list or an item begins with, where it says so. */
function numberOf(element: ElementNode): number | undefined {
  const number = Number.parseInt(attributeOf(element, element.tag === 'li' ? 'value' : 'start') ?? '', 10);
  return number >= 0 && number < 1e9 ? number : undefined;
}

/** Whether an element inside a list, itself no list, has items among its children or theirs: pages wrap them in `div`s. */
function holdsItems(element: ElementNode): boolean {
  if (LISTS.has(element.tag)) return false;
  return element.children.some((child) => !isText(child) && (child.tag === 'li' || holdsItems(child)));
}

const indentOf = (marker: string, level: number): string =>
  level >= INDENT_LEVELS_MAX ? '' : ' '.repeat(marker.length);

const indented = (text: string, marker: string, level: number): string =>
  text.replace(/^(?=[^\n])/gm, indentOf(marker, level));

/** The first line carries the marker, the rest is indented below it; a nested list follows without a blank line. */
function writeItem(blocks: string[], marker: string, level: number): string {
  const indent = indentOf(marker, level);
  let out = '';
  for (const [index, block] of blocks.entries()) {
    const isNestedList = /^(- |\d+\. )/.test(block) && !block.startsWith('- \\');
    if (index > 0) out += isNestedList ? '\n' : '\n\n';
    out += block;
  }
  return marker + out.replace(/\n(?=[^\n])/g, `\n${indent}`);
}

function writePre(element: ElementNode, context: WriterContext): string[] {
  const text = plainText(element, context)
    .replace(/\r\n?/g, '\n')
    .replace(/^[ \t]*\n/, '')
    .trimEnd();
  if (text.trim() === '') return [];
  const longest = text.match(/`{3,}/g)?.reduce((most, run) => Math.max(most, run.length), 2) ?? 2;
  const fence = '`'.repeat(longest + 1);
  return [`${fence}${codeLanguage(element)}\n${text}\n${fence}`];
}
