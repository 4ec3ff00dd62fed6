import { other } from './libraries.ts';
import { bagF1, mean } from './metric.ts';

interface SyntaxNode {
  type: string;
  tagName?: string;
  value?: string;
  url?: string;
  properties?: Record<string, unknown>;
  children?: SyntaxNode[];
  /** Of a template. */
  content?: SyntaxNode;
}

type Structures = Record<string, string[]>;

/** What a page holds: what must be written, and what may be, because it is a matter of taste or because GFM has no place for it. */
interface Expected {
  wanted: Structures;
  allowed: Structures;
}

const KINDS = ['heading', 'code', 'link', 'image', 'table', 'cell', 'item', 'emphasis', 'inlineCode'];

interface Sample {
  html: string;
  url: string;
  markdown: string;
}

/** How well the structures of pages survive in their Markdown, read back with remark-gfm: F1 by kind, averaged over the pages that have it. */
export async function compareStructures(samples: Sample[]): Promise<Record<string, number>> {
  type Processor = { use(plugin: unknown, options?: unknown): Processor; parse(text: string): SyntaxNode };
  const { unified } = await other<{ unified(): Processor }>('unified');
  const plugin = async (name: string): Promise<unknown> => (await other<{ default: unknown }>(name)).default;
  const html = unified().use(await plugin('rehype-parse'));
  const markdown = unified()
    .use(await plugin('remark-parse'))
    .use(await plugin('remark-gfm'));
  const scores = new Map<string, number[]>();
  for (const sample of samples) {
    const { wanted, allowed } = fromHtml(html.parse(sample.html), sample.url);
    const found = fromMarkdown(markdown.parse(sample.markdown), sample.url);
    for (const kind of KINDS) {
      const got = without(found[kind] ?? [], wanted[kind] ?? [], allowed[kind] ?? []);
      if ((wanted[kind] ?? []).length === 0 && got.length === 0) continue;
      scores.set(kind, [...(scores.get(kind) ?? []), bagF1(wanted[kind] ?? [], got)]);
    }
  }
  return Object.fromEntries([...scores].map(([kind, values]) => [kind, Number(mean(values).toFixed(4))]));
}

/** What was found, less what is allowed and not wanted. */
function without(found: string[], wanted: string[], allowed: string[]): string[] {
  const [left, free] = [[...wanted].sort(), [...allowed].sort()];
  const take = (list: string[], item: string): boolean => {
    const place = list.indexOf(item);
    if (place >= 0) list.splice(place, 1);
    return place >= 0;
  };
  return found.filter((item) => take(left, item) || !take(free, item));
}

/** Text without space, control and invisible characters: they are no text, and writers may drop them. */
const plain = (text: string): string =>
  text.replace(/[\s\u0000-\u001F\u007F-\u009F\u200B-\u200F\u2060\u00AD\uFEFF]+/g, '').toLowerCase();

const SKIPPED = new Set([
  'script',
  'style',
  'template',
  'svg',
  'select',
  'textarea',
  'iframe',
  'head',
  'noscript',
  'object',
  'canvas',
  'math',
]);

/** The text that a reader sees; `all` takes in what is hidden. */
function textOf(node: SyntaxNode, all = false): string {
  if (node.type === 'text' || node.type === 'inlineCode' || node.type === 'code') return node.value ?? '';
  if (node.tagName !== undefined && SKIPPED.has(node.tagName)) return '';
  if (!all && isHidden(node)) return '';
  return (node.children ?? []).map((child) => textOf(child, all)).join('');
}

function absolute(address: unknown, url: string): string {
  return (
    URL.parse(typeof address === 'string' ? address : '', url)
      ?.href.replace(/%28/g, '(')
      .replace(/%29/g, ')') ?? ''
  );
}

const LISTS = new Set(['ul', 'ol', 'menu']);
const EMPHASES = new Set(['strong', 'b', 'em', 'i']);

