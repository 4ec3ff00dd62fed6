// Lists of the product that pages offer. A test compares them with the product's own.
export const OUTCOMES = [
  'ok',
  'empty',
  'partial',
  'degraded',
  'blocked',
  'needs_approval',
  'payment_required',
  'quota',
  'rate_limit',
  'timeout',
  'auth',
  'invalid',
  'failed',
];
export const SURFACES = ['http', 'mcp', 'stdio', 'cli', 'console', 'sdk', 'research', 'library'];
export const SCOPES = ['search', 'extract', 'crawl', 'research', 'tools', 'admin:read', 'admin:write'];
export const ROLES = ['viewer', 'member', 'admin', 'owner'];
export const CALL_GROUPS = ['provider', 'workspace', 'operation', 'outcome'];
export const LEVELS = ['workspace', 'agent', 'key', 'person'];
export const LEDGER_KINDS = ['grant', 'correction', 'charge'];
export const LEDGER_SORTS = ['newest', 'oldest', 'largest', 'smallest'];
export const PHASES = ['planning', 'gathering', 'extraction', 'analysis', 'synthesis', 'refinement', 'done'];
