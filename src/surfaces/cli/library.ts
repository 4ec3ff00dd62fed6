import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { HeadgateError } from '../../core/errors.ts';
import { asked, own } from '../../core/own-text.ts';
import { clip, oneLine, plural } from '../../core/text.ts';
import { addToLibrary } from '../../operations/library/add.ts';
import type { AddedReport } from '../../operations/library/added.ts';
import type { Library, Services } from '../../operations/services.ts';
import type { Command, CommandContext } from './command.ts';
import { createProgressLine } from './progress-line.ts';

const USAGE = `headgate library add PATH|URL…      files, folders, pages, sites, sitemaps; node_modules adds the docs of what is installed
                 [--depth 2] [--limit 100]   of a site: links away from the start, pages in all
                 [--to opensearch]           into the index of OpenSearch that is set up
headgate library search "words" [--max-results 5] [--package NAME] [--domain HOST] [--since 2026-01-01] [--until 2026-12-31]
headgate library list [--offset 0] [--limit 100]
headgate library stats | compact | rebuild
headgate library remove ID… [--package NAME] [--under URL]
Add --workspace ID for the library of a workspace instead of the shared one, --json for machines.`;

type Verb = (
  words: string[],
  flags: Flags,
  world: World,
) => Promise<{ value: unknown; text: string; isFailed?: boolean }>;

interface World {
  services: Services;
  library: Library;
  context: CommandContext;
}

const OPTIONS = {
  json: { type: 'boolean' },
  package: { type: 'string' },
  domain: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  under: { type: 'string' },
  workspace: { type: 'string' },
  to: { type: 'string' },
  depth: { type: 'string' },
  limit: { type: 'string' },
  offset: { type: 'string' },
  'max-results': { type: 'string' },
} as const;

type Flags = ReturnType<typeof read>['values'];

const VERBS: Record<string, Verb> = { add, search, list, stats, compact, rebuild, remove };

/** The local index: add, search and look after it. */
export const command: Command = {
  name: 'library',
  usage: USAGE,
  summary: 'A local index over files, pages and the docs of installed packages.',
  run: async (context) => {
    const { args, print, open } = context;
    const [name = '', ...rest] = args;
    const verb = VERBS[name];
    if (verb === undefined) {
      if (name === '--help' || name === '-h') print(`${USAGE}\n`);
      else throw usage(`"${name}" is not something to do with the library.`);
      return 0;
    }
    const { values, positionals } = read(rest);
    const opened = await open();
    try {
      const { services } = opened;
      const library = services.library.of(values.workspace);
      const {
        value,
        text,
        isFailed = false,
      } = await verb(positionals, values, { services, library, context });
      print(values.json === true ? `${JSON.stringify(value, null, 2)}\n` : `${text}\n`);
      return isFailed ? 1 : 0;
    } finally {
      await opened.close();
    }
  },
};

function read(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (thrown) {
    throw usage(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

const usage = (message: string): HeadgateError =>
  new HeadgateError('invalid_request', asked(message), { remediation: own`Usage:\n${USAGE}` });

/** A whole number from a flag, or undefined when it was not given. */
function numberOf(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const value = Number(given);
  if (!Number.isInteger(value) || value < 0) throw usage(`--${name}: "${given}" is not a whole number.`);
  return value;
}

async function add(words: string[], flags: Flags, { services, context }: World) {
  if (words.length === 0) throw usage('What to add is missing.');
  const { signal, say, isTerminal } = context;
  const line = createProgressLine(say, isTerminal);
  const reports = [];
  for (const word of words) {
    const source = /^https?:\/\//i.test(word) ? word : resolve(word);
    const { workspace } = flags;
    const to = targetOf(flags.to);
    const [depth, limit] = [numberOf('depth', flags.depth), numberOf('limit', flags.limit)];
    reports.push(
      await addToLibrary({ source, workspace, depth, limit, to }, { signal, progress: line.show }, services),
    );
    line.clear();
  }
  return { value: reports, text: summaryOf(reports), isFailed: reports.some(isNothing) };
}

/** A source of which nothing could be added. */
const isNothing = ({ added, replaced, unchanged, problemsTotal }: AddedReport): boolean =>
  problemsTotal > 0 && added + replaced + unchanged === 0;

function targetOf(given: string | undefined): 'opensearch' | undefined {
  if (given === undefined || given === 'opensearch') return given;
  throw usage(`--to: "${given}" is not known. Use opensearch.`);
}

async function search(words: string[], flags: Flags, { library, context }: World) {
  const answer = await library.search(
    {
      text: words.join(' '),
      resultsMax: numberOf('max-results', flags['max-results']) ?? 5,
      packages: some(flags.package),
      includeDomains: some(flags.domain),
      startDate: flags.since,
      endDate: flags.until,
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

async function list(_words: string[], flags: Flags, { library }: World) {
  const options = { offset: numberOf('offset', flags.offset), limit: numberOf('limit', flags.limit) };
  const documents = await library.list(options);
  return {
    value: documents,
    text:
      documents.map((one) => `${one.id}  ${oneLine(one.title)}`).join('\n') ||
      'The library is empty: headgate library add PATH',
  };
}

async function stats(_words: string[], _flags: Flags, { library }: World) {
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

async function compact(_words: string[], _flags: Flags, { library }: World) {
  const report = await library.compact();
  return {
    value: report,
    text: `${plural(report.removed, 'document')} had expired; the rest is put together.`,
  };
}

async function rebuild(_words: string[], _flags: Flags, { library }: World) {
  const report = await library.rebuild();
  return {
    value: report,
    text: `${plural(report.documents, 'document')} indexed again, ${plural(report.lost.length, 'document')} lost.`,
  };
}

async function remove(words: string[], flags: Flags, { library }: World) {
  if (words.length === 0 && flags.package === undefined && flags.under === undefined)
    throw usage('What to remove is missing.');
  const removed = await library.remove({
    ids: words,
    package: flags.package,
    urlPrefixes: some(flags.under),
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
