import { formatUsd } from '../core/money.ts';
import type { SpendBudget } from './budgets.ts';
import type { LifeSubject } from './lifecycle.ts';
import { shownPolicy } from '../core/gate.ts';
import type { StoredPolicy } from './policies.ts';
import type { Webhook } from './webhooks.ts';
import type { Store } from './store.ts';

/** What was done, for the audit log: one line each, with the fields in braces. */
export const DEEDS = {
  'subscription.create': 'created the subscription {name} with the tier {tier}',
  'tier.set': 'set the tier of {subscription} to {tier}',
  'credits.add': 'added {amount} to {subscription}',
  'credits.take': 'took {amount} from {subscription}',
  'workspace.create': 'created the workspace {workspace}',
  'workspace.rename': 'renamed the workspace {before} to {workspace}',
  'workspace.archive': 'archived the workspace {workspace}',
  'workspace.restore': 'restored the workspace {workspace}',
  'workspace.delete': 'deleted the workspace {name}',
  'agent.rename': 'renamed the agent {before} of {workspace} to {name}',
  'agent.archive': 'archived the agent {name} of {workspace}',
  'agent.restore': 'restored the agent {name} of {workspace}',
  'agent.delete': 'deleted the agent {name} of {workspace}',
  'key.rename': 'renamed the key {id} ({before}) of {workspace} to {name}',
  'key.archive': 'archived the key {id} ({name}) of {workspace}',
  'key.restore': 'restored the key {id} ({name}) of {workspace}',
  'key.delete': 'deleted the key {id} ({name}) of {workspace}',
  'agent.create': 'created the agent {agent} in {workspace}',
  'agent.change': 'changed the agent {agent} of {workspace}: search {search}, fetch {fetch}',
  'key.create': 'created the key {key} ({label}) of {workspace} for {scopes}',
  'key.rotate': 'replaced the key {old} ({label}) of {workspace} by {key}',
  'key.revoke': 'revoked the key {key} ({label}) of {workspace}',
  'policy.set': 'set the policy of {level} {subject} in {workspace} to {rules}',
  'policy.remove': 'removed the policy of {level} {subject} in {workspace}: {rules}',
  'policy.approve': 'allowed the address of {code} on {host} for {caller}',
  'policy.deny': 'denied the address of {code} on {host} for {caller}',
  'budget.set': 'set the {hard} budget of {level} {subject} in {workspace} to {amount} per {period}',
  'budget.remove': 'removed the budget of {amount} per {period} of {level} {subject} in {workspace}',
  'workspace.web': 'set the web of {workspace} to {web}, as of {asOf}',
  'workspace.keeps': 'set what {workspace} keeps of its calls: queries {queries}, answers {answers}',
  'webhook.add': 'added the webhook {webhook} to {host}',
  'webhook.rotate': 'replaced the secret of the webhook {webhook} to {host}',
  'webhook.remove': 'removed the webhook {webhook} to {host}',
  'webhook.test': 'sent a test event to the webhook {webhook}',
  'webhook.replay': 'had events delivered again to the webhook {webhook}',
  'doubt.resolve': 'resolved the request {request} in doubt: {verdict}',
  'person.invite': 'invited {person} as {role}',
  'person.inviteInto': 'invited {person} as {role} of {workspace}',
  'person.role': 'made {person} {role}',
  'person.roleIn': 'made {person} {role} of {workspace}',
  'person.noRole': 'took the role in the gateway from {person}',
  'person.noRoleIn': 'took the role in {workspace} from {person}',
  'person.rename': 'renamed {before} to {name}',
  'person.archive': 'archived {name}',
  'person.restore': 'restored {name}',
  'person.endSessions': 'ended the sessions of {person}',
  'person.remove': 'removed {person}',
  'person.resetFactor': 'switched off the second factor of {person}',
  'providerKey.add': 'added the key {key} of {provider}',
  'providerKey.remove': 'removed the key {key} of {provider}',
  'providerKey.order': 'changed the order of the keys of {provider}',
  'providerKey.test': 'tested the key {key} of {provider}',
  'setting.change': 'set {key} to {value} in {file}',
  'setting.remove': 'removed {key} from {file}',
  'setupLink.create': 'created a link that sets a password',
  'store.restore': 'restored the store from {file}',
  'library.add': 'began to add {source} to the library of {owner}',
  'library.cancel': 'cancelled the library job {job}',
  'library.remove': 'removed {count} documents from the library of {owner}',
  'library.compact': 'compacted the library of {owner}',
  'library.rebuild': 'rebuilt the library of {owner}',
} as const;

