/**
 * How good answers are that are quoted from results, without a model, by language: a search with `include_answer` over a simulated search
 * engine whose results are paragraphs.
 *
 *   npx tsx benchmarks/answers/run.ts FOLDER [--json] [--questions N]
 *   HEADGATE_SQUAD=FOLDER npm run benchmark -- answers
 *
 * FOLDER has one file per language in SQuAD's format, named like `en.json` (XQuAD's files as they are). Every question is asked three times:
 *
 * - held: one of five results has the answer, two are of the same article, two of others.
 * - near: the five paragraphs of the same article that are most like the question and do not have the answer.
 * - noise: five paragraphs of other articles.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { search } from '../../src/operations/search/search.ts';
import { startSim } from '../../src/sim/server.ts';
import { best, spread } from '../ranking/corpus.ts';
import { createPlainBm25 } from '../ranking/plain-bm25.ts';

const RESULTS = 5;

interface Paragraph {
  article: number;
  title: string;
  content: string;
}
interface Asked {
  text: string;
  answers: string[];
  paragraph: Paragraph;
}

const args = process.argv.slice(2);
const isFolder = (argument: string): boolean => !argument.startsWith('--') && !/^\d+$/.test(argument);
const folder = args.find(isFolder) ?? process.env.HEADGATE_SQUAD;
if (folder === undefined)
  throw new Error('Name a folder of SQuAD files: npx tsx benchmarks/answers/run.ts FOLDER');
const questionsMax = Number(args[args.indexOf('--questions') + 1] ?? 100) || 100;

/** What the simulated search engine finds, whatever is asked. */
let found: Paragraph[] = [];
const sim = await startSim({
  upstreams: [
    {
      id: 'results',
      handle: () => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          results: found.map(({ title, content }, at) => ({
            url: `https://site-${at}.example/`,
            title,
            content,
            engine: 'scripted',
            positions: [at + 1],
          })),
          unresponsive_engines: [],
        }),
      }),
    },
  ],
});
const flags = {
  'providers.searxng.base_url': `${sim.url}/results`,
  'providers.searxng.pace_ms': 0,
  'providers.duckduckgo.enabled': false,
  'search.provider': 'searxng',
  'cache.enabled': false,
};
const engine = createEngine(loadConfig({ flags }).config, { log: silentLogger });

const rows: Awaited<ReturnType<typeof measure>>[] = [];
for (const file of readdirSync(folder).filter((name) => name.endsWith('.json')))
  rows.push(await measure(basename(file, '.json'), join(folder, file)));
await engine.close();
await sim.close();

const mean = (name: Exclude<keyof (typeof rows)[number], 'language'>): number =>
  round(rows.reduce((sum, row) => sum + row[name], 0) / rows.length);
const report = {
  benchmark: 'answers',
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  node: process.version,
  machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
  languages: rows,
  mean: {
    gold: mean('gold'),
    first: mean('first'),
    firm: mean('firm'),
    near: mean('near'),
    noise: mean('noise'),
    sentences: mean('sentences'),
  },
};
if (args.includes('--json')) console.log(JSON.stringify(report, null, 2));
else {
  for (const { language, ...row } of rows) console.log(language, JSON.stringify(row));
  console.log(report.mean);
}

async function measure(language: string, file: string) {
  const { paragraphs, questions } = readFile(file);
  const asked = spread(questions, questionsMax);
  const counts = { gold: 0, first: 0, firm: 0, near: 0, noise: 0, sentences: 0 };
  for (const [at, question] of asked.entries()) {
    const { paragraph } = question;
    const has = (text: string): boolean =>
      question.answers.some((answer) => plain(text).includes(plain(answer)));
    const others = paragraphs.filter((one) => one.article !== paragraph.article && !has(one.content));
    const own = paragraphs.filter((one) => one.article === paragraph.article && !has(one.content));
    const score = createPlainBm25(own.map(({ content }) => content));
    const near = best(score(question.text), own.length).map((one) => own[one] as Paragraph);
    const some = (count: number): Paragraph[] =>
      Array.from({ length: count }, (_, step) => others[(at * 31 + step * 97) % others.length] as Paragraph);
    const held = await ask(question.text, rotated([paragraph, ...near.slice(0, 2), ...some(2)], at));
    const quotes = quotesIn(held.answer);
    counts.gold += Number(has(held.answer ?? ''));
    counts.first += Number(has(quotes[0] ?? ''));
    counts.firm += Number(held.match === 'answered');
    counts.sentences += quotes.length;
    counts.near += Number((await ask(question.text, near.slice(0, RESULTS))).match !== 'answered');
    counts.noise += Number((await ask(question.text, some(RESULTS))).match !== 'answered');
  }
  const shares = Object.entries(counts).map(([name, count]) => [name, round(count / asked.length)]);
  return { language, ...(Object.fromEntries(shares) as typeof counts) };
}

async function ask(query: string, results: Paragraph[]) {
  found = results;
  const { services } = engine;
  const call = createCall(services);
  const input = { query, include_answer: true, max_results: RESULTS };
  return perform(search, input, { call, services }).finally(() => call.end());
}

function readFile(file: string): { paragraphs: Paragraph[]; questions: Asked[] } {
  const { data } = JSON.parse(readFileSync(file, 'utf8')) as {
    data: {
      title?: string;
      paragraphs: { context: string; qas: { question: string; answers: { text: string }[] }[] }[];
    }[];
  };
  const questions: Asked[] = [];
  const paragraphs = data.flatMap(({ paragraphs: parts }, article) =>
    parts.map(({ context, qas }) => {
      const paragraph = { article, title: `Page ${article}`, content: context };
      for (const { question, answers } of qas)
        questions.push({ text: question, answers: answers.map(({ text }) => text), paragraph });
      return paragraph;
    }),
  );
  return { paragraphs, questions };
}

function quotesIn(answer: string | null): string[] {
  return Array.from((answer ?? '').matchAll(/“((?:[^“”]|“[^“”]*”)*)” \(/g), ([, quote = '']) => quote);
}

function rotated<Value>(list: Value[], by: number): Value[] {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim();
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
