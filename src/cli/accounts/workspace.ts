import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { switchFlag, valueFlag } from '../../core/command-line.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { formatUsd } from '../../core/money.ts';
import { named, own } from '../../core/own-text.ts';
import type { Subscription, Workspace } from '../../store/accounts.ts';
import type { Store } from '../../store/store.ts';
import { renderTable } from '../table.ts';
import { lifeVerbs } from './life.ts';
import { defineVerb, nounCommand, verbOn } from '../verbs.ts';

interface Shown extends Workspace {
  account: Subscription;
}

const columns = [
  { title: 'workspace', value: (row: Shown) => row.id },
  { title: 'name', value: (row: Shown) => row.name },
  { title: 'tier', value: (row: Shown) => row.account.tier },
  { title: 'balance', value: (row: Shown) => formatUsd(row.account.balance), align: 'right' as const },
  { title: 'keeps', value: (row: Shown) => keptOf(row) },
  { title: 'web', value: ({ web, asOf }: Shown) => (asOf === null ? web : `${web}, as of ${asOf}`) },
  { title: 'held', value: (row: Shown) => formatUsd(row.account.reserved), align: 'right' as const },
];

const keptOf = ({ keeps }: Shown): string | null =>
  [...(keeps.queries ? ['queries'] : []), ...(keeps.answers ? ['answers'] : [])].join(', ') || null;

function switchOf(name: string, flag: (name: string) => string | undefined): boolean | undefined {
  const value = flag(name);
  if (value === undefined) return undefined;
  if (value === 'on' || value === 'off') return value === 'on';
  throw new HeadgateError('invalid_request', own`--${named(name)}: on or off.`);
}

const withAccount = async (store: Store, workspace: Workspace): Promise<Shown> => ({
  ...workspace,
  account: await store.accounts.subscription(workspace.subscription),
});

const render = (rows: Shown | Shown[]): string =>
  renderTable([rows].flat(), columns, 'No workspaces yet: headgate workspace create NAME');

export const command = nounCommand({
  create: defineVerb({
    usage: 'NAME [flags]',
    flags: [
      valueFlag('tier', 'free|starter|pro', 'The tier.'),
      valueFlag('subscription', 'ID', 'An existing subscription to share.'),
    ],
    words: Number.POSITIVE_INFINITY,
    run: async (store, { words, flag, need }) => {
      const workspace = await store.accounts.createWorkspace({
        name: need(words.join(' '), 'The name'),
        tier: flag('tier'),
        subscription: flag('subscription'),
      });
      return withAccount(store, workspace);
    },
    render,
  }),
  set: defineVerb({
    usage:
      'ID [--tier TIER] [--keep-queries on|off] [--keep-answers on|off] [--web NAMES|live] [--as-of DATE|now]',
    flags: [
      valueFlag('tier', 'free|starter|pro', 'The tier.'),
      valueFlag('keep-queries', 'on|off', 'Whether the call log keeps queries and addresses.'),
      valueFlag('keep-answers', 'on|off', 'Whether the call log keeps answers as they were given.'),
      valueFlag(
        'web',
        'NAMES|live',
        'Answer its calls from these snapshots, which are files in the folder of [web] folder, or from the web again.',
      ),
      valueFlag('as-of', 'DATE|now', 'The date whose web its calls see, in a snapshot.'),
    ],
    words: 1,
    run: async (store, { words, flag, need }) => {
      const workspace = await store.accounts.workspace(need(words[0], 'The workspace'));
      const [queries, answers] = [switchOf('keep-queries', flag), switchOf('keep-answers', flag)];
      const keeps = {
        ...(queries === undefined ? {} : { queries }),
        ...(answers === undefined ? {} : { answers }),
      };
      const [web, asOf] = [flag('web'), flag('as-of')];
      const seen = {
        ...(web === undefined ? {} : { web: web === 'live' ? null : web }),
        ...(asOf === undefined ? {} : { asOf: asOf === 'now' ? null : asOf }),
      };
      const changes = Object.keys({ ...keeps, ...seen }).length;
      const tier = changes === 0 ? need(flag('tier'), '--tier') : flag('tier');
      if (Object.keys(seen).length > 0) await store.accounts.setWeb(workspace.id, seen);
      if (tier !== undefined) await store.accounts.setTier(workspace.subscription, tier);
      if (Object.keys(keeps).length > 0) await store.accounts.setKeeps(workspace.id, keeps);
      return withAccount(store, await store.accounts.workspace(workspace.id));
    },
    render,
  }),
  export: verbOn(
    'ID',
    'The workspace',
    async (store, id) => {
      const { exportWorkspace, renderSettings } = await import('./workspace-settings.ts');
      const settings = await exportWorkspace(store, id);
      return { ...settings, toml: renderSettings(settings) };
    },
    ({ toml }) => toml,
  ),
  import: defineVerb({
    usage: 'FILE [--workspace ID] [--dry-run]',
    flags: [
      valueFlag('workspace', 'ID', 'Apply it to this workspace instead of the one that the file names.'),
      switchFlag('dry-run', 'Print what would change, and change nothing.'),
    ],
    words: 1,
    run: async (store, { words, need, flag, args }) => {
      const { planImport, readSettings } = await import('./workspace-settings.ts');
      const path = resolve(need(words[0], 'The file'));
      if (statSync(path).size > LIMITS.requestBodyBytesMax)
        throw new HeadgateError('invalid_request', 'The file is too large.');
      const settings = readSettings(readFileSync(path, 'utf8'), path);
      const plan = await planImport(store, settings, flag('workspace'));
      const isDry = args.isOn('dry-run') === true;
      if (!isDry) for (const change of plan.changes) await change.apply();
      return { ...plan, changes: plan.changes.map(({ says }) => says), applied: !isDry };
    },
    render: ({ changes, notes, applied }) =>
      [
        ...changes.map((change) => `${applied ? 'changed' : 'would change'}  ${change}\n`),
        ...notes.map((note) => `note  ${note}\n`),
        ...(changes.length === 0 ? ['Nothing to change.\n'] : []),
      ].join(''),
  }),
  list: defineVerb({
    usage: '',
    run: async (store) =>
      Promise.all((await store.accounts.workspaces()).map((workspace) => withAccount(store, workspace))),
    render,
  }),
  show: verbOn(
    'ID',
    'The workspace',
    async (store, id) => withAccount(store, await store.accounts.workspace(id)),
    render,
  ),
  ...lifeVerbs('workspace'),
});
