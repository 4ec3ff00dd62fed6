import { existsSync, statSync } from 'node:fs';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { byteSize, plural } from '../core/text.ts';
import { pack, removeSpool, spoolOf } from '../snapshot/pack.ts';
import { openSnapshot } from '../snapshot/snapshot.ts';
import { verifySnapshot } from '../snapshot/verify.ts';
import { switchFlag, valueFlag, type Flag } from '../core/command-line.ts';
import type { Services } from '../operations/services.ts';
import type { Command, CommandContext, Shape } from './command.ts';
import { checkLeaks, diffSnapshots, exportTexts, type Told } from './snapshot-texts.ts';
import { renderTable } from './table.ts';

const HOSTS_SHOWN = 20;

type Verb = (path: string, to: string, context: CommandContext) => Told | Promise<Told>;

/** The hosts that were asked, with how often, most first. */
const info: Verb = (path) => {
  const snapshot = openSnapshot(path);
  const { entries, skipped } = snapshot;
  snapshot.close();
  const hosts = new Map<string, number>();
  for (const { url } of entries) {
    const { host } = new URL(url);
    hosts.set(host, (hosts.get(host) ?? 0) + 1);
  }
  const times = entries.map(({ at }) => at);
  const result = {
    path,
    bytes: statSync(path).size,
    exchanges: entries.length,
    pages: entries.filter(({ kind }) => kind === 'page').length,
    failed: entries.filter(({ failed }) => failed !== undefined).length,
    unusable: skipped,
    from: times.length === 0 ? null : new Date(Math.min(...times)).toISOString(),
    to: times.length === 0 ? null : new Date(Math.max(...times)).toISOString(),
    hosts: Object.fromEntries([...hosts].sort(([, a], [, b]) => b - a)),
  };
  const table = renderTable(
    Object.entries(result.hosts).slice(0, HOSTS_SHOWN),
    [
      { title: 'host', value: ([host]) => host },
      { title: 'exchanges', value: ([, count]) => count, align: 'right' },
    ],
    'Nothing was recorded.',
  );
  const period = result.from === null ? '' : ` Recorded from ${result.from} to ${result.to}.`;
  const unused = skipped === 0 ? '' : ` ${plural(skipped, 'record')} could not be used.`;
  const text = `${plural(result.exchanges, 'exchange')}, ${result.pages} of them pages and ${result.failed} failed; ${byteSize(result.bytes)}.${period}${unused}\n\n${table}`;
  return { result, text };
};

const verify: Verb = (path) => {
  const problems = verifySnapshot(path);
  const text = problems.length === 0 ? 'No problems found.\n' : `${problems.join('\n')}\n`;
  return { result: { path, problems }, text, code: problems.length === 0 ? 0 : 1 };
};

const repair: Verb = (path) => {
  if (!existsSync(spoolOf(path)))
    throw new HeadgateError(
      'not_found',
      own`There is nothing to repair: ${named(spoolOf(path))} does not exist.`,
      {
        remediation: 'This packs what an interrupted `headgate record` has left behind.',
      },
    );
  const packed = pack(spoolOf(path), path, existsSync(path) ? [path] : []);
  removeSpool(path);
  return {
    result: { path, ...packed },
    text: `Packed ${plural(packed.exchanges, 'exchange')} in ${path} (${byteSize(packed.bytes)}).\n`,
  };
};

/** Writes what other files hold into one of ours, which opens faster and can be checked and kept. */
const importing: Verb = (from, to) => {
  if (existsSync(to))
    throw new HeadgateError('invalid_request', own`The file ${named(to)} exists already.`, {
      remediation: 'Name a file that does not exist yet.',
    });
  const packed = pack(undefined, to, from.split(','));
  return {
    result: { path: to, ...packed },
    text: `Imported ${plural(packed.exchanges, 'exchange')} into ${to} (${byteSize(packed.bytes)}).\n`,
  };
};

/** Runs what reads pages as an agent does, with an engine. */
const reading =
  (run: (paths: [string, string], services: Services, context: CommandContext) => Promise<Told>): Verb =>
  async (path, to, context) => {
    const opened = await context.open({ settings: { 'web.mode': 'live' } });
    return await run([path, to], opened.services, context);
  };

const diff = reading((paths, services, { signal }) => diffSnapshots(paths, { services, signal }));
const exporting = reading(([path], services, { signal, print }) =>
  exportTexts(path, { services, signal }, print),
);
const leakCheck = reading(([path], services, { signal, args }) =>
  checkLeaks(path, args.value('as-of'), { services, signal }),
);

const AS_OF: Flag = valueFlag(
  'as-of',
  'DATE',
  'The day after which no date should be named, such as 2026-01-31.',
);
const TEXT: Flag = switchFlag('text', 'The text of pages, a line of JSON for each.');

const VERBS: Record<string, { verb: Verb; usage: string; words: number; flags?: Flag[] }> = {
  info: { verb: info, usage: 'FILE', words: 1 },
  verify: { verb: verify, usage: 'FILE', words: 1 },
  repair: { verb: repair, usage: 'FILE.wacz', words: 1 },
  import: { verb: importing, usage: 'FILE[,FILE…] NEW.wacz', words: 2 },
  diff: { verb: diff, usage: 'FILE FILE', words: 2 },
  export: { verb: exporting, usage: 'FILE --text', words: 1, flags: [TEXT] },
  'leak-check': { verb: leakCheck, usage: 'FILE --as-of DATE', words: 1, flags: [AS_OF] },
};

export const command: Command = {
  usage: `${Object.keys(VERBS).join('|')} FILE`,
  verbs: Object.fromEntries(
    Object.entries(VERBS).map(([name, { usage, words, flags = [] }]): [string, Shape] => [
      name,
      { usage, words, flags },
    ]),
  ),
  run: async (context) => {
    const { verb: name, args, printResult } = context;
    const { verb, usage, words } = VERBS[name] as (typeof VERBS)[string];
    const [path = '', to = ''] = args.words;
    if (args.words.length < words)
      throw new HeadgateError('invalid_request', 'A file is missing.', {
        remediation: own`Use headgate snapshot ${named(name)} ${named(usage)}, with paths of files.`,
      });
    const { result, text, code = 0 } = await verb(path, to, context);
    if (text !== '') printResult(result, () => text);
    return code;
  },
};
