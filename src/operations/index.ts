import { answer } from './answer.ts';
import type { Operation } from './operation.ts';
import { search } from './search.ts';

/** Every operation. A surface is a loop over this list. */
export const operations = [search, answer] as unknown as Operation[];
