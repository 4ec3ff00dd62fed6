import type { SourceImage } from '../core/source.ts';
import type { OwnText } from '../core/text.ts';
import type { Metadata } from './metadata/metadata.ts';

export interface PageLink {
  url: string;
  text: string;
}

/** One page, read. `text` and `markdown` hold the same content; both are untrusted. */
export interface Extracted extends Metadata {
  /** What the bytes were. */
  kind: 'html' | 'pdf' | 'text' | 'markdown' | 'json' | 'xml' | 'feed';
  text: string;
  markdown: string;
  /** Images and links of the content, absolute, in order, each once. */
  images: SourceImage[];
  links: PageLink[];
  /** `degraded` when there is no content to speak of; `reason` says why. */
  quality: 'ok' | 'degraded';
  reason?: OwnText;
  /** Characters that a reader would not have seen and that were therefore left out. */
  hiddenTextRemoved: number;
  /** What the reader of this result should know: a guessed charset, a cut input. */
  warnings: OwnText[];
}
