import { HeadgateError } from '../../core/errors.ts';
import { formatUsd } from '../../core/money.ts';
import { named, own } from '../../core/own-text.ts';
import type { Subscription, Workspace } from '../../store/accounts.ts';
import type { Store } from '../../store/store.ts';
import { renderTable } from '../table.ts';
import { lifeVerbs } from './life.ts';
import { defineVerb, nounCommand, valueFlag } from '../verbs.ts';

interface Shown extends Workspace {
  account: Subscription;
}

const columns = [
  { title: 'workspace', value: (row: Shown) => row.id },
  { title: 'name', value: (row: Shown) => row.name },
  { title: 'tier', value: (row: Shown) => row.account.tier },
  { title: 'balance', value: (row: Shown) => formatUsd(row.account.balance), align: 'right' as const },
  { title: 'keeps', value: (row: Shown) => keptOf(row) },
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

const render = (rows: Shown[]): string =>
  renderTable(rows, columns, 'No workspaces yet: headgate workspace create NAME');

export const command = nounCommand({
  create: defineVerb({
    usage: 'NAME [flags]',
    flags: [
      valueFlag('tier', 'free|starter|pro', 'The tier.'),
      valueFlag('subscription', 'ID', 'An existing subscription to share.'),
    ],
    words: Number.POSITIVE_INFINITY,
    run: async (store, { words, flag, need }) => {
      const [tier, subscription] = [flag('tier'), flag('subscription')];
      const workspace = await store.accounts.createWorkspace({
        name: need(words.join(' '), 'The name'),
        ...(tier === undefined ? {} : { tier }),
        ...(subscription === undefined ? {} : { subscription }),
      });
      return withAccount(store, workspace);
    },
    render: (row) => render([row]),
  }),
  set: defineVerb({
    usage: 'ID [--tier TIER] [--keep-queries on|off] [--keep-answers on|off]',
    flags: [
      valueFlag('tier', 'free|starter|pro', 'The tier.'),
      valueFlag('keep-queries', 'on|off', 'Whether the call log keeps queries and addresses.'),
      valueFlag('keep-answers', 'on|off', 'Whether the call log keeps answers as they were given.'),
    ],
    words: 1,
    run: async (store, { words, flag, need }) => {
      const workspace = await store.accounts.workspace(need(words[0], 'The workspace'));
      const [queries, answers] = [switchOf('keep-queries', flag), switchOf('keep-answers', flag)];
      const keeps = {
        ...(queries === undefined ? {} : { queries }),
        ...(answers === undefined ? {} : { answers }),
      };
      const tier = Object.keys(keeps).length === 0 ? need(flag('tier'), '--tier') : flag('tier');
      if (tier !== undefined) await store.accounts.setTier(workspace.subscription, tier);
      if (Object.keys(keeps).length > 0) await store.accounts.setKeeps(workspace.id, keeps);
      return withAccount(store, await store.accounts.workspace(workspace.id));
    },
    render: (row) => render([row]),
  }),
  list: defineVerb({
    usage: '',
    flags: [],
    run: async (store) =>
      Promise.all((await store.accounts.workspaces()).map((workspace) => withAccount(store, workspace))),
    render,
  }),
  show: defineVerb({
    usage: 'ID',
    flags: [],
    words: 1,
    run: async (store, { words, need }) =>
      withAccount(store, await store.accounts.workspace(need(words[0], 'The workspace'))),
    render: (row) => render([row]),
  }),
  ...lifeVerbs('workspace'),
});
