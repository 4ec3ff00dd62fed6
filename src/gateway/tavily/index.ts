import type { Operation } from '../../operations/operation.ts';
import { crawlWire, mapWire } from './crawl.ts';
import { extractWire } from './extract.ts';
import { searchWire } from './search.ts';
import type { Wire } from '../door/wire.ts';

const wires: Wire[] = [searchWire, extractWire, crawlWire, mapWire];

/** The wire format of an operation: Tavily's where it has one, otherwise that of its contract. */
export const wireOf = (operation: Operation): Wire =>
  wires.find((wire) => wire.name === operation.contract.name) ?? {
    name: operation.contract.name,
    decode: (body) => body,
    encode: (output) => output,
  };
