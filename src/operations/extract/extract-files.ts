import type { Ctx } from '../../routing/services.ts';
import type { OwnText } from '../../core/text.ts';
import {
  extractContract,
  type ExtractHit,
  type ExtractInput,
  type ExtractOutput,
} from '../../contract/extract.ts';
import { parseInput } from '../../contract/parse.ts';
import { HeadgateError } from '../../core/errors.ts';
import { fitPages } from './fit-pages.ts';
import { refuseSharedCursor } from './extract.ts';
import { judgePages } from './judge-pages.ts';
import { hitOf, warningsOf } from './read-own.ts';
import { extractCodeOf } from './read.ts';
import type { Services } from '../services.ts';

/** A local page. */
export interface LocalFile {
  name: string;
  bytes: Uint8Array;
}

type FilesOutput = Pick<ExtractOutput, 'results' | 'failed_results' | 'warnings'>;

/** Extracts local pages like `extract`, without the web. */
export async function extractFiles(
  files: LocalFile[],
  raw: Record<string, unknown>,
  ctx: Ctx<Services>,
): Promise<FilesOutput> {
  const input = parseInput(extractContract.input, { ...raw, urls: files.map(({ name }) => name) });
  refuseSharedCursor(input);
  const output: FilesOutput = { results: [], failed_results: [], warnings: [] };
  for (const file of files) {
    try {
      output.results.push(await readFile(file, input, output.warnings, ctx));
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      if (error.code === 'cancelled' || error.type === 'internal') throw error;
      output.failed_results.push({ url: file.name, error: error.explanation, code: extractCodeOf(error) });
    }
  }
  const judged = judgePages(output.results, input);
  return {
    ...output,
    results: await fitPages(judged.hits, input),
    warnings: [...output.warnings, ...judged.warnings],
  };
}

async function readFile(
  { name, bytes }: LocalFile,
  input: ExtractInput,
  warnings: OwnText[],
  { call, services }: Ctx<Services>,
): Promise<ExtractHit> {
  const page = { ...(await services.extract({ bytes }, {}, call.signal)), finalUrl: name };
  const hit = hitOf(name, page, input);
  warnings.push(...warningsOf(hit, page));
  return hit;
}
