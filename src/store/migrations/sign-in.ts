import type { Dialect, Migration } from '../migration.ts';

/**
 * Clients that registered themselves, and the one-time codes and tokens of signed-in clients. What a client
 * may do is an API key whose secret nobody has: revoking the key ends all of its tokens.
 */
export const signInMigration = ({ integer, end }: Dialect): Migration => ({
  version: 9,
  name: 'sign-in',
  sql: `
CREATE TABLE oauth_clients (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  redirects TEXT NOT NULL,
  created ${integer} NOT NULL,
  used ${integer} NOT NULL
)${end};
CREATE TABLE oauth_tokens (
  hash TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  api_key TEXT,
  data TEXT NOT NULL,
  expires ${integer} NOT NULL,
  used ${integer}
)${end};
CREATE INDEX oauth_tokens_of_key ON oauth_tokens(api_key);
CREATE INDEX oauth_tokens_old ON oauth_tokens(expires);
ALTER TABLE api_keys ADD COLUMN client TEXT;
ALTER TABLE api_keys ADD COLUMN person TEXT;
`,
});
