import { z } from 'zod';
import { parseToml, writeToml } from '../../config/load.ts';
import { asOf } from '../../contract/fields.ts';
import { parseInput } from '../../contract/parse.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { formatUsd, type Millionths } from '../../core/money.ts';
import { named, own } from '../../core/own-text.ts';
import { ROLES } from '../../core/roles.ts';
import type { Workspace } from '../../store/accounts.ts';
import type { Agent } from '../../store/agents.ts';
import { checkedPeriod, type SpendBudget } from '../../store/budgets.ts';
import { isTimeZone } from '../../store/ledger/calendar.ts';
import type { Store } from '../../store/store.ts';
import { parseUsd } from './credits.ts';

const name = z.string().trim().min(1).max(LIMITS.meterNameCharsMax);
const list = <Item extends z.ZodType>(item: Item) => z.array(item).max(LIMITS.storeRowsMax).default([]);

/** The settings of a workspace as a file. Keys, webhooks and money are not in it: they are secret, or history. */
const settingsSchema = z.strictObject({
  workspace: z
    .strictObject({
      id: name,
      name,
      tier: name,
      keep_queries: z.boolean().default(false),
      keep_answers: z.boolean().default(false),
      web: name.optional(),
      as_of: asOf,
    })
    .refine(({ web, as_of: date }) => web !== undefined || date === undefined, {
      path: ['as_of'],
      error: 'needs a snapshot in web.',
    }),
  agents: list(z.strictObject({ name, search: name.optional(), fetch: name.optional() })),
  budgets: list(
    z.strictObject({
      agent: name.optional(),
      key: name.optional(),
      person: name.optional(),
      credits: z.int().min(0).optional(),
      usd: z.string().optional(),
      per: z.string(),
      zone: z.string().refine(isTimeZone, { error: 'is not a time zone.' }).default('UTC'),
      hard: z.boolean().default(true),
    }),
  ),
  people: list(z.strictObject({ name, role: z.enum(ROLES) })),
});
export type WorkspaceSettings = z.output<typeof settingsSchema>;
type BudgetSetting = WorkspaceSettings['budgets'][number];

const HEADER = '# Settings of a workspace of Headgate: `headgate workspace import FILE` applies them.\n';

export const renderSettings = (settings: WorkspaceSettings): string => `${HEADER}\n${writeToml(settings)}`;

export const readSettings = (text: string, file: string): WorkspaceSettings =>
  parseInput(settingsSchema, parseToml(text, file));

/** The settings of a workspace, always in the same order, so that two files can be compared. */
export async function exportWorkspace(store: Store, id: string): Promise<WorkspaceSettings> {
  const workspace = await store.accounts.workspace(id);
  const { tier } = await store.accounts.subscription(workspace.subscription);
  const { agents, budgets, people } = await presentIn(store, id);
  return {
    workspace: {
      id,
      name: workspace.name,
      tier,
      keep_queries: workspace.keeps.queries,
      keep_answers: workspace.keeps.answers,
      ...(workspace.web === null ? {} : { web: workspace.web }),
      ...(workspace.asOf === null ? {} : { as_of: workspace.asOf }),
    },
    agents: agents
      .map(({ name: agent, settings }) => ({
        name: agent,
        ...(settings.searchWebProvider === null ? {} : { search: settings.searchWebProvider }),
        ...(settings.fetchWebProvider === null ? {} : { fetch: settings.fetchWebProvider }),
      }))
      .toSorted(byText((agent) => agent.name)),
    budgets: budgets.map((budget) => toSetting(budget, agents)).toSorted(byText((budget) => titleOf(budget))),
    people: people.toSorted(byText((person) => person.name)),
  };
}

/** One thing that an import changes. */
interface Change {
  says: string;
  apply(): Promise<unknown>;
}

export interface ImportPlan {
  workspace: string;
  changes: Change[];
  /** What differs and stays as it is. */
  notes: string[];
}

