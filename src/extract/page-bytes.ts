import type { HtmlOptions } from './html.ts';

/** A page as it was fetched. */
export interface Page {
  bytes: Uint8Array;
  /** The `content-type` header, when there was one. */
  contentType?: string;
  url?: string;
}

export type ExtractOptions = Pick<HtmlOptions, 'images' | 'links'>;

export const isPdf = (bytes: Uint8Array): boolean => latin(bytes.subarray(0, 1_024)).includes('%PDF-');
const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