/** One thing that was done. `subscription` and `workspace` are IDs; the log names them. */
export interface Deed {
  did: keyof typeof DEEDS;
  fields: Record<string, string>;
}

/** Who did it, and from where. */
export interface Doer {
  actor: string;
  address: string;
}

type Audited = { [Part in keyof Store]?: { [Method in keyof Store[Part]]?: DeedOf<Store[Part][Method]> } };
type DeedOf<Method> = Method extends (...input: infer Input) => Promise<infer Answer>
  ? (answer: Answer, ...input: Input) => Deed | undefined
  : never;

const deed = (did: Deed['did'], fields: Record<string, string>): Deed => ({ did, fields });

const budgetFields = ({ workspace, level, subject, amount, unit, period, hard }: SpendBudget) => ({
  workspace,
  level,
  subject,
  amount: unit === 'credits' ? `${amount} credits` : formatUsd(amount),
  period,
  hard: hard ? 'hard' : 'soft',
});

const lifeFields = ({ id, name, workspace }: LifeSubject): Record<string, string> => ({
  id,
  name,
  ...(workspace === null ? {} : { workspace }),
});

const policyFields = ({ level, subject, workspace, rules }: StoredPolicy) => ({
  level,
  subject,
  workspace,
  rules: JSON.stringify(shownPolicy(rules)),
});

/** Addresses of webhooks often have a secret in their path. */
const webhookFields = ({ id, url }: Webhook) => ({ webhook: id, host: new URL(url).host });