/** What has to change until a workspace is as a file says. Everything is checked before anything is changed. */
export async function planImport(
  store: Store,
  wanted: WorkspaceSettings,
  id: string = wanted.workspace.id,
): Promise<ImportPlan> {
  const [workspace] = await store.accounts.workspaces([id]);
  const before =
    workspace === undefined ? { agents: [], budgets: [], people: [] } : await presentIn(store, id);
  const plan: ImportPlan = { workspace: id, changes: [], notes: [] };
  await planWorkspace(store, plan, wanted.workspace, workspace);
  refuseTwins(wanted.agents.map((agent) => agent.name));
  planAgents(store, plan, wanted.agents, before.agents);
  const known = new Set((await store.people.list()).map((person) => person.name));
  for (const { name: person, role } of wanted.people) {
    const now = before.people.find((one) => one.name === person)?.role;
    if (now === role) continue;
    const invite = `headgate person invite ${person} --role ${role} --workspace ${id}`;
    if (!known.has(person)) plan.notes.push(`${person} does not exist here: ${invite}`);
    else
      plan.changes.push({
        says: `person ${person}: role ${now ?? 'none'} → ${role}`,
        apply: () => store.people.setRole(person, role, id),
      });
  }
  planBudgets(store, plan, wanted, before);
  for (const [kind, here, there] of [
    ['agent', before.agents.map((agent) => agent.name), wanted.agents.map((agent) => agent.name)],
    ['person', before.people.map((one) => one.name), wanted.people.map((one) => one.name)],
  ] as const)
    for (const one of here)
      if (!there.includes(one)) plan.notes.push(`${kind} ${one} is not in the file and stays as it is.`);
  return plan;
}

async function planWorkspace(
  store: Store,
  { workspace: id, changes }: ImportPlan,
  wanted: WorkspaceSettings['workspace'],
  present: Workspace | undefined,
): Promise<void> {
  const { name: title, tier, keep_queries: queries, keep_answers: answers } = wanted;
  store.rules.tier(tier);
  const account = present && (await store.accounts.subscription(present.subscription));
  if (present === undefined || account === undefined)
    changes.push({
      says: `workspace ${title} (${id}): new, tier ${tier}`,
      apply: () => store.accounts.createWorkspace({ id, name: title, tier }),
    });
  else {
    if (present.name !== title)
      changes.push({
        says: `name: ${present.name} → ${title}`,
        apply: () => store.life.rename('workspace', id, title),
      });
    if (account.tier !== tier)
      changes.push({
        says: `tier: ${account.tier} → ${tier}`,
        apply: () => store.accounts.setTier(account.id, tier),
      });
  }
  const keeps = present?.keeps ?? { queries: false, answers: false };
  if (keeps.queries !== queries || keeps.answers !== answers)
    changes.push({
      says: `keeps queries ${queries ? 'on' : 'off'}, answers ${answers ? 'on' : 'off'}`,
      apply: () => store.accounts.setKeeps(id, { queries, answers }),
    });
  const { web: before = null, asOf: dateBefore = null } = present ?? {};
  const [web, date] = [wanted.web === undefined ? null : store.rules.web(wanted.web), wanted.as_of ?? null];
  if (before !== web || dateBefore !== date)
    changes.push({
      says: `web: ${before ?? 'live'} → ${web ?? 'live'}, as of ${date ?? 'now'}`,
      apply: () => store.accounts.setWeb(id, { web, asOf: date }),
    });
}

function planAgents(
  store: Store,
  { workspace, changes }: ImportPlan,
  wanted: WorkspaceSettings['agents'],
  present: Agent[],
): void {
  for (const { name: agent, search = null, fetch = null } of wanted) {
    if (search !== null) store.rules.agentProvider('search', search);
    if (fetch !== null) store.rules.agentProvider('fetch', fetch);
    const settings = { searchWebProvider: search, fetchWebProvider: fetch };
    const now = present.find((one) => one.name === agent);
    const tools = `search ${search ?? 'off'}, fetch ${fetch ?? 'off'}`;
    if (now === undefined)
      changes.push({
        says: `agent ${agent}: new, ${tools}`,
        apply: () => store.agents.create({ workspace, name: agent, settings }),
      });
    else if (now.settings.searchWebProvider !== search || now.settings.fetchWebProvider !== fetch)
      changes.push({
        says: `agent ${agent}: ${tools}`,
        apply: () => store.agents.update(now.id, { settings }),
      });
  }
}

