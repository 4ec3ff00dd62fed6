import { answer } from './answer.ts';
import { crawl, map } from './crawl/crawl.ts';
import { extract } from './extract.ts';
import type { Operation } from './operation.ts';
import { search } from './search.ts';

/** Every operation. A surface is a loop over this list. */
export const operations = [search, extract, crawl, map, answer] as unknown as Operation[];
