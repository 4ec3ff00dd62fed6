import { attributeOf, type ElementNode, isText, type Tree } from '../parse/nodes.ts';

/** What the writers ask while they walk the tree. */
export interface WriterContext {
  images: boolean;
  keeps(block: number): boolean;
  keepsAny(element: ElementNode): boolean;
  /** True when all text below is kept. */
  keepsAll(element: ElementNode): boolean;
  keepsImage(image: ElementNode): boolean;
  /** True for subtrees that are not written at all. */
  drops(element: ElementNode): boolean;
  /** The absolute form of an address, or undefined when it leads nowhere a reader could go. */
  absolute(address: string): string | undefined;
  /** The label of the footnote that a link points to. */
  footnoteOf(href: string | undefined): string | undefined;
  isBackReference(link: ElementNode): boolean;
  /** The label of the footnote that begins with this element. */
  footnoteAt(element: ElementNode): string | undefined;
}

export interface WriteOptions {
  /** Which blocks to write; all of them when absent. */
  keep?: Uint8Array;
  url?: string;
  images?: boolean;
  /** Images are written wherever they stand, not only beside kept text. */
  imagesEverywhere?: boolean;
}

/** Prepares a walk: which blocks are kept, where links point to, which links are footnotes. */
export function createWriterContext(tree: Tree, options: WriteOptions): WriterContext {
  const { keep } = options;
  const kept = countKept(tree, keep);
  const base = baseUrl(tree.head.base, options.url);
  const footnotes = findFootnotes(tree);
  const keepsAny = (element: ElementNode): boolean =>
    (kept[Math.min(element.end, tree.blocks.length)] ?? 0) > (kept[element.first] ?? 0);
  return {
    images: options.images ?? false,
    keeps: (block) => keep === undefined || keep[block] === 1,
    keepsAny,
    keepsAll: ({ first, end }) =>
      (kept[Math.min(end, tree.blocks.length)] ?? 0) - (kept[first] ?? 0) >= end - first,
    keepsImage: (image) =>
      image.hidden === '' &&
      (options.imagesEverywhere === true || keep === undefined || isBesideKept(image, keepsAny)),
    drops: (element) => keep !== undefined && element.first < element.end && !keepsAny(element),
    absolute: (address) => resolve(address, base),
    footnoteOf: (href) =>
      href === undefined || !href.startsWith('#') ? undefined : footnotes.get(href.slice(1)),
    isBackReference: (link) => footnotes.size > 0 && isBackReference(link),
    footnoteAt: (element) => {
      if (footnotes.size === 0) return undefined;
      const id = attributeOf(element, 'id');
      return id === undefined ? undefined : footnotes.get(id);
    },
  };
}

function countKept(tree: Tree, keep: Uint8Array | undefined): Uint32Array {
  const kept = new Uint32Array(tree.blocks.length + 1);
  for (let index = 0; index < tree.blocks.length; index++)
    kept[index + 1] = (kept[index] as number) + (keep === undefined ? 1 : (keep[index] as number));
  return kept;
}

/** An image belongs to the content when the nearest text around it does. */
function isBesideKept(image: ElementNode, keepsAny: (element: ElementNode) => boolean): boolean {
  let around = image.parent;
  for (let level = 0; level < 4 && around !== undefined; level++) {
    if (around.first < around.end) return keepsAny(around);
    around = around.parent;
  }
  return around !== undefined && keepsAny(around);
}

function baseUrl(base: string, url: string | undefined): string | undefined {
  if (base === '') return url;
  return URL.parse(base, url)?.href ?? url;
}

/** Links for readers only: web addresses, mail and telephone. Without a page address relative links stay as they are. */
export function resolve(address: string, base: string | undefined): string | undefined {
  const trimmed = address.trim();
  if (trimmed === '' || /^(javascript|data|vbscript|blob|about):/i.test(trimmed)) return undefined;
  const parsed = URL.parse(trimmed, base);
  if (parsed === null) return base === undefined ? trimmed : undefined;
  return parsed.href;
}

const FOOTNOTE = /^#(?:user-content-)?(fn|footnote|_ftn(?!ref)|cite_note|note|en)[-_:]?/i;
const FOOTNOTES_MAX = 2_000;

/** Footnotes are links in superscript to a place on the page that looks like a note: target id → label. */
function findFootnotes(tree: Tree): Map<string, string> {
  const labels = new Map<string, string>();
  for (const element of tree.elements) {
    if (element.tag !== 'a' || labels.size >= FOOTNOTES_MAX) continue;
    const href = attributeOf(element, 'href');
    if (href === undefined || !FOOTNOTE.test(href) || /ref/i.test(href)) continue;
    if (element.parent?.tag !== 'sup' && !element.children.some((child) => child.tag === 'sup')) continue;
    const label = textOf(element).replace(/[[\]\s^]/g, '');
    if (label !== '' && label.length <= 10) labels.set(href.slice(1), label);
  }
  return labels;
}

function isBackReference(link: ElementNode): boolean {
  const href = attributeOf(link, 'href');
  if (href === undefined || !href.startsWith('#')) return false;
  return (
    /^#(?:user-content-)?(fnref|_ftnref|cite_ref|footnote-?ref|ref)/i.test(href) ||
    /^[\s\u21A9\u2191^\u23CE]+\uFE0E?\s*$/.test(textOf(link))
  );
}

/** All text below an element. */
export function textOf(element: ElementNode): string {
  return element.children.map((child) => (isText(child) ? child.text : textOf(child))).join('');
}
