import { extractContract, type ExtractHit } from '../../contract/extract.ts';
import { parseInput } from '../../contract/parse.ts';
import type { Call } from '../../core/call.ts';
import { fitPages } from './fit-pages.ts';
import { hitOf } from './read-own.ts';
import type { Services } from '../services.ts';

/** Reads a page that is already here, such as a file: the same reading and fitting as `extract`, without the web. */
export async function extractBytes(
  page: { bytes: Uint8Array; name: string },
  raw: Record<string, unknown>,
  call: Call,
  services: Services,
): Promise<ExtractHit> {
  const input = parseInput(extractContract.input, { ...raw, urls: [page.name] });
  const extracted = await services.extract({ bytes: page.bytes }, {}, call.signal);
  const hit = hitOf(page.name, { ...extracted, finalUrl: page.name }, input);
  const [fitted = hit] = await fitPages([hit], input);
  return fitted;
}
