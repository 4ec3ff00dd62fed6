import type { Database } from './database.ts';
import { noteEvent } from './events.ts';
import { integerColumn, textColumn } from './rows.ts';

/** Unfinished crawls, each for its owner. The state is the caller's own JSON. */
export interface CrawlStore {
  /** Stores a crawl. Expired ones, and those that its owner has beyond `keepMax`, are removed. */
  insert(
    walk: { id: string; workspace: string; state: string; expires: number },
    options: { now: number; keepMax: number },
  ): Promise<void>;
  /** Returns a crawl once; undefined when it does not exist, has expired or belongs to somebody else. */
  take(workspace: string, id: string, now: number): Promise<string | undefined>;
  /** Reports that a crawl is over. */
  finish(crawl: { request: string; workspace: string | undefined; data: object }, now: number): Promise<void>;
}

export function createCrawlStore(database: Database): CrawlStore {
  return {
    insert: async ({ id, workspace, state, expires }, { now, keepMax }) => {
      const surplus =
        'SELECT id FROM crawl_sessions WHERE workspace = ? ORDER BY expires DESC, id LIMIT 1000 OFFSET ?';
      await database.write([
        { sql: 'DELETE FROM crawl_sessions WHERE expires < ?', values: [now] },
        { sql: `DELETE FROM crawl_sessions WHERE id IN (${surplus})`, values: [workspace, keepMax - 1] },
        {
          // A crawl that is replayed has the same ID again.
          sql: `INSERT INTO crawl_sessions (id, workspace, state, expires) VALUES (?, ?, ?, ?) ON CONFLICT (id)
                DO UPDATE SET workspace = excluded.workspace, state = excluded.state, expires = excluded.expires`,
          values: [id, workspace, state, expires],
        },
      ]);
    },
    take: async (workspace, id, now) => {
      const sql = 'DELETE FROM crawl_sessions WHERE id = ? AND workspace = ? RETURNING state, expires';
      const [row] = (await database.write([{ sql, values: [id, workspace] }]))[0] ?? [];
      return row === undefined || integerColumn(row, 'expires') < now ? undefined : textColumn(row, 'state');
    },
    finish: async ({ request, workspace = null, data }, now) => {
      const about = { kind: 'crawl.done', subject: request, period: 0, threshold: 0 } as const;
      await database.write([noteEvent({ ...about, workspace, data, at: now })]);
    },
  };
}
