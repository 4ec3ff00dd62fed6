import type { LedgerOperation } from './types.ts';

/** Which rows a batch of operations needs. Ids are sorted, because that is the order in which accounts are locked. */
export interface LedgerKeys {
  subscriptions: string[];
  holds: string[];
  idempotency: [subscription: string, key: string][];
  references: [subscription: string, reference: string][];
}

export function keysOf(operations: readonly LedgerOperation[]): LedgerKeys {
  const subscriptions = new Set<string>();
  const holds = new Set<string>();
  const idempotency: [string, string][] = [];
  const references: [string, string][] = [];
  for (const operation of operations) {
    const { subscription } = operation;
    subscriptions.add(subscription);
    if (operation.kind === 'grant') references.push([subscription, operation.reference]);
    else if (operation.kind === 'begin') idempotency.push([subscription, operation.key]);
    else if (operation.kind === 'commit') {
      for (const charge of operation.charges) holds.add(charge.hold);
      if (operation.kept !== null) idempotency.push([subscription, operation.kept.key]);
    } else holds.add(operation.id);
  }
  return { subscriptions: [...subscriptions].sort(), holds: [...holds], idempotency, references };
}
