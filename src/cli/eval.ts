import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { switchFlag, valueFlag } from '../core/command-line.ts';
import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { createCall, perform } from '../operations/perform.ts';
import { answer } from '../operations/search/answer.ts';
import type { Operation } from '../operations/operation.ts';
import { research } from '../research/research.ts';
import { verifyQuote } from '../research/verify-quote.ts';
import type { Command, CommandContext, OpenOptions } from './command.ts';
import { intervalOf, fitOf, type Interval, type Scores } from './eval-scores.ts';
import { renderTable } from './table.ts';

const QUESTIONS_MAX = 10_000;
const CITATIONS_MAX = 20;
const TIMEOUT_MS = 330_000;
const question = z.object({
  id: z.string().optional(),
  question: z.string().min(1),
  answers: z.array(z.string().min(1)).min(1),
});
type Question = z.output<typeof question>;

interface Answered {
  id: string;
  question: string;
  answer: string;
  scores: Scores;
  /** Why there is no answer. */
  code?: string;
}

const MEASURES = ['answered', 'exact', 'contains', 'f1', 'citations'] as const;

/** Asks questions whose answers are known, and says how often what came was right. */
export const command: Command = {
  usage: 'QUESTIONS.jsonl [flags]',
  flags: [
    valueFlag('web', 'FILE[,FILE…]', 'Answer from these snapshots instead of the web.'),
    valueFlag('record', 'FILE.wacz', 'Record what is read while it is asked.'),
    valueFlag('against', 'FILE[,FILE…]', 'Ask again with these snapshots, and compare.'),
    valueFlag('against-config', 'FILE.toml', 'Ask again with this configuration, and compare.'),
    switchFlag('research', 'Research each question instead of answering it.'),
    valueFlag(
      'at-least',
      'N',
      'Fail when less than this share of the answers contains a gold answer, such as 0.8.',
    ),
  ],
  words: 1,
  run: async (context) => {
    const { args } = context;
    const [path] = args.words;
    if (path === undefined)
      throw new HeadgateError('invalid_request', 'The file with the questions is missing.', {
        remediation: 'Each line of it is JSON: {"question": "…", "answers": ["…"]}.',
      });
    const least = args.value('at-least') === undefined ? 0 : Number(args.value('at-least'));
    if (!(least >= 0 && least <= 1))
      throw new HeadgateError('invalid_request', '--at-least: must be a number from 0 to 1.');
    const questions = questionsIn(path);
    const [web, record, other, config] = ['web', 'record', 'against', 'against-config'].map((name) =>
      args.value(name),
    );
    if (web !== undefined && record !== undefined)
      throw new HeadgateError('invalid_request', '--web and --record exclude each other.');
    const first = await runOn(questions, context, settingsOf(web, record));
    const isCompared = other !== undefined || config !== undefined;
    const second = isCompared
      ? await runOn(questions, context, {
          ...settingsOf(other ?? web, undefined),
          ...(config === undefined ? {} : { file: config }),
        })
      : undefined;
    const result = summary(first, second);
    context.printResult(result, () => render(result));
    return (result.measures.contains?.mean ?? 0) >= least ? 0 : 1;
  },
};

function questionsIn(path: string): Question[] {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (lines.length === 0 || lines.length > QUESTIONS_MAX)
    throw new HeadgateError(
      'invalid_request',
      own`The file holds ${lines.length} questions; 1 to ${QUESTIONS_MAX} can be asked.`,
    );
  return lines.map((line, index) => {
    try {
      return question.parse(JSON.parse(line));
    } catch {
      throw new HeadgateError('invalid_request', own`Line ${index + 1} is no question.`, {
        remediation: 'Each line is JSON: {"question": "…", "answers": ["…"]}, with an "id" if you like.',
      });
    }
  });
}

const settingsOf = (web: string | undefined, record: string | undefined): OpenOptions => ({
  settings: {
    ...(web === undefined ? {} : { 'web.mode': 'replay', 'web.snapshot': web.split(',') }),
    ...(record === undefined ? {} : { 'web.mode': 'record', 'web.snapshot': [record] }),
  },
});

async function runOn(
  questions: Question[],
  context: CommandContext,
  options: OpenOptions,
): Promise<Answered[]> {
  const { open, signal, say, isTerminal, args } = context;
  const opened = await open(options);
  try {
    const answered: Answered[] = [];
    for (const [index, each] of questions.entries()) {
      if (isTerminal) say(`\r\u001B[K${index + 1} of ${questions.length}`);
      signal.throwIfAborted();
      const asking = args.isOn('research') === true ? researched : looked;
      const run: Run = async (operation, input) => {
        const call = createCall(opened.services, { signal, surface: 'cli', timeoutMs: TIMEOUT_MS });
        try {
          return await perform(operation, input, { call, services: opened.services });
        } finally {
          call.end();
        }
      };
      answered.push(await scored(each, index, asking, run));
    }
    if (isTerminal) say('\r\u001B[K');
    return answered;
  } finally {
    await opened.close();
  }
}

/** Performs an operation as a call of its own. */
type Run = <Input, Output>(operation: Operation<Input, Output>, input: unknown) => Promise<Output>;

