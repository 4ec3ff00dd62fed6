import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { HeadgateError } from '../../core/errors.ts';
import { clip, oneLine, plural } from '../../core/text.ts';
import { createCall, perform } from '../../operations/perform.ts';
import { extract } from '../../operations/extract.ts';
import type { Services } from '../../operations/services.ts';
import type { Command, CommandContext } from './command.ts';

const USAGE = `headgate library add PATH|URL…      files, folders, pages; node_modules adds the docs of what is installed
headgate library search "words" [--max-results 5]
headgate library list | stats | rebuild
headgate library remove ID… [--package NAME]
Add --json for machines.`;

type Verb = (
  words: string[],
  flags: Flags,
  services: Services,
  context: CommandContext,
) => Promise<{ value: unknown; text: string }>;
interface Flags {
  json?: boolean;
  package?: string;
  'max-results'?: string;
}

const VERBS: Record<string, Verb> = { add, search, list, stats, rebuild, remove };

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
      else
        throw new HeadgateError('invalid_request', `"${name}" is not something to do with the library.`, {
          remediation: `Usage:\n${USAGE}`,
        });
      return 0;
    }
    const { values, positionals } = read(rest);
    const opened = await open();
    try {
      const { value, text } = await verb(positionals, values, opened.services, context);
      print(values.json === true ? `${JSON.stringify(value, null, 2)}\n` : `${text}\n`);
      return 0;
    } finally {
      await opened.close();
    }
  },
};

function read(args: string[]): { values: Flags; positionals: string[] } {
  try {
    const options = {
      json: { type: 'boolean' },
      package: { type: 'string' },
      'max-results': { type: 'string' },
    } as const;
    return parseArgs({ args, options, allowPositionals: true });
  } catch (thrown) {
    throw new HeadgateError('invalid_request', thrown instanceof Error ? thrown.message : String(thrown), {
      remediation: `Usage:\n${USAGE}`,
    });
  }
}

async function add(words: string[], _flags: Flags, services: Services, context: CommandContext) {
  if (words.length === 0)
    throw new HeadgateError('invalid_request', 'What to add is missing.', {
      remediation: `Usage:\n${USAGE}`,
    });
  const reports = [];
  for (const word of words)
    reports.push(
      /^https?:\/\//i.test(word)
        ? await addPage(word, services, context)
        : await addPath(resolve(word), services, context),
    );
  const problems = reports.flatMap((report) => report.problems);
  const lines = problems.slice(0, 20).map((problem) => `! ${problem.path}: ${problem.message}`);
  const added = reports.reduce((sum, report) => sum + report.added + report.replaced, 0);
  const unchanged = reports.reduce((sum, report) => sum + report.unchanged, 0);
  const summary = `${plural(added, 'document')} added, ${unchanged} unchanged${problems.length === 0 ? '' : `, ${plural(problems.length, 'problem')}`}.`;
  return { value: reports, text: [...lines, summary].join('\n') };
}

async function addPath(path: string, services: Services, { say, signal, isTerminal }: CommandContext) {
  const progress = ({ done, message }: { done: number; message?: string }): void => {
    if (isTerminal) say(`\r\x1b[K${done} ${clip(message ?? '', 60)}`);
  };
  const control = { signal, progress };
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const report =
    isFolder && basename(path) === 'node_modules'
      ? await services.library.addNodeModules(dirname(path), control)
      : isFolder
        ? await services.library.addFolder(path, control)
        : await services.library.addFile(path, control);
  if (isTerminal) say('\r\x1b[K');
  return report;
}

async function addPage(url: string, services: Services, { signal }: CommandContext) {
  const output = await perform(extract, { urls: [url] }, createCall(services, { signal }), services);
  const [page] = output.results;
  if (page === undefined) {
    const [failed] = output.failed_results;
    return {
      added: 0,
      replaced: 0,
      unchanged: 0,
      problems: [
        {
          path: url,
          code: failed?.code ?? 'EXTRACT_FAILED',
          message: failed?.error ?? 'It could not be read.',
        },
      ],
    };
  }
  const documents = [
    {
      id: url,
      url,
      title: page.title,
      content: page.raw_content,
      format: 'markdown' as const,
      kind: 'page' as const,
    },
  ];
  return { ...(await services.library.add(documents, signal)), problems: [] };
}

async function search(words: string[], flags: Flags, services: Services, { signal }: CommandContext) {
  const answer = await services.library.search(
    { text: words.join(' '), resultsMax: Number(flags['max-results'] ?? 5) || 5 },
    signal,
  );
  const lines = answer.hits.map(
    (hit, index) =>
      `${index + 1}. ${oneLine(hit.title)}\n   ${hit.url}\n   ${clip(oneLine(hit.snippet), 300)}`,
  );
  return { value: answer, text: lines.length === 0 ? 'Nothing in the library matches.' : lines.join('\n\n') };
}

async function list(_words: string[], _flags: Flags, services: Services) {
  const documents = await services.library.list();
  return {
    value: documents,
    text:
      documents.map((one) => `${one.id}  ${oneLine(one.title)}`).join('\n') ||
      'The library is empty: headgate library add PATH',
  };
}

async function stats(_words: string[], _flags: Flags, services: Services) {
  const found = await services.library.stats();
  const damaged =
    found.damaged.length === 0
      ? ''
      : ` ${plural(found.damaged.length, 'segment')} damaged: headgate library rebuild.`;
  return {
    value: found,
    text: `${plural(found.documents, 'document')}, ${plural(found.passages, 'passage')}, ${plural(found.packages, 'package')}, ${Math.round(found.bytes / 1024)} KiB.${damaged}`,
  };
}

async function rebuild(_words: string[], _flags: Flags, services: Services) {
  const report = await services.library.rebuild();
  return {
    value: report,
    text: `${plural(report.documents, 'document')} indexed again, ${plural(report.lost.length, 'document')} lost.`,
  };
}

async function remove(words: string[], flags: Flags, services: Services) {
  if (words.length === 0 && flags.package === undefined) {
    throw new HeadgateError('invalid_request', 'What to remove is missing.', {
      remediation: `Usage:\n${USAGE}`,
    });
  }
  const removed = await services.library.remove({
    ...(words.length === 0 ? {} : { ids: words }),
    package: flags.package,
  });
  return { value: { removed }, text: `${plural(removed, 'document')} removed.` };
}