/** Keys and samples are written as code, too. */
const CODE = new Set(['code', 'kbd', 'samp', 'tt']);

function fromHtml(root: SyntaxNode, url: string): Expected {
  const expected: Expected = { wanted: {}, allowed: {} };
  const visit = (node: SyntaxNode, around: Around): void => {
    const tag = node.tagName ?? '';
    const isShadow = tag === 'template' && node.properties?.shadowRootMode !== undefined;
    if (SKIPPED.has(tag) && tag !== 'noscript' && !isShadow) return;
    // Folded panels are hidden until a click, and what scripts replace is seen without them: neither is an error.
    const isOptional = around.isOptional || isHidden(node) || tag === 'noscript' || isShadow;
    for (const [kind, key, isFree] of structuresOf(node, around, url)) {
      const bag = isOptional || isFree ? expected.allowed : expected.wanted;
      if (key !== '') (bag[kind] ??= []).push(key);
    }
    const inside = {
      ...around,
      parent: tag,
      isOptional,
      tags: tag === '' ? around.tags : new Set([...around.tags, tag]),
    };
    if (tag === 'table') inside.table = tableKind(node);
    const children = (isShadow ? node.content?.children : node.children) ?? [];
    for (const [place, child] of children.entries())
      visit(child, LISTS.has(tag) ? { ...inside, tail: tailOf(children, place) } : inside);
  };
  visit(root, { tags: new Set(), parent: '', tail: '', table: 'none', isOptional: false });
  return { wanted: clean(expected.wanted), allowed: clean(expected.allowed) };
}

type TableKind = 'none' | 'data' | 'layout' | 'blocks';

interface Around {
  tags: Set<string>;
  parent: string;
  /** The text of a list that follows an item without standing in it: it may be read as a part of the item. */
  tail: string;
  table: TableKind;
  isOptional: boolean;
}

const any = (tags: Set<string>, of: string[]): boolean => of.some((tag) => tags.has(tag));

/** What an element is: kind, key, and whether it may be missing because GFM has no place for it. */
function structuresOf(
  node: SyntaxNode,
  { tags, table, parent, tail }: Around,
  url: string,
): [string, string, boolean?][] {
  const tag = node.tagName ?? '';
  const text = plain(textOf(node));
  const inPre = tags.has('pre');
  const inCell = table === 'data' && any(tags, ['td', 'th']);
  if (/^h[1-6]$/.test(tag)) return [['heading', `${tag[1]} ${text}`, inCell]];
  if (tag === 'a' && node.properties?.href !== undefined && text !== '')
    return [['link', absolute(node.properties.href, url), inPre || any(tags, [...CODE])]];
  if (tag === 'img') return imagesOf(node, url);
  if (CODE.has(tag)) return inPre || any(tags, [...CODE]) ? [] : [['inlineCode', text]];
  if (EMPHASES.has(tag))
    return inPre || any(tags, ['code', ...EMPHASES]) ? [] : [['emphasis', text.slice(0, 60)]];
  if (tag === 'li') return itemOf(node, inCell, tail);
  // What stands in a list without being an item looks like one.
  if (LISTS.has(parent)) return itemOf(node, true, tail);
  if (tag === 'pre')
    return inCell
      ? [
          ['code', text.slice(0, 60), true],
          ['inlineCode', text, true],
        ]
      : [['code', text.slice(0, 60)]];
  if (tag === 'table') return tagged('table', 'table', tableKind(node));
  if (tag === 'td' || tag === 'th') return tagged('cell', text.slice(0, 60), table);
  return [];
}

/** An item with hidden parts may be written with or without them. */
function itemOf(node: SyntaxNode, isFree: boolean, tail: string): [string, string, boolean?][] {
  const [seen, all] = [plain(textOf(node)), plain(textOf(node, true))];
  const ways = [...new Set([seen, all, seen + tail].map((text) => text.slice(0, 60)))];
  return ways.map((text) => ['item', text, isFree || ways.length > 1]);
}

