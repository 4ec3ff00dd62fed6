import { resolve } from 'node:path';
import { valueFlag, wholeNumber, type Args, type Flag } from '../core/command-line.ts';
import { HeadgateError } from '../core/errors.ts';
import { asked, own } from '../core/own-text.ts';
import { clip, oneLine, plural } from '../core/text.ts';
import { addToLibrary } from '../operations/library/add.ts';
import type { AddedReport } from '../operations/library/added.ts';
import type { Library } from '../library/library.ts';
import type { Services } from '../operations/services.ts';
import type { Command, CommandContext, Shape } from './command.ts';
import { createProgressLine } from './terminal.ts';

interface Verb extends Shape {
  run(args: Args, world: LibraryContext): Promise<{ value: unknown; text: string; isFailed?: boolean }>;
}

interface LibraryContext {
  services: Services;
  library: Library;
  context: CommandContext;
}

const WORKSPACE = valueFlag('workspace', 'ID', 'The library of a workspace instead of the shared one.');
const PACKAGE = valueFlag('package', 'NAME', 'Limit to this package.');
const ANY = Number.POSITIVE_INFINITY;
const define = (usage: string, flags: Flag[], words: number, run: Verb['run']): Verb => ({
  usage,
  flags: [...flags, WORKSPACE],
  words,
  run,
});

const VERBS: Record<string, Verb> = {
  add: define(
    'PATH|URL… [flags]',
    [
      valueFlag('depth', 'N', 'For a site: how many links away from the start.'),
      valueFlag('limit', 'N', 'For a site: how many pages in total.'),
      valueFlag('to', 'opensearch', 'Add to the configured OpenSearch index instead.'),
    ],
    ANY,
    add,
  ),
  search: define(
    '"WORDS" [flags]',
    [
      valueFlag('max-results', 'N', 'The most results to show (5).'),
      PACKAGE,
      valueFlag('domain', 'HOST', 'Limit to this site.'),
      valueFlag('since', 'DATE', 'Published on this day or later.'),
      valueFlag('until', 'DATE', 'Published on this day or before.'),
    ],
    ANY,
    search,
  ),
  list: define(
    '[flags]',
    [valueFlag('offset', 'N', 'Rows to skip.'), valueFlag('limit', 'N', 'Most rows to show (100).')],
    0,
    list,
  ),
  stats: define('', [], 0, stats),
  compact: define('', [], 0, compact),
  rebuild: define('', [], 0, rebuild),
  remove: define(
    'ID… [flags]',
    [PACKAGE, valueFlag('under', 'URL', 'Everything whose address starts with this.')],
    ANY,
    remove,
  ),
};

/** Adds to, searches and maintains the local index. */
export const command: Command = {
  usage: '',
  verbs: VERBS,
  run: async (context) => {
    const { args, printResult, open, verb } = context;
    const opened = await open();
    const { services } = opened;
    const library = services.library.of(args.value('workspace'));
    const done = await (VERBS[verb] as Verb).run(args, { services, library, context });
    printResult(done.value, () => `${done.text}\n`);
    return done.isFailed === true ? 1 : 0;
  },
};

const missing = (message: 'Nothing to add was given.' | 'Nothing to remove was given.'): HeadgateError =>
  new HeadgateError('invalid_request', message, { remediation: 'Add --help for the usage.' });

const numberOf = (args: Args, name: string): number | undefined =>
  wholeNumber(args, name, { min: 0, max: Number.MAX_SAFE_INTEGER });

async function add(args: Args, { services, context }: LibraryContext) {
  if (args.words.length === 0) throw missing('Nothing to add was given.');
  const { signal, say, isTerminal } = context;
  const line = createProgressLine(say, isTerminal);
  const reports = [];
  for (const word of args.words) {
    const source = /^https?:\/\//i.test(word) ? word : resolve(word);
    const workspace = args.value('workspace');
    const to = targetOf(args.value('to'));
    const [depth, limit] = [numberOf(args, 'depth'), numberOf(args, 'limit')];
    reports.push(
      await addToLibrary({ source, workspace, depth, limit, to }, { signal, progress: line.show }, services),
    );
    line.clear();
  }
  return { value: reports, text: summaryOf(reports), isFailed: reports.some(isNothing) };
}

