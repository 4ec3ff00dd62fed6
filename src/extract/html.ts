import { own } from '../core/own-text.ts';
import type { SourceImage } from '../core/source.ts';
import { cleanText } from '../core/text.ts';
import type { Extracted, PageLink } from './extracted.ts';
import { imageSource } from './write/inline.ts';
import { writeMarkdown } from './write/markdown.ts';
import { readCanonicalUrl, readMetadata } from './metadata/metadata.ts';
import { dropHidden } from './choice/refine.ts';
import { dropCodeLabels } from './code-labels.ts';
import { dropCounts, dropGutters } from './gutters.ts';
import { dropHandles } from './handles.ts';
import { type Main, readMain } from './main.ts';
import { isNotice, NOTICE_WORDS_MAX } from './notice.ts';
import { writeText } from './write/text.ts';
import { attributeOf, type Block, type ElementNode, isText, type Tree } from './parse/nodes.ts';
import { buildTree } from './parse/tree.ts';
import { createWriterContext } from './write/writer-context.ts';

export interface HtmlOptions {
  /** The page's address; relative links and images are resolved against it. Without one, the canonical address that the page tells stands in. */
  url?: string;
  /** Whether Markdown shows images. */
  images?: boolean;
  /** Which links are listed: those of the content, or all of the page, for walking on. */
  links?: 'content' | 'all';
}

const LIST_MAX = 500;

/** The main content of an HTML page with what the page says about itself. Never throws; Markdown, images and links are made when read. */
export function extractHtml(html: string, options: HtmlOptions = {}): Extracted {
  const page = buildTree(html);
  // A saved page tells its address: what stands on a forum is judged by it, and links lead on from it.
  const url = options.url ?? readCanonicalUrl(page.head, undefined);
  const main = readMain(page, url);
  const { tree, keep } = main;
  dropHandles(tree);
  const metadata = readMetadata(page, options.url);
  dropGutters(tree);
  dropCounts(tree);
  dropCodeLabels(tree, keep);
  const writing = { keep, ...options, ...(url === undefined ? {} : { url }) };
  const text = cleanText(writeText(tree, keep));
  return lazily({
    ...metadata,
    kind: 'html' as const,
    text,
    ...judge(main, text, html),
    hiddenTextRemoved: main.hidden,
    warnings: main.warnings,
    markdown: () => cleanText(writeMarkdown(tree, writing)),
    images: () => listImages(tree, writing),
    links: () => listLinks(tree, writing),
  });
}

/** HTML as Markdown, whole: nothing is judged; only scripts and their like and what no reader sees are left out. */
export function htmlToMarkdown(html: string, options: HtmlOptions = {}): string {
  const tree = buildTree(html);
  const keep = new Uint8Array(tree.blocks.length).fill(1);
  dropHidden({ tree }, keep);
  dropGutters(tree);
  return cleanText(writeMarkdown(tree, { images: true, ...options, keep, imagesEverywhere: true }));
}

type Lazy = Omit<Extracted, 'markdown' | 'images' | 'links'> & {
  markdown: () => string;
  images: () => SourceImage[];
  links: () => PageLink[];
};

/** Turns the three costly fields into getters that work once. */
function lazily(fields: Lazy): Extracted {
  const { markdown, images, links, ...rest } = fields;
  const result = { ...rest } as Extracted;
  for (const [name, make] of Object.entries({ markdown, images, links }))
    Object.defineProperty(result, name, {
      enumerable: true,
      configurable: true,
      get: () => {
        const value = make();
        Object.defineProperty(result, name, { enumerable: true, value });
        return value;
      },
    });
  return result;
}

const WORDS_MIN = 10;

function judge({ words, wordsAll }: Main, text: string, html: string): Pick<Extracted, 'quality' | 'reason'> {
  // Its few words are kept: should they be the content after all, nothing is lost.
  if (words <= NOTICE_WORDS_MAX && isNotice(text))
    return {
      quality: 'degraded',
      reason: own`The page shows only a notice (scripts wanted, a check for robots or no access).`,
    };
  if (words >= WORDS_MIN) return { quality: 'ok' };
  if (wordsAll >= WORDS_MIN)
    return { quality: 'degraded', reason: own`The page holds text, but none of it looks like content.` };
  if (html.trim() === '') return { quality: 'degraded', reason: own`The page is empty.` };
  return {
    quality: 'degraded',
    reason: /<script/i.test(html)
      ? own`The page holds no text; it is probably drawn by a script.`
      : own`The page holds next to no text.`,
  };
}

function listImages(tree: Tree, options: HtmlOptions & { keep: Uint8Array }): SourceImage[] {
  const context = createWriterContext(tree, options);
  const found = new Map<string, SourceImage>();
  for (const element of tree.elements) {
    if (element.tag !== 'img' || found.size >= LIST_MAX || !context.keepsImage(element)) continue;
    const url = context.absolute(imageSource(element) ?? '');
    if (url === undefined || found.has(url)) continue;
    const alt = cleanText(attributeOf(element, 'alt') ?? '').trim();
    found.set(url, alt === '' ? { url } : { url, description: alt });
  }
  return [...found.values()];
}

function listLinks(tree: Tree, options: HtmlOptions & { keep: Uint8Array }): PageLink[] {
  const context = createWriterContext(tree, options);
  const found = new Map<string, PageLink>();
  for (const element of tree.elements) {
    if (element.tag !== 'a' || found.size >= LIST_MAX) continue;
    if (options.links !== 'all' && (element.skipped || !context.keepsAny(element))) continue;
    const url = context.absolute(attributeOf(element, 'href') ?? '');
    if (url === undefined || !/^https?:/.test(url) || found.has(url)) continue;
    const text = cleanText(linkText(element, tree.blocks)).replace(/\s+/g, ' ').trim();
    if (text !== '' || options.links === 'all') found.set(url, { url, text });
  }
  return [...found.values()];
}

function linkText(element: ElementNode, blocks: Block[]): string {
  if (element.holdsBlocks) return blocks[element.first]?.text ?? '';
  return element.children.map((child) => (isText(child) ? child.text : linkText(child, blocks))).join('');
}
