import type { ExtractCode, ExtractHit } from '../contract/extract.ts';

/** A page that could not be read, and why. */
export interface FailedPage {
  url: string;
  error: string;
  code: ExtractCode;
}

/** What one reader made of its URLs. */
export interface ReadBatch {
  hits: ExtractHit[];
  failed: FailedPage[];
  credits: number;
  warnings: string[];
}
