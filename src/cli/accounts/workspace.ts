import { formatUsd } from '../../core/money.ts';
import type { Subscription, Workspace } from '../../store/accounts.ts';
import type { Store } from '../../store/store.ts';
import { renderTable } from '../table.ts';
import { defineVerb, nounCommand, valueFlag } from '../verbs.ts';

interface Shown extends Workspace {
  account: Subscription;
}

const columns = [
  { title: 'workspace', value: (row: Shown) => row.id },
  { title: 'name', value: (row: Shown) => row.name },
  { title: 'tier', value: (row: Shown) => row.account.tier },
  { title: 'balance', value: (row: Shown) => formatUsd(row.account.balance), align: 'right' as const },
  { title: 'held', value: (row: Shown) => formatUsd(row.account.reserved), align: 'right' as const },
];

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
    usage: 'ID --tier TIER',
    flags: [valueFlag('tier', 'free|starter|pro', 'The tier.')],
    words: 1,
    run: async (store, { words, flag, need }) => {
      const workspace = await store.accounts.workspace(need(words[0], 'The workspace'));
      await store.accounts.setTier(workspace.subscription, need(flag('tier'), '--tier'));
      return withAccount(store, workspace);
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
});
