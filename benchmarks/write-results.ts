// Writes benchmarks/RESULTS.md, a plot per benchmark and the README's comparison from the figures in benchmarks/results.
// Run by every benchmark; by itself: `npm run benchmark:results`, with `--check` to see whether they are stale.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fillPlaces } from '../scripts/reference/places.ts';
import { comparison } from './comparison.ts';
import { drawPlot } from './plot.ts';
import type { Figures, View } from './view.ts';
import { VIEWS } from './views.ts';

const root = join(import.meta.dirname, '..');

interface Result {
  benchmark: string;
  date: string;
  commit: string;
  node: string;
  machine: string;
  load?: number;
  figures: Figures;
}

/** The files that were stale, by path; written unless it is only a check. */
export function writeResults(isCheck = false): string[] {
  const results = readResults();
  const files: Record<string, string> = { 'benchmarks/RESULTS.md': resultsPage(results) };
  for (const result of results) {
    const view = VIEWS[result.benchmark]?.(result.figures);
    if (view !== undefined) files[`benchmarks/plots/${result.benchmark}.svg`] = drawPlot(view.plot);
  }
  const startup = results.find((result) => result.benchmark === 'startup');
  if (startup !== undefined) {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    files['README.md'] = fillPlaces(readme, { comparison: comparison(startup.figures, measuredOn(startup)) });
  }
  const stale = Object.entries(files).filter(([file, text]) => text !== readOr(join(root, file)));
  for (const [file, text] of isCheck ? [] : stale) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return stale.map(([file]) => file);
}

function readResults(): Result[] {
  const folder = join(root, 'benchmarks/results');
  if (!existsSync(folder)) return [];
  const order = Object.keys(VIEWS);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Result)
    .sort((a, b) => order.indexOf(a.benchmark) - order.indexOf(b.benchmark));
}

const measuredOn = ({ date, machine, node, commit, load }: Result): string =>
  `${date}, ${machine}, Node ${node.slice(1)}, commit ${commit}${load === undefined ? '' : `, load ${load}`}`;

function resultsPage(results: Result[]): string {
  const sections = results.flatMap((result) => {
    const view = VIEWS[result.benchmark]?.(result.figures);
    return view === undefined ? [] : [section(result, view)];
  });
  return `<!-- Printed by \`npm run benchmark:results\` from benchmarks/results; edit the views, not this page. -->

# Results

Each benchmark is one command and measures everybody in the same run. The machine is small and shared, so take ratios within a table, not
milliseconds; what each one does and leaves out is in the README of its folder.

${sections.join('\n')}`;
}

const section = (result: Result, { title, note, head, rows }: View): string => `## ${title}

\`npm run benchmark -- ${result.benchmark}\` · ${measuredOn(result)}

${note}

${[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')}

![${title}](plots/${result.benchmark}.svg)
`;

function readOr(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

if (process.argv[1] === import.meta.filename) {
  const isCheck = process.argv.includes('--check');
  const stale = writeResults(isCheck);
  if (isCheck && stale.length > 0) {
    console.error(`Stale: ${stale.join(', ')}. Run \`npm run benchmark:results\`.`);
    process.exitCode = 1;
  }
}
