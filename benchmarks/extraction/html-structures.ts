import {
  absolute,
  isHidden,
  plain,
  reachable,
  SKIPPED,
  type Structures,
  type SyntaxNode,
  textOf,
} from './syntax.ts';

/** What a page holds. */
export interface HtmlStructures {
  /** What must be written. */
  wanted: Structures;
  /** What a page shows and GFM has no good place for: strictly it must be written, too. */
  free: Structures;
  /** What may be found because it is a matter of taste: hidden parts, another address of an image, another reading of an item. Strictly it must not. */
  allowed: Structures;
}

type Bag = keyof HtmlStructures;
type Structure = [kind: string, key: string, bag: Bag];

const LISTS = new Set(['ul', 'ol', 'menu']);
const EMPHASES = new Set(['strong', 'b', 'em', 'i']);

/** Keys and samples are written as code, too. */
const CODE = new Set(['code', 'kbd', 'samp', 'tt']);

export function htmlStructures(root: SyntaxNode, url: string): HtmlStructures {
  const found: HtmlStructures = { wanted: {}, free: {}, allowed: {} };
  const notes = new Set(noteMarks(root));
  const visit = (node: SyntaxNode, around: Around): void => {
    const tag = node.tagName ?? '';
    const isShadow = tag === 'template' && node.properties?.shadowRootMode !== undefined;
    if (SKIPPED.has(tag) && tag !== 'noscript' && !isShadow) return;
    // Folded panels are hidden until a click, and what scripts replace is seen without them.
    const isUnseen = around.isUnseen || isHidden(node) || tag === 'noscript' || isShadow;
    const isNote = around.isNote || (tag === 'li' && notes.has(`#${String(node.properties?.id)}`));
    for (const [kind, key, bag] of structuresOf(node, { ...around, isNote }, url))
      if (key !== '') (found[isUnseen ? 'allowed' : bag][kind] ??= []).push(key);
    const inside = {
      ...around,
      parent: tag,
      isUnseen,
      isNote,
      tags: tag === '' ? around.tags : new Set([...around.tags, tag]),
    };
    if (tag === 'table') inside.table = tableKind(node);
    const children = (isShadow ? node.content?.children : node.children) ?? [];
    for (const [place, child] of children.entries())
      visit(child, LISTS.has(tag) ? { ...inside, tail: tailOf(children, place) } : inside);
  };
  visit(root, { tags: new Set(), parent: '', tail: '', table: 'none', isUnseen: false, isNote: false });
  return {
    wanted: reachable(found.wanted),
    free: reachable(found.free),
    allowed: reachable(found.allowed),
  };
}

type TableKind = 'none' | 'data' | 'layout' | 'blocks';

interface Around {
  tags: Set<string>;
  parent: string;
  /** The text of a list that follows an item without standing in it: it may be read as a part of the item. */
  tail: string;
  table: TableKind;
  isUnseen: boolean;
  /** In a footnote: GFM has its own. */
  isNote: boolean;
}

/** Where the marks of footnotes lead: links in superscript to a place on the page. */
function noteMarks(node: SyntaxNode, inSuperscript = false): string[] {
  const href = node.tagName === 'a' && inSuperscript ? node.properties?.href : undefined;
  if (typeof href === 'string') return href.startsWith('#') ? [href] : [];
  return (node.children ?? []).flatMap((child) => noteMarks(child, inSuperscript || node.tagName === 'sup'));
}

const any = (tags: Set<string>, of: string[]): boolean => of.some((tag) => tags.has(tag));

function structuresOf(
  node: SyntaxNode,
  { tags, table, parent, tail, isNote }: Around,
  url: string,
): Structure[] {
  const tag = node.tagName ?? '';
  const text = plain(textOf(node));
  const inPre = tags.has('pre');
  const inCell = table === 'data' && any(tags, ['td', 'th']);
  const isMark = (tags.has('sup') || isNote) && String(node.properties?.href).startsWith('#');
  const outside = (isInside: boolean): Bag => (isInside ? 'free' : 'wanted');
  if (/^h[1-6]$/.test(tag)) return [['heading', `${tag[1]} ${text}`, outside(inCell)]];
  if (tag === 'a' && node.properties?.href !== undefined && text !== '')
    return [['link', absolute(node.properties.href, url), outside(inPre || isMark || any(tags, [...CODE]))]];
  if (tag === 'img') return imagesOf(node, url);
  if (CODE.has(tag)) return inPre || any(tags, [...CODE]) ? [] : [['inlineCode', text, 'wanted']];
  if (EMPHASES.has(tag))
    return inPre || any(tags, ['code', ...EMPHASES])
      ? []
      : [['emphasis', text.slice(0, 60), outside(isNote && text.length < 3)]];
  if (tag === 'li') return itemsOf(node, tail, outside(inCell || isNote));
  // What stands in a list without being an item looks like one.
  if (LISTS.has(parent)) return itemsOf(node, tail, 'allowed');
  if (tag === 'pre')
    return [
      ['code', text.slice(0, 60), outside(inCell)],
      ...(inCell ? ([['inlineCode', text, 'allowed']] as Structure[]) : []),
    ];
  if (tag === 'table') return tagged('table', 'table', tableKind(node));
  if (tag === 'td' || tag === 'th') return tagged('cell', text.slice(0, 60), table);
  return [];
}