/** A source from which nothing could be added. */
const isNothing = ({ added, replaced, unchanged, problemsTotal }: AddedReport): boolean =>
  problemsTotal > 0 && added + replaced + unchanged === 0;

function targetOf(given: string | undefined): 'opensearch' | undefined {
  if (given === undefined || given === 'opensearch') return given;
  throw new HeadgateError('invalid_request', own`--to: "${asked(given)}" is not known. Use opensearch.`);
}

async function search(args: Args, { library, context }: LibraryContext) {
  const answer = await library.search(
    {
      text: args.words.join(' '),
      resultsMax: numberOf(args, 'max-results') ?? 5,
      packages: some(args.value('package')),
      includeDomains: some(args.value('domain')),
      startDate: args.value('since'),
      endDate: args.value('until'),
    },
    context.signal,
  );
  const lines = answer.hits.map(
    (hit, index) =>
      `${index + 1}. ${oneLine(hit.title)}\n   ${hit.url}\n   ${clip(oneLine(hit.snippet), 300)}`,
  );
  return { value: answer, text: lines.length === 0 ? 'Nothing in the library matches.' : lines.join('\n\n') };
}

const some = (value: string | undefined): string[] | undefined => (value === undefined ? undefined : [value]);

async function list(args: Args, { library }: LibraryContext) {
  const options = { offset: numberOf(args, 'offset'), limit: numberOf(args, 'limit') };
  const documents = await library.list(options);
  return {
    value: documents,
    text:
      documents.map((one) => `${one.id}  ${oneLine(one.title)}`).join('\n') ||
      'The library is empty: headgate library add PATH',
  };
}

async function stats(_args: Args, { library }: LibraryContext) {
  const found = await library.stats();
  const damaged =
    found.damaged.length === 0
      ? ''
      : ` ${plural(found.damaged.length, 'segment')} damaged: headgate library rebuild.`;
  return {
    value: found,
    text: `${plural(found.documents, 'document')}, ${plural(found.passages, 'passage')}, ${plural(found.packages, 'package')}, ${Math.round(found.bytes / 1024)} KiB.${damaged}`,
  };
}

async function compact(_args: Args, { library }: LibraryContext) {
  const report = await library.compact();
  return {
    value: report,
    text: `${plural(report.removed, 'document')} expired; segments merged.`,
  };
}

async function rebuild(_args: Args, { library }: LibraryContext) {
  const report = await library.rebuild();
  return {
    value: report,
    text: `${plural(report.documents, 'document')} reindexed, ${plural(report.lost.length, 'document')} lost.`,
  };
}

async function remove(args: Args, { library }: LibraryContext) {
  const [name, under] = [args.value('package'), args.value('under')];
  if (args.words.length === 0 && name === undefined && under === undefined)
    throw missing('Nothing to remove was given.');
  const removed = await library.remove({
    ids: args.words,
    package: name,
    urlPrefixes: some(under),
  });
  return { value: { removed }, text: `${plural(removed, 'document')} removed.` };
}

const PROBLEMS_SHOWN = 20;

function summaryOf(reports: AddedReport[]): string {
  const sum = (of: (report: AddedReport) => number) =>
    reports.reduce((total, report) => total + of(report), 0);
  const problems = reports.flatMap((report) => report.problems);
  const lines = problems.slice(0, PROBLEMS_SHOWN).map(({ path, message }) => `! ${path}: ${message}`);
  const count = sum((report) => report.problemsTotal);
  if (count > lines.length) lines.push(`! and ${count - lines.length} more`);
  const added = plural(
    sum((report) => report.added + report.replaced),
    'document',
  );
  const rest = count === 0 ? '' : `, ${plural(count, 'problem')}`;
  return [...lines, `${added} added, ${sum((report) => report.unchanged)} unchanged${rest}.`].join('\n');
}
