import { answer } from '../operations/search/answer.ts';
import { crawl, map } from '../operations/crawl/crawl.ts';
import { extract } from '../operations/extract/extract.ts';
import type { Operation } from '../operations/operation.ts';
import { research, researchSession } from '../research/research.ts';
import { verifyQuote } from '../research/verify-quote.ts';
import { search } from '../operations/search/search.ts';

/** Every operation. Surfaces loop over this list. */
export const operations = [
  search,
  extract,
  crawl,
  map,
  answer,
  research,
  researchSession,
  verifyQuote,
] as unknown as Operation[];
