/**
 * Scores another extractor by page type on the data and with the table of the trainer, to hold beside its cross-validated figures:
 * `npx tsx scripts/compare-extract.ts --data DIR [--with trafilatura|trafilatura+comments|readability+linkedom|defuddle+linkedom]`.
 * trafilatura is taken from the machine's Python (`PYTHON`, `PYTHONPATH`); it is no part of this repository.
 */
import { parseArgs } from 'node:util';
import { EXTRACTORS, type Extract, installOthers } from '../benchmarks/extraction/libraries.ts';
import { startTrafilatura } from '../benchmarks/extraction/trafilatura.ts';
import { type JudgedPage, presentSets, readPages, realUrl, toJudged } from './train/dataset.ts';
import { report } from './train/score.ts';

const { values: flags } = parseArgs({
  options: { data: { type: 'string' }, with: { type: 'string', default: 'trafilatura' } },
});
const { data: folder, with: name } = flags;
if (folder === undefined) throw new Error('Say where the training data is: --data DIR');

const trafilatura = name.startsWith('trafilatura')
  ? await startTrafilatura(name.endsWith('+comments'))
  : undefined;
const extract = trafilatura?.extract ?? (await makeExtractor());
const pages: JudgedPage[] = [];
const texts: string[] = [];
for (const { name: set } of presentSets(folder))
  for await (const page of readPages(folder, set)) {
    pages.push(toJudged(page));
    texts.push(await extract(page.html, realUrl(page.url) ?? ''));
  }
await trafilatura?.stop();
console.log(`${name}\n${report(pages, texts)}`);

async function makeExtractor(): Promise<Extract> {
  const make = EXTRACTORS[name];
  if (make === undefined)
    throw new Error(
      `No extractor is called ${name}; there are trafilatura, ${Object.keys(EXTRACTORS).join(', ')}`,
    );
  if (!installOthers()) throw new Error('It could not be installed; see above.');
  const read = await make();
  return async (html, url) => {
    try {
      return await read(html, url);
    } catch (error) {
      // A page that it cannot read is a page without text.
      console.error(`${url}: ${(error as Error).message}`);
      return '';
    }
  };
}
