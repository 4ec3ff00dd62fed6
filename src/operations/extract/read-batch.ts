import type { ExtractCode, ExtractHit } from '../../contract/extract.ts';
import type { KeptPage } from '../library/keep.ts';

/** A page that could not be read, and why. */
export interface FailedPage {
  url: string;
  error: string;
  code: ExtractCode;
}

/** What one reader made of its URLs. */
export interface ReadBatch {
  hits: ExtractHit[];
  /** The whole pages, whatever of them was asked for. */
  pages: KeptPage[];
  failed: FailedPage[];
  credits: number;
  warnings: string[];
}
