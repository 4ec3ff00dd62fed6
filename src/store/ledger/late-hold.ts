import type { LedgerAnswer, LedgerOperation, ReleaseOperation } from './types.ts';

/** A hold that was granted after its caller had been refused is given back, for nobody will settle it. */
export function releaseOfLate(
  operation: LedgerOperation,
  answer: LedgerAnswer,
): ReleaseOperation | undefined {
  if (operation.kind !== 'hold' || answer.status !== 'held') return undefined;
  return { kind: 'release', id: operation.id, subscription: operation.subscription };
}
