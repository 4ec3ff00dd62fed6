import type { Operation } from '../../../operations/operation.ts';
import { crawlWire, mapWire } from './crawl.ts';
import { extractWire } from './extract.ts';
import { searchWire } from './search.ts';
import type { Wire } from './wire.ts';

const wires: Wire[] = [searchWire, extractWire, crawlWire, mapWire];

/** How an operation is spoken over HTTP: as Tavily does where it has it, else as its contract says. */
export const wireOf = (operation: Operation): Wire =>
  wires.find((wire) => wire.name === operation.contract.name) ?? {
    name: operation.contract.name,
    decode: (body) => body,
    encode: (output) => output,
  };
