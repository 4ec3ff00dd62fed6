import { answer } from './answer/answer.ts';
import { crawl, map } from './crawl/crawl.ts';
import { extract } from './extract/extract.ts';
import type { Operation } from './operation.ts';
import { research, researchSession } from './research/research.ts';
import { verifyQuote } from './research/verify-quote.ts';
import { search } from './search/search.ts';

/** Every operation. A surface is a loop over this list. */
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
