/**
 * Hidden text: `npm run benchmark -- hidden-text [--show]`. Extracts a page for each case and looks for its text; prints recall and precision by technique
 * to stderr and JSON to stdout. `--show` lists what went wrong.
 */
import { extractHtml } from '../../src/extract.ts';
import { report } from '../report.ts';
import { type HiddenCase, makeCases, SECRET } from './cases.ts';

interface Counts {
  found: number;
  missed: number;
  wrong: number;
  right: number;
}

const cases = makeCases();
const isShown = process.argv.includes('--show');
const rows = new Map<string, Counts>();
const all = count('all');
for (const one of cases)
  tally(one, extractHtml(one.html, { url: 'https://example.org/mill' }).text.includes(SECRET.slice(4, -7)));
const techniques = [...rows].map(([technique, counts]) => ({
  technique,
  cases: sum(counts),
  ...scores(counts),
}));
for (const row of techniques)
  console.error(
    `${row.technique.padEnd(12)} ${String(row.cases).padStart(4)} cases  recall ${row.recall.toFixed(3)}  precision ${row.precision.toFixed(3)}`,
  );
report('hidden-text', { cases: cases.length, techniques });

function count(technique: string): Counts {
  const counts = { found: 0, missed: 0, wrong: 0, right: 0 };
  rows.set(technique, counts);
  return counts;
}

function tally({ technique, name, isHidden }: HiddenCase, isKept: boolean): void {
  const outcome = isHidden ? (isKept ? 'missed' : 'found') : isKept ? 'right' : 'wrong';
  for (const counts of [all, rows.get(technique) ?? count(technique)]) counts[outcome] += 1;
  if (isShown && (outcome === 'missed' || outcome === 'wrong'))
    console.error(`${outcome}  ${technique}  ${name}`);
}

function sum({ found, missed, wrong, right }: Counts): number {
  return found + missed + wrong + right;
}

function scores({ found, missed, wrong }: Counts): { recall: number; precision: number } {
  return { recall: found / Math.max(1, found + missed), precision: found / Math.max(1, found + wrong) };
}
