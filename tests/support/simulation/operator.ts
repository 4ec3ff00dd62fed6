import { createDoubts } from '../../../src/store/doubts.ts';
import type { LedgerRow, Verdict } from '../../../src/store/ledger/types.ts';
import type { BudgetRow } from '../../../src/store/ledger/budget.ts';
import { CREDIT, nameOf, workspaceOf } from './asking.ts';
import { type Disk, rowsOf } from './disk.ts';
import type { History, Step } from './history.ts';
import type { World } from './play.ts';

/** The operator says what became of everything that is in doubt. */
export async function resolveDoubts(verdict: Verdict, { serving, disk, gate }: World): Promise<void> {
  const gateway = serving.find((one) => one !== undefined);
  if (gateway === undefined) return;
  const doubts = createDoubts(gateway.database);
  const open = [...disk.holds().values()].filter((hold) => hold.state === 'doubt' && hold.verdict === null);
  const listed = await doubts.list();
  for (const { id } of open) {
    // It may have been answered, or resolved, before the list was read.
    const { state, verdict: given = null } = disk.holds().get(id) ?? {};
    if (state === 'doubt' && given === null && !listed.some((one) => one.id === id))
      gate.violations.push(`${id} is in doubt and not listed`);
  }
  const credits = verdict === 'billed' ? { credits: 1 } : {};
  for (const { id } of listed) await doubts.resolve(id, { verdict, ...credits });
}

/** The operator changes a budget, or removes it. */
export async function changeBudget(step: Extract<Step, { kind: 'budget' }>, world: World): Promise<void> {
  const gateway = world.serving.find((one) => one !== undefined);
  const plan = world.history.budgets?.[step.budget];
  if (gateway === undefined || plan === undefined) return;
  const id = `budget-${step.budget}`;
  const amount = (step.amount ?? 0) * (plan.isMoney ? CREDIT : 1);
  await gateway.database.write([
    step.amount === null
      ? { sql: 'DELETE FROM budgets WHERE id = ?', values: [id] }
      : { sql: 'UPDATE budgets SET amount = ? WHERE id = ?', values: [amount, id] },
  ]);
}

/** The budgets of a history, as rows of their table. */
export const budgetRows = ({ budgets = [], accounts }: History): (BudgetRow & { created: number })[] =>
  budgets.flatMap((plan, index) => {
    const account = accounts[plan.account];
    if (account === undefined || account.isLocal) return [];
    const workspace = workspaceOf(plan.account, plan.workspace);
    const level = plan.who === undefined ? 'workspace' : plan.who === 'agent' ? 'agent' : 'key';
    return [
      {
        id: `budget-${index}`,
        subscription: nameOf(account, plan.account),
        workspace,
        level,
        subject: plan.who ?? workspace,
        unit: plan.isMoney ? 'money' : 'credits',
        amount: plan.amount * (plan.isMoney ? CREDIT : 1),
        period: plan.period,
        zone: 'UTC',
        hard: plan.hard ? 1 : 0,
        created: 0,
      },
    ];
  });

/** The operator books credits, or takes them back. */
export async function grant(step: Extract<Step, { kind: 'grant' }>, world: World): Promise<void> {
  const { serving, history, gate, disk } = world;
  const gateway = serving.find((one) => one !== undefined);
  const plan = history.accounts[step.account];
  if (gateway === undefined || plan === undefined || plan.isLocal) return;
  const subscription = nameOf(plan, step.account);
  const reference = `grant-${step.reference}`;
  const amount = step.credits * CREDIT;
  const operation = { kind: 'grant', subscription, reference, amount, note: null } as const;
  const before = ledgerOf(disk).get(`${subscription}\n${reference}`);
  const answer = await gateway.database.book(operation);
  const row = ledgerOf(disk).get(`${subscription}\n${reference}`);
  if (answer.status !== 'granted' || row === undefined)
    gate.violations.push(`a grant of ${amount} ended as ${answer.status}`);
  else if (before !== undefined && !answer.already) gate.violations.push(`${reference} was booked twice`);
  else if (before === undefined && !answer.already && row.amount !== amount)
    gate.violations.push(`a grant of ${amount} was booked as ${row.amount}`);
}

const ledgerOf = ({ tables }: Disk) => rowsOf<LedgerRow>(tables, 'ledger');
