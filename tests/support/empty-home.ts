import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A home without a library: whoever has run the product has one, and what it answers is no failure of the providers. */
export const emptyHome = (): string => mkdtempSync(join(tmpdir(), 'home-'));
