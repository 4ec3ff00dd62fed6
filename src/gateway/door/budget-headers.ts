import type { Cost } from '../../operations/run-unit.ts';

/** What is left of the smallest budget, and until when, as headers. */
export function budgetHeaders(
  budget: Pick<NonNullable<Cost['budget']>, 'unit' | 'left' | 'amount' | 'renews_in'> | undefined,
): Record<string, string> {
  if (budget === undefined) return {};
  return {
    'x-headgate-budget-remaining': String(budget.left),
    'x-headgate-budget-limit': String(budget.amount),
    // Money is in millionths of a dollar, as everywhere.
    'x-headgate-budget-unit': budget.unit === 'money' ? 'usd-millionths' : 'credits',
    ...(budget.renews_in === null ? {} : { 'x-headgate-budget-reset': String(budget.renews_in) }),
  };
}