/** An item with hidden parts may be written with or without them. */
function itemsOf(node: SyntaxNode, tail: string, bag: Bag): Structure[] {
  const [seen, all] = [plain(textOf(node)), plain(textOf(node, true))];
  const [first = '', ...others] = new Set([seen, all, seen + tail].map((text) => text.slice(0, 60)));
  return [
    ['item', first, others.length > 0 && bag === 'wanted' ? 'free' : bag],
    ...others.map((text): Structure => ['item', text, 'allowed']),
  ];
}

function tailOf(children: SyntaxNode[], place: number): string {
  const next = children.slice(place + 1).find(({ tagName }) => tagName !== undefined);
  return children[place]?.tagName === 'li' && LISTS.has(next?.tagName ?? '')
    ? plain(textOf(next as SyntaxNode))
    : '';
}

const tagged = (kind: string, key: string, table: TableKind): Structure[] =>
  table === 'layout' || table === 'none' ? [] : [[kind, key, table === 'blocks' ? 'free' : 'wanted']];

/** Of an image that shows at once, its address; what only a lazy loader knows may be found or not. */
function imagesOf({ properties = {} }: SyntaxNode, url: string): Structure[] {
  const { src, dataSrc, dataLazySrc, dataOriginal, srcSet, dataSrcSet } = properties;
  const own = typeof src === 'string' && !src.startsWith('data:') ? src.trim() : '';
  const set = firstOfSet(srcSet);
  const shown = own === '' ? set : own;
  const others = [set, ...[dataSrc, dataLazySrc, dataOriginal, dataSrcSet].map(firstOfSet)];
  const named = (address: string, bag: Bag): Structure[] =>
    address === '' ? [] : [['image', absolute(address, url), bag]];
  return [
    ...named(shown, 'wanted'),
    ...others.filter((address) => address !== shown).flatMap((address) => named(address, 'allowed')),
  ];
}

/** Rehype takes a set apart at every comma, also inside an address. */
function firstOfSet(value: unknown): string {
  const set = Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : '';
  return set.trim().split(/\s/)[0] ?? '';
}

/** What GFM cannot hold in a cell: such a table may be written as one or as its parts. */
const BLOCKS = ['table', 'h1', 'h2', 'h3', 'h4', 'blockquote', 'form', 'article'];

function tableKind(table: SyntaxNode): TableKind {
  if (isLayout(table)) return 'layout';
  const holds = (node: SyntaxNode): boolean =>
    (node.children ?? []).some(
      (child) =>
        BLOCKS.includes(child.tagName ?? '') ||
        (child.tagName === 'pre' && textOf(child).trim().includes('\n')) ||
        holds(child),
    );
  return holds(table) || !hasColumns(table) ? 'blocks' : 'data';
}

/** A table for the sake of its frame is none: it says so, or has text in one cell of each row and no head. */
const isLayout = (table: SyntaxNode): boolean =>
  table.properties?.role === 'presentation' || (!hasColumns(table) && !has(table, 'th'));

const has = (node: SyntaxNode, tag: string): boolean =>
  (node.children ?? []).some((child) => child.tagName === tag || has(child, tag));

/** Whether a row of it has text in two cells. */
function hasColumns(table: SyntaxNode): boolean {
  const rows = (node: SyntaxNode): SyntaxNode[] =>
    node.tagName === 'tr' ? [node] : node.tagName === 'td' ? [] : (node.children ?? []).flatMap(rows);
  const cells = (row: SyntaxNode): number =>
    (row.children ?? []).filter(
      (cell) => (cell.tagName === 'td' || cell.tagName === 'th') && textOf(cell).trim() !== '',
    ).length;
  return rows(table).some((row) => cells(row) > 1);
}
