import type { CallRow } from '../../core/call-row.ts';

export const ACCOUNT_COLUMNS = ['id', 'tier', 'balance', 'reserved', 'clock', 'ahead', 'budget_use'] as const;

export const BUCKET_COLUMNS = ['subscription', 'category', 'hour', 'count', 'credits'] as const;

/** The columns of a hold, in the order in which both databases write them. */
export const HOLD_COLUMNS = [
  'id',
  'subscription',
  'workspace',
  'agent',
  'key',
  'category',
  'provider',
  'price',
  'estimate',
  'amount',
  'free',
  'counted',
  'hour',
  'state',
  'asked',
  'credits',
  'reported',
  'charged',
  'late',
  'assumed',
  'created',
  'expires',
  'resolved',
  'reason',
  'verdict',
  'closed',
  'budgets',
] as const;

/** What changes when a hold ends. */
export const RESOLVED_COLUMNS = [
  'state',
  'credits',
  'reported',
  'charged',
  'late',
  'assumed',
  'resolved',
  'reason',
  'verdict',
  'closed',
] as const;

export const BUDGET_COLUMNS = [
  'id',
  'subscription',
  'workspace',
  'level',
  'subject',
  'unit',
  'amount',
  'period',
  'zone',
  'hard',
] as const;

export const EVENT_COLUMNS = [
  'id',
  'kind',
  'subject',
  'period',
  'threshold',
  'workspace',
  'data',
  'at',
] as const;

export const LEDGER_COLUMNS = [
  'subscription',
  'kind',
  'amount',
  'balance',
  'reference',
  'workspace',
  'agent',
  'key',
  'provider',
  'category',
  'note',
  'at',
] as const;

/** The columns of a call; the database numbers its rows. */
export const CALL_COLUMNS = [
  'at',
  'request',
  'surface',
  'operation',
  'workspace',
  'agent',
  'key',
  'person',
  'provider',
  'outcome',
  'code',
  'tries',
  'credits',
  'charged',
  'tokens',
  'ms',
  'cached',
  'policy',
  'text_bytes',
  'attempts',
  'query',
  'answer',
] as const satisfies (keyof CallRow)[];

export const IDEMPOTENCY_COLUMNS = [
  'subscription',
  'key',
  'fingerprint',
  'hold',
  'done',
  'answer',
  'expires',
] as const;