function tailOf(children: SyntaxNode[], place: number): string {
  const next = children.slice(place + 1).find(({ tagName }) => tagName !== undefined);
  return children[place]?.tagName === 'li' && LISTS.has(next?.tagName ?? '')
    ? plain(textOf(next as SyntaxNode))
    : '';
}

const tagged = (kind: string, key: string, table: TableKind): [string, string, boolean?][] =>
  table === 'layout' || table === 'none' ? [] : [[kind, key, table === 'blocks']];

/** The address that only a lazy loader knows may be found or not. */
function imagesOf({ properties = {} }: SyntaxNode, url: string): [string, string, boolean?][] {
  const later = [
    properties.dataSrc,
    properties.dataLazySrc,
    properties.dataOriginal,
    properties.srcSet,
    properties.dataSrcSet,
  ];
  const first = (value: unknown): unknown =>
    typeof value === 'string' ? value.trim().split(/[\s,]/)[0] : undefined;
  return [
    ['image', absolute(properties.src, url)],
    ...later
      .filter((value) => value !== undefined)
      .map((value): [string, string, boolean] => [
        'image',
        absolute(first(Array.isArray(value) ? value[0] : value), url),
        true,
      ]),
  ];
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

/** A table for the sake of its frame is none: it says so, or has one column without a head. */
const isLayout = (table: SyntaxNode): boolean =>
  table.properties?.role === 'presentation' || (!hasColumns(table) && !has(table, 'th'));

const has = (node: SyntaxNode, tag: string): boolean =>
  (node.children ?? []).some((child) => child.tagName === tag || has(child, tag));

/** Whether a row of it has two cells. */
function hasColumns(table: SyntaxNode): boolean {
  const rows = (node: SyntaxNode): SyntaxNode[] =>
    node.tagName === 'tr' ? [node] : node.tagName === 'td' ? [] : (node.children ?? []).flatMap(rows);
  const cells = (row: SyntaxNode): number =>
    (row.children ?? []).filter(({ tagName }) => tagName === 'td' || tagName === 'th').length;
  return rows(table).some((row) => cells(row) > 1);
}

function isHidden(node: SyntaxNode): boolean {
  const style = typeof node.properties?.style === 'string' ? node.properties.style : '';
  return node.properties?.hidden === true || /display\s*:\s*none|visibility\s*:\s*hidden/.test(style);
}

const clean = (out: Structures): Structures => ({
  ...out,
  link: (out.link ?? []).filter((link) => /^https?:|^mailto:|^tel:/.test(link)),
  image: (out.image ?? []).filter((image) => /^https?:/.test(image)),
});

const MARKDOWN_KINDS: Record<string, string> = {
  listItem: 'item',
  tableCell: 'cell',
  strong: 'emphasis',
  emphasis: 'emphasis',
  inlineCode: 'inlineCode',
  code: 'code',
};

function fromMarkdown(root: SyntaxNode, url: string): Structures {
  const out: Structures = {};
  const visit = (node: SyntaxNode & { depth?: number }, isEmphasised: boolean): void => {
    const kind = MARKDOWN_KINDS[node.type];
    const text = plain(textOf(node));
    if (node.type === 'heading') (out.heading ??= []).push(`${node.depth} ${text}`);
    else if (node.type === 'link' && text !== '') (out.link ??= []).push(absolute(node.url, url));
    else if (node.type === 'image') (out.image ??= []).push(absolute(node.url, url));
    else if (node.type === 'table') (out.table ??= []).push('table');
    else if (kind !== undefined && text !== '' && !(kind === 'emphasis' && isEmphasised))
      (out[kind] ??= []).push(kind === 'inlineCode' ? text : text.slice(0, 60));
    for (const child of node.children ?? []) visit(child, isEmphasised || kind === 'emphasis');
  };
  visit(root, false);
  return clean(out);
}