/** Every change that an operator can make, however they make it, and what the log says about it. */
export const AUDITED = {
  accounts: {
    createSubscription: ({ name, tier }) => deed('subscription.create', { name, tier }),
    setTier: (_, subscription, tier) => deed('tier.set', { subscription, tier }),
    setKeeps: ({ id, keeps }) =>
      deed('workspace.keeps', {
        workspace: id,
        queries: keeps.queries ? 'yes' : 'no',
        answers: keeps.answers ? 'yes' : 'no',
      }),
    setWeb: ({ id, web, asOf }) =>
      deed('workspace.web', { workspace: id, web: web ?? 'live', asOf: asOf ?? 'now' }),
    createWorkspace: ({ id }) => deed('workspace.create', { workspace: id }),
    topUp: ({ already }, { amount, subscription }) =>
      already
        ? undefined
        : deed(amount < 0 ? 'credits.take' : 'credits.add', {
            amount: formatUsd(Math.abs(amount)),
            subscription,
          }),
  },
  agents: {
    create: ({ name, workspace }) => deed('agent.create', { agent: name, workspace }),
    update: ({ name, workspace, settings }) =>
      deed('agent.change', {
        agent: name,
        workspace,
        search: settings.searchWebProvider ?? 'off',
        fetch: settings.fetchWebProvider ?? 'off',
      }),
  },
  budgets: {
    set: (budget) => deed('budget.set', budgetFields(budget)),
    remove: (budget) => deed('budget.remove', budgetFields(budget)),
  },
  policies: {
    set: (policy) => deed('policy.set', policyFields(policy)),
    remove: (policy) => deed('policy.remove', policyFields(policy)),
  },
  approvals: {
    decide: ({ code, url, state, agent, key, workspace }) =>
      deed(state === 'approved' ? 'policy.approve' : 'policy.deny', {
        code,
        host: new URL(url).host,
        caller: agent ?? key ?? workspace ?? 'the local caller',
        ...(workspace === null ? {} : { workspace }),
      }),
  },
  keys: {
    create: ({ record: { id, label, workspace, scopes } }) =>
      deed('key.create', { key: id, label, workspace, scopes: scopes.join(', ') }),
    rotate: ({ record, old }) =>
      deed('key.rotate', { old: old.id, key: record.id, label: old.label, workspace: old.workspace }),
    revoke: ({ id, label, workspace }) => deed('key.revoke', { key: id, label, workspace }),
  },
  life: {
    rename: (subject) => deed(`${subject.kind}.rename`, { ...lifeFields(subject), before: subject.before }),
    archive: (subject, kind) =>
      deed(`${kind}.${subject.archived === null ? 'restore' : 'archive'}`, lifeFields(subject)),
    // The workspace of a deleted workspace is gone.
    remove: ({ workspace, ...subject }, kind) =>
      deed(`${kind}.delete`, lifeFields({ ...subject, workspace: kind === 'workspace' ? null : workspace })),
  },
  webhooks: {
    add: ({ webhook }) => deed('webhook.add', webhookFields(webhook)),
    rotate: ({ webhook }) => deed('webhook.rotate', webhookFields(webhook)),
    remove: (webhook) => deed('webhook.remove', webhookFields(webhook)),
    test: (_, webhook) => deed('webhook.test', { webhook }),
    replay: (_, webhook) => deed('webhook.replay', { webhook }),
  },
  doubts: {
    resolve: (_, request, { verdict, credits }) =>
      deed('doubt.resolve', {
        request,
        verdict: verdict === 'billed' ? `billed ${credits ?? ''}` : 'not billed',
      }),
  },
  factors: { reset: ({ name }) => deed('person.resetFactor', { person: name }) },
  people: {
    setRole: (_, person, role, workspace) =>
      deed(`person.${role === null ? 'noRole' : 'role'}${workspace === undefined ? '' : 'In'}`, {
        person,
        role: role ?? '',
        ...(workspace === undefined ? {} : { workspace }),
      }),
    endSessions: ({ name }) => deed('person.endSessions', { person: name }),
    remove: ({ name }) => deed('person.remove', { person: name }),
  },
  sessions: {
    createSetupToken: (_, invited) =>
      invited === undefined
        ? deed('setupLink.create', {})
        : deed(invited.workspace === undefined ? 'person.invite' : 'person.inviteInto', {
            person: invited.name,
            role: invited.role,
            ...(invited.workspace === undefined ? {} : { workspace: invited.workspace }),
          }),
  },
} satisfies Audited;

type Method = (...input: unknown[]) => Promise<unknown>;

/** The store for one doer: every change is noted in the audit log. */
export function audited(store: Store, doer: Doer): Store {
  const parts = Object.entries(AUDITED).map(([part, methods]) => {
    const plain = store[part as keyof typeof AUDITED] as unknown as Record<string, Method>;
    const noting = Object.entries(methods).map(([name, deedOf]) => {
      const method: Method = async (...input) => {
        const answer = await plain[name]?.(...input);
        const done = (deedOf as (...given: unknown[]) => Deed | undefined)(answer, ...input);
        if (done !== undefined) await noteDeed(store, doer, done);
        return answer;
      };
      return [name, method];
    });
    return [part, { ...plain, ...Object.fromEntries(noting) }];
  });
  return { ...store, ...(Object.fromEntries(parts) as Partial<Store>) };
}

/** Notes something that was done. Names are those of now: what they belong to may be renamed or gone later. */
export async function noteDeed(store: Store, { actor, address }: Doer, { did, fields }: Deed): Promise<void> {
  const { workspace, subscription } = fields;
  const known: Record<string, string> = {
    ...fields,
    ...(workspace === undefined ? {} : { workspace: titled(await store.accounts.workspace(workspace)) }),
    ...(subscription === undefined
      ? {}
      : { subscription: titled(await store.accounts.subscription(subscription)) }),
  };
  const action = DEEDS[did].replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? '');
  await store.sessions.note({ actor, address, action, did, fields: known });
}

const titled = ({ id, name }: { id: string; name: string }): string => `${name} (${id})`;