interface Reply {
  text: string;
  /** What is cited, and where it should be found. */
  quotes: { quote: string; url: string }[];
}

async function scored(
  { id, question: query, answers }: Question,
  index: number,
  asking: (query: string, run: Run) => Promise<Reply>,
  run: Run,
): Promise<Answered> {
  const shared = { id: id ?? String(index + 1), question: query };
  try {
    const { text, quotes } = await asking(query, run);
    const checked = await Promise.all(quotes.slice(0, CITATIONS_MAX).map((quote) => isVerified(quote, run)));
    const citations = checked.length === 0 ? undefined : checked.filter(Boolean).length / checked.length;
    return { ...shared, answer: text, scores: { ...fitOf(text, answers), citations } };
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    if (error.code === 'cancelled' || error.type === 'internal') throw error;
    return {
      ...shared,
      answer: '',
      scores: { ...fitOf('', answers), citations: undefined },
      code: error.code,
    };
  }
}

async function isVerified(quote: Reply['quotes'][number], run: Run): Promise<boolean> {
  try {
    return (await run(verifyQuote, quote)).verified;
  } catch {
    return false;
  }
}

/** Asks `answer`. Without a model it quotes sentences, each with the number of its result. */
async function looked(query: string, run: Run): Promise<Reply> {
  const output = await run(answer, { query });
  const { abstract, definition, results, answer_by: by } = output;
  const text = output.answer ?? abstract?.text ?? definition?.text ?? '';
  if (by !== 'quotes') return { text, quotes: [] };
  const quotes = [...text.matchAll(/“(.+?)” \(\S+ \[(\d+)\]\)/gs)].flatMap(([, quote = '', number]) => {
    const url = results[Number(number) - 1]?.url;
    return url === undefined ? [] : [{ quote, url }];
  });
  return { text: quotes.map(({ quote }) => quote).join(' '), quotes };
}

async function researched(query: string, run: Run): Promise<Reply> {
  const { report } = await run(research, { query });
  if (report === null || report === undefined) return { text: '', quotes: [] };
  const statements = [
    ...report.executive_summary,
    ...report.key_findings.flatMap(({ statements }) => statements),
  ];
  const urlOf = new Map(report.sources.map(({ number, url }) => [number, url]));
  const quotes = statements.flatMap((statement) =>
    statement.quotes.flatMap(({ citation, quote }) => {
      const url = urlOf.get(citation);
      return url === undefined ? [] : [{ quote, url }];
    }),
  );
  return { text: statements.map(({ text }) => text).join(' '), quotes };
}

type Measures = Partial<Record<(typeof MEASURES)[number], Interval & { n: number }>>;

interface Result {
  questions: number;
  measures: Measures;
  against?: Measures;
  /** The second run less the first, question by question. */
  difference?: Measures;
  answers: (Answered & { against?: Omit<Answered, 'id' | 'question'> })[];
}

const valuesOf = (answered: Answered[], measure: (typeof MEASURES)[number]): number[] =>
  answered.flatMap(({ scores }) => scores[measure] ?? []);

const isProportion = (measure: string): boolean => ['answered', 'exact', 'contains'].includes(measure);

function measured(of: (measure: (typeof MEASURES)[number]) => number[], areProportions: boolean): Measures {
  return Object.fromEntries(
    MEASURES.map((measure) => {
      const values = of(measure);
      return [measure, { n: values.length, ...intervalOf(values, areProportions && isProportion(measure)) }];
    }),
  );
}

function summary(first: Answered[], second: Answered[] | undefined): Result {
  const measures = measured((measure) => valuesOf(first, measure), true);
  if (second === undefined) return { questions: first.length, measures, answers: first };
  const differences = (measure: (typeof MEASURES)[number]): number[] =>
    first.flatMap(({ scores }, index) => {
      const [a, b] = [scores[measure], second[index]?.scores[measure]];
      return a === undefined || b === undefined ? [] : [b - a];
    });
  return {
    questions: first.length,
    measures,
    against: measured((measure) => valuesOf(second, measure), true),
    difference: measured(differences, false),
    answers: first.map((one, index) => {
      const { answer: text, scores, code } = second[index] ?? one;
      return { ...one, against: { answer: text, scores, ...(code === undefined ? {} : { code }) } };
    }),
  };
}

const percent = (value: number): string => (value * 100).toFixed(1);
const cell = (one: (Interval & { n: number }) | undefined): string =>
  one === undefined || one.n === 0 ? '–' : `${percent(one.mean)} [${percent(one.low)}, ${percent(one.high)}]`;

function render({ questions, measures, against, difference }: Result): string {
  const table = renderTable(
    [...MEASURES],
    [
      { title: 'measure', value: (measure) => measure },
      { title: '% [95 %]', value: (measure) => cell(measures[measure]), align: 'right' },
      ...(against === undefined
        ? []
        : [
            {
              title: 'against',
              value: (measure: (typeof MEASURES)[number]) => cell(against[measure]),
              align: 'right' as const,
            },
            {
              title: 'difference',
              value: (measure: (typeof MEASURES)[number]) => cell(difference?.[measure]),
              align: 'right' as const,
            },
          ]),
    ],
    '',
  );
  return `${questions} questions\n\n${table}`;
}
