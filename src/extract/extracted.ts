import { own } from '../core/own-text.ts';
import type { SourceImage } from '../core/source.ts';
import { clip, oneLine, type OwnText } from '../core/text.ts';
import type { Metadata } from './metadata/metadata.ts';
import type { RemovedText } from './parse/nodes.ts';
import type { Explanation } from './passes/explain.ts';

export interface PageLink {
  url: string;
  text: string;
}

/** The result of extraction. `text` and `markdown` have the same content; both are untrusted. */
export interface Extracted extends Metadata {
  /** The detected type of the document. */
  kind: 'html' | 'pdf' | 'text' | 'markdown' | 'json' | 'xml' | 'feed';
  text: string;
  markdown: string;
  /** Images and links of the content as absolute URLs, in order and without duplicates. */
  images: SourceImage[];
  links: PageLink[];
  /** `degraded` if there is hardly any content; `reason` says why. */
  quality: 'ok' | 'degraded';
  reason?: OwnText;
  /** The number of characters that were dropped because readers cannot see them. */
  hiddenTextRemoved: number;
  /** The first of these texts. */
  removed?: RemovedText[];
  /** Notes for the caller: a guessed charset, truncated input. */
  warnings: OwnText[];
  /** Why the page was extracted this way. Only for HTML, and only when asked for. */
  explanation?: Explanation;
}

/** The result for a document that is not HTML. */
export function plainExtracted(
  kind: Extracted['kind'],
  title: string,
  text: string,
  markdown: string,
): Extracted {
  const isEmpty = text.trim() === '';
  return {
    kind,
    title: clip(oneLine(title), 300),
    text,
    markdown: isEmpty ? '' : markdown,
    images: [],
    links: [],
    quality: isEmpty ? 'degraded' : 'ok',
    ...(isEmpty ? { reason: own`The ${kind === 'text' ? 'file' : kind} holds no text.` } : {}),
    hiddenTextRemoved: 0,
    warnings: [],
  };
}