function planBudgets(
  store: Store,
  { workspace, changes, notes }: ImportPlan,
  wanted: WorkspaceSettings,
  before: { agents: Agent[]; budgets: SpendBudget[] },
): void {
  const present = new Map(
    before.budgets.map((budget) => [titleOf(toSetting(budget, before.agents)), budget]),
  );
  const agentNames = new Set([...before.agents, ...wanted.agents].map((agent) => agent.name));
  for (const budget of wanted.budgets) {
    const { level, unit, amount } = meaningOf(budget);
    if (level === 'agent' && !agentNames.has(budget.agent ?? ''))
      throw new HeadgateError(
        'invalid_request',
        own`budgets: there is no agent ${named(budget.agent ?? '')}.`,
      );
    const title = titleOf(budget);
    const now = present.get(title);
    present.delete(title);
    const { hard, zone } = budget;
    if (now?.amount === amount && now.hard === hard && now.zone === zone) continue;
    changes.push({
      says: `budget ${title}: ${unit === 'money' ? formatUsd(amount) : amount}, ${hard ? 'hard' : 'soft'}, ${zone}`,
      apply: async () => {
        // An agent of the file may have been created a moment ago.
        const agents = level === 'agent' ? await store.agents.list(workspace) : [];
        const agent = agents.find((one) => one.name === budget.agent && one.archived === null)?.id;
        const subject = agent ?? budget.key ?? budget.person ?? workspace;
        return store.budgets.set({ workspace, level, subject, unit, amount, period: budget.per, zone, hard });
      },
    });
  }
  for (const title of present.keys()) notes.push(`budget ${title} is not in the file and stays as it is.`);
}

/** What a workspace has and a file can hold. */
async function presentIn(store: Store, id: string) {
  const agents = (await store.agents.list(id)).filter((agent) => agent.archived === null);
  refuseTwins(agents.map((agent) => agent.name));
  const people = (await store.people.list()).flatMap((person) =>
    person.workspaces.filter((one) => one.workspace === id).map(({ role }) => ({ name: person.name, role })),
  );
  // Archived agents are not in a file, and so neither are their budgets.
  const ids = new Set(agents.map((agent) => agent.id));
  const budgets = (await store.budgets.list(id)).filter(
    (budget) => budget.level !== 'agent' || ids.has(budget.subject),
  );
  return { agents, budgets, people };
}

/** Agents are known by their names, because their IDs differ from store to store. */
function refuseTwins(names: string[]): void {
  const twin = names.find((one, index) => names.indexOf(one) !== index);
  if (twin === undefined) return;
  throw new HeadgateError('conflict', own`Two agents are called ${named(twin)}.`, {
    remediation: 'Rename one of them: `headgate agent rename ID NAME`.',
  });
}

/** What a budget of a file limits; throws when it is not clear. */
function meaningOf({ agent, key, person, credits, usd }: BudgetSetting) {
  const levels = Object.entries({ agent, key, person }).filter(([, subject]) => subject !== undefined);
  if (levels.length > 1 || (credits === undefined) === (usd === undefined))
    throw new HeadgateError(
      'invalid_request',
      'budgets: give either credits or usd, and one of agent, key and person.',
    );
  const level = (levels[0]?.[0] ?? 'workspace') as SpendBudget['level'];
  return usd === undefined
    ? { level, unit: 'credits' as const, amount: credits ?? 0 }
    : { level, unit: 'money' as const, amount: parseUsd(usd) };
}

/** What tells one budget of a workspace from another. */
function titleOf(budget: BudgetSetting): string {
  const { level, unit } = meaningOf(budget);
  const subject = budget.agent ?? budget.key ?? budget.person ?? '';
  return `${level} ${subject}`.trim() + ` in ${unit} per ${checkedPeriod(budget.per)}`;
}

function toSetting(budget: SpendBudget, agents: Agent[]): BudgetSetting {
  const { level, subject, unit, amount, period, zone, hard } = budget;
  const agent = agents.find((one) => one.id === subject)?.name ?? subject;
  return {
    ...(level === 'workspace' ? {} : { [level]: level === 'agent' ? agent : subject }),
    ...(unit === 'credits' ? { credits: amount } : { usd: exactUsd(amount) }),
    per: period,
    zone,
    hard,
  };
}

/** Dollars to the millionth, without rounding. */
const exactUsd = (amount: Millionths): string =>
  `${Math.floor(amount / 1_000_000)}.${String(amount % 1_000_000).padStart(6, '0')}`.replace(/0{1,4}$/, '');

const byText =
  <Item>(text: (item: Item) => string) =>
  (one: Item, other: Item): number =>
    text(one) < text(other) ? -1 : 1;
