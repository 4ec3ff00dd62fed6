import type { HtmlOptions } from './html.ts';

/** A document as it was fetched. */
export interface Page {
  bytes: Uint8Array;
  /** The `content-type` header, if there was one. */
  contentType?: string;
  url?: string;
}

export type ExtractOptions = Pick<HtmlOptions, 'images' | 'links' | 'explain'>;

export const isPdf = (bytes: Uint8Array): boolean => latin(bytes.subarray(0, 1_024)).includes('%PDF-');
const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
