/**
 * Writes src/rank/background.json: how common a term is in ordinary web text, as counts only.
 *
 *   npx tsx scripts/background.ts ../shared/corpora node_modules
 *
 * Arguments are folders. `*.jsonl.gz` files with `gold` or `with` fields (main text of web pages, extraction corpus) and passages of
 * ranking corpora in Japanese and Chinese are read, and every Markdown file below a folder. Texts are cut into passages of 500 characters, and
 * a term's share is the part of all passages of its script that contain it. Rare terms are left out: the ranker treats what it does not
 * find as rare. Same input, same output.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readWords } from '../src/core/table-text.ts';
import { tokenise } from '../src/rank/tokenise.ts';
import { createTableWriter, wordsText } from './train/write-table.ts';

const PASSAGE_CHARS = 500;
const SHARE_MIN = 1 / 1_000;
/** There is less Japanese and Chinese text to count, so only what is surely common is kept. */
const CHARACTERS_SHARE_MIN = 1 / 200;
const FILE_BYTES_MAX = 200_000;
/** Each step of the table is a factor of the square root of two. */
const STEPS_PER_OCTAVE = 2;

const pairs = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
const words = createCounter();
const characters = createCounter();

for (const folder of process.argv.slice(2)) {
  for (const file of filesBelow(folder)) {
    if (file.endsWith('.jsonl.gz')) readRecords(file);
    else add(words, readFileSync(file, 'utf8'));
  }
}

const table = createTableWriter();
const kept = {
  words: writeSteps(stepsOf(words, SHARE_MIN)),
  characters: writeSteps(stepsOf(characters, CHARACTERS_SHARE_MIN)),
};
writeFileSync(
  join(import.meta.dirname, '../src/rank/background.json'),
  `${JSON.stringify({ ...kept, packed: table.text() })}\n`,
);
console.log(
  `${words.passages} passages in words, ${characters.passages} in Japanese or Chinese; ` +
    `${readWords(kept.words).length} words, ${readWords(kept.characters).length} pairs kept`,
);

function readRecords(file: string): void {
  for (const line of gunzipSync(readFileSync(file)).toString().split('\n')) {
    if (line === '') continue;
    const record = JSON.parse(line) as { gold?: string; with?: string[]; text?: string };
    const text = record.gold ?? record.with?.join('\n') ?? record.text ?? '';
    add(isPairs(text) ? characters : words, text);
  }
}

/** Extraction corpora whole; of the ranking corpora only those in scripts that the former lack. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) =>
      file.endsWith('.jsonl.gz')
        ? /extraction|jsquad|xquad_zh/.test(file)
        : /\.md$/i.test(basename(file)) && readFileSync(file).length < FILE_BYTES_MAX,
    )
    .sort();
}

function isPairs(text: string): boolean {
  const found = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  return (found?.length ?? 0) > text.length / 3;
}

function createCounter() {
  return { passages: 0, counts: new Map<string, number>() };
}

function add(counter: ReturnType<typeof createCounter>, text: string): void {
  for (let start = 0; start < text.length; start += PASSAGE_CHARS) {
    counter.passages += 1;
    for (const term of new Set(tokenise(text.slice(start, start + PASSAGE_CHARS)))) {
      if (pairs.test(term) !== (counter === characters)) continue;
      counter.counts.set(term, (counter.counts.get(term) ?? 0) + 1);
    }
  }
}

/** The step of each term that is common enough: its share is about 2^(-step / 2). */
function stepsOf(counter: ReturnType<typeof createCounter>, shareMin: number): Map<string, number> {
  const steps = new Map<string, number>();
  for (const [term, count] of counter.counts) {
    const share = count / counter.passages;
    if (share >= shareMin) steps.set(term, Math.round(-Math.log2(share) * STEPS_PER_OCTAVE));
  }
  return steps;
}

function writeSteps(steps: Map<string, number>): string {
  const terms = [...steps.keys()].sort();
  table.bytes(
    Uint8Array.from(terms, (term) => steps.get(term) as number),
    1,
  );
  return wordsText(terms);
}
