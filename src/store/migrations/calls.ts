import type { Dialect, Migration } from '../migration.ts';

/**
 * The log of calls. Texts are last, so that a scan over the other columns does not read them. Every index ends
 * with the time, because pages are read newest first; rare values have partial indexes, which cost nothing
 * where they do not apply.
 */
export const callsMigration = ({ integer, sequence, end }: Dialect): Migration => ({
  version: 16,
  name: 'calls',
  sql: `
CREATE TABLE calls (
  seq ${sequence},
  at ${integer} NOT NULL,
  request TEXT NOT NULL,
  surface TEXT NOT NULL,
  operation TEXT NOT NULL,
  workspace TEXT,
  agent TEXT,
  key TEXT,
  person TEXT,
  provider TEXT,
  outcome TEXT NOT NULL,
  code TEXT,
  tries ${integer} NOT NULL,
  credits ${integer} NOT NULL,
  charged ${integer} NOT NULL,
  tokens ${integer} NOT NULL,
  ms ${integer} NOT NULL,
  cached ${integer} NOT NULL,
  policy TEXT,
  text_bytes ${integer} NOT NULL,
  attempts TEXT NOT NULL,
  query TEXT,
  answer TEXT
)${end};
CREATE INDEX calls_at ON calls(at, seq);
CREATE INDEX calls_request ON calls(request);
CREATE INDEX calls_surface ON calls(surface, at, seq);
CREATE INDEX calls_operation ON calls(operation, at, seq);
CREATE INDEX calls_workspace ON calls(workspace, at, seq);
CREATE INDEX calls_agent ON calls(agent, at, seq) WHERE agent IS NOT NULL;
CREATE INDEX calls_key ON calls(key, at, seq) WHERE key IS NOT NULL;
CREATE INDEX calls_person ON calls(person, at, seq) WHERE person IS NOT NULL;
CREATE INDEX calls_provider ON calls(provider, at, seq) WHERE provider IS NOT NULL;
CREATE INDEX calls_outcome ON calls(outcome, at, seq) WHERE outcome <> 'ok';
CREATE INDEX calls_code ON calls(code, at, seq) WHERE code IS NOT NULL;
CREATE INDEX calls_cached ON calls(at, seq) WHERE cached = 1;
CREATE INDEX calls_charged ON calls(at, seq) WHERE credits > 0;
CREATE INDEX calls_tokens ON calls(at, seq) WHERE tokens > 0;
CREATE INDEX calls_policy ON calls(policy, at, seq) WHERE policy IS NOT NULL;
CREATE INDEX calls_texts ON calls(at, seq, text_bytes) WHERE text_bytes > 0;
ALTER TABLE workspaces ADD COLUMN keep_queries ${integer} NOT NULL DEFAULT 0;
ALTER TABLE workspaces ADD COLUMN keep_answers ${integer} NOT NULL DEFAULT 0;
`,
});
