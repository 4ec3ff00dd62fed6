import type { Dialect, Migration } from '../migration.ts';

/** Calls that have no price and no limit, per hour. `agent` and `key` are empty when there is none: a key has no nulls. */
export const freeCallsMigration = ({ integer, end, keyed }: Dialect): Migration => ({
  version: 4,
  name: 'free calls',
  sql: `
CREATE TABLE free_calls (
  hour ${integer} NOT NULL,
  subscription TEXT NOT NULL,
  workspace TEXT NOT NULL,
  agent TEXT NOT NULL,
  key TEXT NOT NULL,
  provider TEXT NOT NULL,
  category TEXT NOT NULL,
  calls ${integer} NOT NULL,
  returned ${integer} NOT NULL,
  PRIMARY KEY (hour, workspace, agent, key, provider, category)
)${end}${keyed};
`,
});

/** Tokens of language models and their price, counted beside the calls. */
export const tokensMigration = ({ integer }: Dialect): Migration => ({
  version: 20,
  name: 'tokens',
  sql: ['tokens_in', 'tokens_out', 'model_cost']
    .map((column) => `ALTER TABLE free_calls ADD COLUMN ${column} ${integer} NOT NULL DEFAULT 0;`)
    .join('\n'),
});
