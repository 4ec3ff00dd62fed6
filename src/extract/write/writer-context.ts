import type { ElementNode, Tree } from '../parse/nodes.ts';
import { findFootnotes, type Footnotes } from './footnotes.ts';

/** What the Markdown writers need to know while they walk the tree. */
export interface WriterContext {
  images: boolean;
  keeps(block: number): boolean;
  keepsAny(element: ElementNode): boolean;
  /** True when all text below is kept. */
  keepsAll(element: ElementNode): boolean;
  keepsImage(image: ElementNode): boolean;
  /** True for subtrees that are not written at all. */
  drops(element: ElementNode): boolean;
  /** The absolute form of a URL, or undefined if readers cannot follow it. */
  absolute(address: string): string | undefined;
  footnotes: Footnotes;
}

export interface WriteOptions {
  /** Which blocks to write; all of them when absent. */
  keep?: Uint8Array;
  url?: string;
  images?: boolean;
  /** Writes all images, not only those beside kept text. */
  imagesEverywhere?: boolean;
}

/** Creates the context of a writer: which blocks are kept, the base URL, and the footnotes. */
export function createWriterContext(tree: Tree, options: WriteOptions): WriterContext {
  const { keep } = options;
  const kept = countKept(tree, keep);
  const base = baseUrl(tree.head.base, options.url);
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
    // An empty target is before the text of its note.
    footnotes: findFootnotes(tree, base, (note) =>
      keepsAny({ ...note, end: Math.max(note.end, note.first + 1) }),
    ),
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

/**
 * Resolves a link. Links that run code return undefined; without a base URL relative links stay as they are.
 */
export function resolve(address: string, base: string | undefined): string | undefined {
  const trimmed = address.trim();
  if (trimmed === '' || /^(javascript|data|vbscript|blob|about):/i.test(trimmed)) return undefined;
  const parsed = URL.parse(trimmed, base);
  if (parsed === null) return base === undefined ? trimmed : undefined;
  return parsed.href;
}
