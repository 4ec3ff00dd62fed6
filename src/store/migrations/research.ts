import type { Dialect, Migration } from '../migration.ts';

/** Research sessions: who runs them until when, their finished steps, what happened, and what came of it. */
export const researchMigration = ({ integer, sequence, end }: Dialect): Migration => ({
  version: 3,
  name: 'research',
  sql: `
CREATE TABLE research_sessions (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL,
  record TEXT NOT NULL,
  checks ${integer} NOT NULL DEFAULT 0,
  owner TEXT NOT NULL,
  lease ${integer} NOT NULL,
  cancelled ${integer} NOT NULL DEFAULT 0,
  created ${integer} NOT NULL,
  expires ${integer} NOT NULL
)${end};
CREATE INDEX research_sessions_of_workspace ON research_sessions(workspace, created, id);
CREATE INDEX research_sessions_old ON research_sessions(expires);
CREATE TABLE research_documents (
  session TEXT NOT NULL REFERENCES research_sessions(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (session, name)
)${end};
CREATE TABLE research_lines (
  seq ${sequence},
  session TEXT NOT NULL REFERENCES research_sessions(id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL
)${end};
CREATE INDEX research_lines_of_session ON research_lines(session, kind, key, seq);
`,
});

/** On whose behalf a research in the background goes on at another gateway, and how many gateways have died while they ran it. */
export const researchTakeoverMigration = ({ integer }: Dialect): Migration => ({
  version: 30,
  name: 'research-takeover',
  sql: `
ALTER TABLE research_sessions ADD COLUMN caller TEXT;
ALTER TABLE research_sessions ADD COLUMN api_key TEXT;
ALTER TABLE research_sessions ADD COLUMN takeovers ${integer} NOT NULL DEFAULT 0;
CREATE INDEX research_sessions_left ON research_sessions(lease) WHERE lease > 0 AND caller IS NOT NULL;
`,
});
