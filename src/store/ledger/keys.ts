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
    subscriptions.add(operation.subscription);
    if (operation.kind === 'grant') references.push([operation.subscription, operation.reference]);
    else holds.add(operation.id);
    if (operation.kind === 'hold' && operation.idempotency !== null) {
      idempotency.push([operation.subscription, operation.idempotency.key]);
    }
  }
  return { subscriptions: [...subscriptions].sort(), holds: [...holds], idempotency, references };
}
