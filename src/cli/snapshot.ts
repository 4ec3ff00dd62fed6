import { existsSync, statSync } from 'node:fs';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { byteSize } from '../core/text.ts';
import { pack, removeSpool, spoolOf } from '../snapshot/pack.ts';
import { openSnapshot } from '../snapshot/snapshot.ts';
import { verifySnapshot } from '../snapshot/verify.ts';
import type { Command, Shape } from './command.ts';
import { renderTable } from './table.ts';

const HOSTS_SHOWN = 20;

type Verb = (path: string) => { result: object; text: string; code?: number };

/** The hosts that were asked, with how often, most first. */
const info: Verb = (path) => {
  const snapshot = openSnapshot(path);
  const { entries } = snapshot;
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
  const text = `${result.exchanges} exchanges, ${result.pages} of them pages and ${result.failed} failed; ${byteSize(result.bytes)}.${period}\n\n${table}`;
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
  const packed = pack(spoolOf(path), path, existsSync(path) ? path : undefined);
  removeSpool(path);
  return {
    result: { path, ...packed },
    text: `Packed ${packed.exchanges} exchanges in ${path} (${byteSize(packed.bytes)}).\n`,
  };
};

const VERBS: Record<string, Verb> = { info, verify, repair };
const shape: Shape = { usage: 'FILE.wacz', flags: [], words: 1 };

export const command: Command = {
  ...shape,
  usage: `${Object.keys(VERBS).join('|')} FILE.wacz`,
  verbs: Object.fromEntries(Object.keys(VERBS).map((name) => [name, shape])),
  run: async ({ verb, args, print }) => {
    const [path] = args.words;
    if (path === undefined)
      throw new HeadgateError('invalid_request', 'Name a snapshot.', {
        remediation: own`Use headgate snapshot ${named(verb)} FILE.wacz, with the path of the file.`,
      });
    const { result, text, code = 0 } = (VERBS[verb] as Verb)(path);
    print(args.isOn('json') === true ? `${JSON.stringify(result, null, 2)}\n` : text);
    return code;
  },
};
