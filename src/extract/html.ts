import { own } from '../core/own-text.ts';
import type { SourceImage } from '../core/source.ts';
import { cleanText } from '../core/text.ts';
import type { Extracted, PageLink } from './extracted.ts';
import { imageSource } from './write/inline.ts';
import { writeMarkdown } from './write/markdown.ts';
import { readCanonicalUrl, readMetadata } from './metadata/metadata.ts';
import { createExplainer } from './passes/explain.ts';
import { hiddenText } from './passes/hidden-text.ts';
import { readMain } from './passes/index.ts';
import { lineNumbers } from './passes/line-numbers.ts';
import type { PassPage } from './passes/pass.ts';
import { unseenText } from './passes/unseen-text.ts';
import { writeText } from './write/text.ts';
import { attributeOf, type Block, type ElementNode, isText, type Tree } from './parse/nodes.ts';
import { buildTree } from './parse/tree.ts';
import { createWriterContext } from './write/writer-context.ts';

export interface HtmlOptions {
  /**
   * The URL of the page; relative links and images are resolved against it. Defaults to the canonical URL of
   * the page.
   */
  url?: string;
  /** Whether the Markdown includes images. */
  images?: boolean;
  /** Which links are listed: those of the content, or all links of the page, for crawling. */
  links?: 'content' | 'all';
  /** Adds an `explanation`: what each pass of extraction did to each block. */
  explain?: boolean;
}

const LIST_MAX = 500;

/**
 * Extracts the content and metadata of an HTML page. Never throws. Markdown, images and links are computed
 * on first access.
 */
export function extractHtml(html: string, options: HtmlOptions = {}): Extracted {
  const page = buildTree(html);
  // The classifier and the links need a URL; a saved page declares its own.
  const url = options.url ?? readCanonicalUrl(page.head, undefined);
  const explainer = options.explain === true ? createExplainer() : undefined;
  const main = readMain(page, url, { explainer });
  const { tree, keep } = main;
  const metadata = readMetadata(page, options.url);
  const writing = { keep, ...options, ...(url === undefined ? {} : { url }) };
  const text = cleanText(writeText(tree, keep));
  return lazily({
    ...metadata,
    kind: 'html' as const,
    text,
    ...judge(main, text, html),
    hiddenTextRemoved: main.hiddenChars,
    ...(main.removed.length === 0 ? {} : { removed: main.removed }),
    warnings: main.warnings,
    ...(explainer === undefined ? {} : { explanation: explainer.explain() }),
    markdown: () => cleanText(writeMarkdown(tree, writing)),
    images: () => listImages(tree, writing),
    links: () => listLinks(tree, writing),
  });
}

/** Converts a whole HTML document to Markdown. Only scripts, styles and hidden text are left out. */
export function htmlToMarkdown(html: string, options: HtmlOptions = {}): string {
  const tree = buildTree(html);
  const keep = new Uint8Array(tree.blocks.length).fill(1);
  const page = { tree, keep, hiddenChars: 0, removed: [] };
  hiddenText.run(page);
  unseenText.run(page);
  lineNumbers.run({ tree });
  return cleanText(writeMarkdown(tree, { images: true, ...options, keep, imagesEverywhere: true }));
}

type Lazy = Omit<Extracted, 'markdown' | 'images' | 'links'> & {
  markdown: () => string;
  images: () => SourceImage[];
  links: () => PageLink[];
};

/** Turns the three expensive fields into getters that compute once. */
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

/** A longer page is not just a notice. */
const NOTICE_WORDS_MAX = 60;

const NOTICES = [
  /\b(enable|activate|turn on) java ?script\b/i,
  /\bjava ?script (is|must be|needs to be) (not )?(enabled|disabled|required|turned off)\b/i,
  /\b(checking|verifying) (your browser|(that )?you are (a )?human)\b/i,
  /\b(verify|confirm|prove) (that )?you('re| are) (not a (ro)?bot|(a )?human)\b/i,
  /\bunusual (traffic|activity) from your\b/i,
  /^\s*access (to this (page|site|website) (has been|is) )?denied\b/i,
];

/**
 * Whether a short text is shown in place of the page: a request to enable scripts, a robot check, a refusal.
 */
const isNotice = (text: string): boolean => NOTICES.some((notice) => notice.test(text));

const WORDS_MIN = 10;

function judge(
  { words, survey }: PassPage,
  text: string,
  html: string,
): Pick<Extracted, 'quality' | 'reason'> {
  // Its few words are kept: should they be the content after all, nothing is lost.
  if (words <= NOTICE_WORDS_MAX && isNotice(text))
    return {
      quality: 'degraded',
      reason: own`The page shows only a notice (scripts wanted, a check for robots or no access).`,
    };
  if (words >= WORDS_MIN) return { quality: 'ok' };
  if ((survey.words.at(-1) ?? 0) >= WORDS_MIN)
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
