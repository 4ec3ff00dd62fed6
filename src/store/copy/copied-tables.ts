/** A table that `headgate store copy` copies. */
export interface CopiedTable {
  name: string;
  /** Its key, in the order in which it is read. */
  key: string[];
  /** Columns whose sums must be equal afterwards. */
  sums: string[];
  /** Whether the database assigns the key. */
  isNumbered?: boolean;
  /** How many rows are read at once, for tables with large rows. */
  pageRows?: number;
}

const PAGE_ROWS_OF_TEXTS = 50;

/** Every table that both databases have; referenced tables come first. */
export const COPIED_TABLES: CopiedTable[] = [
  { name: 'subscriptions', key: ['id'], sums: ['balance', 'reserved'] },
  { name: 'workspaces', key: ['id'], sums: [] },
  { name: 'agents', key: ['id'], sums: [] },
  { name: 'api_keys', key: ['id'], sums: [] },
  { name: 'oauth_clients', key: ['id'], sums: [] },
  { name: 'oauth_tokens', key: ['hash'], sums: [] },
  { name: 'holds', key: ['id'], sums: ['amount', 'charged', 'estimate'] },
  { name: 'ledger', key: ['seq'], sums: ['amount'], isNumbered: true },
  { name: 'request_buckets', key: ['subscription', 'hour', 'category'], sums: ['count', 'credits'] },
  { name: 'idempotency', key: ['subscription', 'key'], sums: ['done'], pageRows: PAGE_ROWS_OF_TEXTS },
  {
    name: 'free_calls',
    key: ['hour', 'workspace', 'agent', 'key', 'provider', 'category'],
    sums: ['calls', 'returned', 'tokens_in', 'tokens_out', 'model_cost'],
  },
  { name: 'budgets', key: ['id'], sums: ['amount'] },
  { name: 'policies', key: ['id'], sums: [] },
  { name: 'leak_lists', key: ['id'], sums: ['size'] },
  { name: 'leak_addresses', key: ['list', 'address'], sums: [] },
  { name: 'leak_payers', key: ['payer'], sums: [] },
  { name: 'leak_bookings', key: ['id', 'payer'], sums: ['bits'] },
  { name: 'approvals', key: ['code'], sums: [] },
  { name: 'events', key: ['id'], sums: [] },
  { name: 'webhooks', key: ['id'], sums: [] },
  { name: 'deliveries', key: ['webhook', 'event'], sums: ['attempts'] },
  { name: 'admins', key: ['id'], sums: [] },
  { name: 'sessions', key: ['hash'], sums: [] },
  { name: 'recovery_codes', key: ['admin', 'hash'], sums: [] },
  { name: 'workspace_roles', key: ['admin', 'workspace'], sums: [] },
  { name: 'identities', key: ['issuer', 'subject'], sums: [] },
  { name: 'setup_links', key: ['hash'], sums: [] },
  { name: 'audit', key: ['seq'], sums: [], isNumbered: true },
  { name: 'research_sessions', key: ['id'], sums: ['checks'], pageRows: PAGE_ROWS_OF_TEXTS },
  { name: 'research_documents', key: ['session', 'name'], sums: [], pageRows: PAGE_ROWS_OF_TEXTS },
  { name: 'research_lines', key: ['seq'], sums: [], isNumbered: true, pageRows: PAGE_ROWS_OF_TEXTS },
  { name: 'calls', key: ['seq'], sums: ['credits', 'charged'], isNumbered: true },
  { name: 'crawl_sessions', key: ['id'], sums: [], pageRows: PAGE_ROWS_OF_TEXTS },
];
