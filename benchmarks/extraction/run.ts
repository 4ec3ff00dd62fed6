/**
 * Extraction and Markdown beside others, in one command: `npx tsx benchmarks/extraction/run.ts [--data DIR] [--step 24]`, or Markdown alone on
 * the HTML files of a folder: `… --documents DIR`. Prints a table to stderr and JSON to stdout. Speed is CPU time, so that a busy machine does not matter; quality on the development data is measured on pages the model was
 * trained on, so the cross-validated figures in docs/extraction-model.md are the ones to quote.
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { measureHostile } from './hostile.ts';
import { EXTRACTORS, installOthers } from './libraries.ts';
import { measureMarkdown } from './markdown.ts';
import { mean, scoreShingles, scoreWords, segments } from './metric.ts';
import { type BenchmarkPage, dataFolder, readDocuments, readPages } from './pages.ts';

const { values: flags } = parseArgs({
  options: {
    data: { type: 'string' },
    documents: { type: 'string' },
    step: { type: 'string', default: '24' },
  },
});
if (flags.documents !== undefined) {
  if (!installOthers()) process.exit(1);
  console.log(JSON.stringify(await measureMarkdown(readDocuments(flags.documents)), null, 2));
  process.exit(0);
}
const folder = dataFolder(flags.data);
if (folder === undefined) {
  console.error('No development data beside the repository; say where it is with --data DIR.');
  process.exit(0);
}
const step = Number(flags.step);
const hasOthers = installOthers();
const pages = await readPages(folder, 'wcxb-dev', step);
const marked = await readPages(folder, 'traf', step);
// A process that serves is warm; it gets warm on other pages than those it is measured on.
const warming = [
  ...(await readPages(folder, 'wcxb-dev', step, Math.floor(step / 2))),
  ...(await readPages(folder, 'wcxb-dev', step, Math.floor(step / 4))),
];
const bytes = pages.reduce((sum, page) => sum + Buffer.byteLength(page.html), 0);
console.error(
  `${pages.length} pages of ${Math.round(bytes / pages.length / 1_000)} KB on average; each extractor warms up on ${warming.length} others`,
);

const extraction = [];
for (const [name, make] of Object.entries(EXTRACTORS)) {
  if (name !== 'headgate' && !hasOthers) continue;
  extraction.push(await measureExtractor(name, await make()));
}
const reference = extraction.find((row) => row.name === 'readability+jsdom')?.cpuMs;
for (const row of extraction)
  console.error(
    `${row.name.padEnd(24)} word F1 ${row.wordF1.toFixed(3)}  articles' shingle F1 ${row.shingleF1.toFixed(3)}  passages F1 ${row.segmentF1.toFixed(3)}  ${(row.cpuMs / pages.length).toFixed(1)} CPU ms/page  ${reference === undefined ? '' : `${(reference / row.cpuMs).toFixed(1)} × readability+jsdom`}`,
  );

// Tables and code are rare outside documentation, and a mean over few pages says little.
const documents = (await readPages(folder, 'wcxb-dev', 2))
  .filter((page) => page.type === 'documentation')
  .slice(0, 32);
const markdown = hasOthers ? await measureMarkdown(documents) : [];

const hostile = await measureHostile();
console.error(
  `hostile pages (${hostile.pages.length})    slowest ${hostile.slowestMs} ms  main loop delay p99 ${hostile.loopDelayP99Ms} ms, most ${hostile.loopDelayMaxMs} ms`,
);

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: import.meta.dirname })
  .toString()
  .trim();
console.log(
  JSON.stringify(
    {
      commit,
      node: process.version,
      machine: cpus()[0]?.model,
      pages: pages.length,
      bytes,
      warmUpPages: warming.length,
      marked: marked.length,
      extraction,
      markdown,
      hostile,
    },
    null,
    2,
  ),
);

async function measureExtractor(
  name: string,
  extract: (html: string, url: string) => string | Promise<string>,
) {
  for (const page of warming) {
    await attempt(extract, page);
    await turnLoop();
  }
  const texts: string[] = [];
  let cpuMs = 0;
  for (const page of pages) {
    const before = process.cpuUsage();
    texts.push(await attempt(extract, page));
    const used = process.cpuUsage(before);
    cpuMs += (used.user + used.system) / 1_000;
    await turnLoop();
  }
  const counts = [0, 0, 0];
  for (const page of marked)
    for (const [place, value] of segments(
      page.with ?? [],
      page.without ?? [],
      await attempt(extract, page),
    ).entries())
      counts[place] = (counts[place] ?? 0) + value;
  const [hits = 0, wrong = 0, missed = 0] = counts;
  const types = Object.fromEntries(
    [...new Set(pages.map((page) => page.type))].map((type) => [type, mean(scores(type))]),
  );
  function scores(type: string | undefined): number[] {
    return pages.flatMap((page, index) =>
      type === undefined || page.type === type ? [scoreWords(page.gold ?? '', texts[index] ?? '').f1] : [],
    );
  }
  const articles = pages.flatMap((page, index) =>
    page.type === 'article' ? [scoreShingles(page.gold ?? '', texts[index] ?? '').f1] : [],
  );
  return {
    name,
    wordF1: mean(scores(undefined)),
    types,
    shingleF1: mean(articles),
    segmentF1: (2 * hits) / Math.max(1, 2 * hits + wrong + missed),
    cpuMs,
  };
}

/** jsdom frees its windows only when the event loop turns. */
function turnLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

async function attempt(
  extract: (html: string, url: string) => string | Promise<string>,
  page: BenchmarkPage,
): Promise<string> {
  try {
    return await extract(page.html, page.url.startsWith('http') ? page.url : 'https://example.org/');
  } catch {
    // A library that fails on a page found nothing on it.
    return '';
  }
}
