import type { Caller } from '../core/call.ts';
import { CRAWL_JOB_LIMITS } from '../core/crawl-job.ts';
import type { Database, DatabaseRow, SqlValue } from './database.ts';
import { eventId } from './ledger/hold-budgets.ts';
import { integerColumn, integerOrNull, textColumn, textOrNull } from './rows.ts';

/** A page to read. The hash of its canonical address keeps a crawl from reading it twice. */
export interface FrontierPage {
  hash: string;
  url: string;
  depth: number;
}

/** The right to read a host's pages for a crawl, until it is released or ends. */
export interface HostLease {
  crawl: string;
  host: string;
  /** The robots.txt of the host, once somebody has read it. */
  robots: string | null;
  delayMs: number;
  /** The caller's JSON. */
  input: string;
  caller: Caller;
  /** `tries` counts the gateways that began to read a page, this one included. */
  pages: (FrontierPage & { tries: number })[];
}

/** What became of the pages of a lease. */
export interface HostBatch {
  /** `line` is the JSON of its result. */
  pages: { hash: string; line: string; isRead: boolean }[];
  /** Hashes of pages that somebody else may read. */
  unread: string[];
  /** Links in the order in which they were found; at most `breadth` new ones are added for each page that they are `from`. */
  links: (FrontierPage & { host: string; from: string })[];
  breadth: number;
  /** How long the host is to be left alone. */
  pauseMs: number;
  /** Ends the crawl as failed. */
  error?: string;
}

export type CrawlState = 'running' | 'done' | 'cancelled' | 'failed';

/** A crawl as its owner sees it. */
export interface CrawlJobRow {
  id: string;
  state: CrawlState;
  error: string | null;
  input: string;
  pagesMax: number;
  found: number;
  pages: number;
  skipped: number;
  /** How many of the results are in the library; null if they are not to be. */
  inLibrary: number | null;
  created: number;
  ended: number | null;
}

/** The crawls of all gateways on one PostgreSQL: what is still to be read, who reads it, and what was read. */
export interface CrawlFrontier {
  /** False when the workspace has too many running crawls. */
  start(crawl: {
    id: string;
    workspace: string;
    caller: Caller;
    input: string;
    pagesMax: number;
    toLibrary: boolean;
    first: FrontierPage & { host: string };
  }): Promise<boolean>;
  find(workspace: string, id: string): Promise<CrawlJobRow | undefined>;
  /** Latest first. */
  list(workspace: string): Promise<CrawlJobRow[]>;
  /** Stops a running crawl; what was read stays. */
  cancel(workspace: string, id: string): Promise<void>;
  /** Results in the order in which they were written; a position is never given to another line. */
  lines(id: string, after: number): Promise<{ position: number; line: string }[]>;
  /** Takes hosts that are due, at most so many, with pages to read. */
  claim(owner: string, leaseMs: number, hostsMax: number): Promise<HostLease[]>;
  /** Renews the leases of these hosts, each for at least its delay; returns those that are still held. */
  renew(
    owner: string,
    leases: Pick<HostLease, 'crawl' | 'host' | 'delayMs'>[],
    leaseMs: number,
  ): Promise<{ crawl: string; host: string }[]>;
  /** Writes the results and links of a batch and releases its host, all or nothing. Pages that another gateway took over are left out. */
  finish(owner: string, lease: HostLease, batch: HostBatch): Promise<void>;
  /** Takes a crawl whose results are to go to the library of its workspace, those after `after`, for a minute; undefined if there is none. */
  takeForLibrary(): Promise<{ id: string; workspace: string; input: string; after: number } | undefined>;
  /** These results are in the library now. */
  addedToLibrary(id: string, after: number, position: number): Promise<void>;
  /** Removes some of what has expired, and ends crawls that have run for too long or whose workspace is gone. */
  prune(): Promise<void>;
}

const NOW = 'headgate_clock()::bigint';

export function createCrawlFrontier(database: Database): CrawlFrontier {
  const one = async (sql: string, ...values: SqlValue[]): Promise<DatabaseRow[]> =>
    (await database.write([{ sql, values }]))[0] ?? [];
  return {
    start: async ({ id, workspace, caller, input, pagesMax, toLibrary, first }) => {
      const [rows] = await database.write([
        {
          sql: `INSERT INTO crawls (id, workspace, api_key, caller, input, pages_max, in_library, created)
                SELECT ?, ?::text, ?, ?, ?, ?::bigint, ?::bigint, ${NOW}
                WHERE (SELECT count(*) FROM crawls WHERE workspace = ? AND state = 'running') < ? RETURNING id`,
          values: [
            id,
            workspace,
            caller.key ?? null,
            JSON.stringify(caller),
            input,
            pagesMax,
            toLibrary ? 0 : null,
            workspace,
            CRAWL_JOB_LIMITS.runningMax,
          ],
        },
        {
          sql: `INSERT INTO crawl_pages (crawl, hash, host, url, depth) SELECT id, ?::uuid, ?, ?, ?::int FROM crawls WHERE id = ?`,
          values: [first.hash, first.host, first.url, first.depth, id],
        },
        {
          sql: `INSERT INTO crawl_hosts (crawl, host, due) SELECT id, ?, created FROM crawls WHERE id = ?`,
          values: [first.host, id],
        },
      ]);
      return rows?.length === 1;
    },
    find: async (workspace, id) => {
      const [row] = await database.read('SELECT * FROM crawls WHERE id = ? AND workspace = ?', id, workspace);
      return row === undefined ? undefined : toJob(row);
    },
    list: async (workspace) => {
      const sql = 'SELECT * FROM crawls WHERE workspace = ? ORDER BY created DESC, id LIMIT ?';
      return (await database.read(sql, workspace, CRAWL_JOB_LIMITS.listMax)).map(toJob);
    },
    cancel: async (workspace, id) => {
      await one(
        `UPDATE crawls SET state = 'cancelled', ended = ${NOW} WHERE id = ? AND workspace = ? AND state = 'running'`,
        id,
        workspace,
      );
    },
    lines: async (id, after) => {
      const sql =
        'SELECT position, line FROM crawl_results WHERE crawl = ? AND position > ? ORDER BY position LIMIT ?';
      const rows = await database.read(sql, id, after, CRAWL_JOB_LIMITS.lineRows);
      return rows.map((row) => ({ position: integerColumn(row, 'position'), line: textColumn(row, 'line') }));
    },
    takeForLibrary: async () => {
      const [row] = await one(
        `UPDATE crawls SET library_until = ${NOW} + ? WHERE id = (SELECT id FROM crawls WHERE in_library < pages + skipped
         AND library_until < ${NOW} ORDER BY library_until LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, workspace, input, in_library`,
        CRAWL_JOB_LIMITS.libraryLeaseMs,
      );
      if (row === undefined) return undefined;
      return {
        id: textColumn(row, 'id'),
        workspace: textColumn(row, 'workspace'),
        input: textColumn(row, 'input'),
        after: integerColumn(row, 'in_library'),
      };
    },
    addedToLibrary: async (id, after, position) => {
      const sql = 'UPDATE crawls SET in_library = ?, library_until = 0 WHERE id = ? AND in_library = ?';
      await one(sql, position, id, after);
    },
    ...leasesOf(database),
    prune: () => pruneCrawls(database),
  };
}

async function pruneCrawls(database: Database): Promise<void> {
  const { ageMs, keptMs, pruneRows } = CRAWL_JOB_LIMITS;
  const gone = `SELECT id FROM crawls WHERE ended < ${NOW} - ?`;
  const rest = ['crawl_results', 'crawl_pages', 'crawl_hosts'];
  await database.write([
    {
      sql: `UPDATE crawls SET state = 'failed', error = 'The crawl took too long.', ended = ${NOW}
            WHERE state = 'running' AND created < ${NOW} - ?`,
      values: [ageMs],
    },
    {
      sql: `UPDATE crawls SET state = 'cancelled', ended = 0 WHERE (ended IS NULL OR ended > 0) AND workspace <> 'local'
            AND NOT EXISTS (SELECT FROM workspaces w WHERE w.id = crawls.workspace)`,
    },
    ...rest.map((table) => ({
      sql: `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE crawl IN (${gone}) LIMIT ?))`,
      values: [keptMs, pruneRows],
    })),
    {
      sql: `DELETE FROM crawls WHERE id IN (${gone}) AND
            ${rest.map((table) => `NOT EXISTS (SELECT FROM ${table} WHERE crawl = crawls.id)`).join(' AND ')}`,
      values: [keptMs],
    },
  ]);
}

/**
 * What gateways do with hosts. Each is one statement and thus a transaction of its own: BEGIN and COMMIT would keep the row of the crawl locked
 * for two more round trips.
 */
function leasesOf({ read: one }: Database): Pick<CrawlFrontier, 'claim' | 'renew' | 'finish'> {
  return {
    claim: async (owner, leaseMs, hostsMax) => {
      const sql = 'SELECT headgate_crawl_claim(?, ?::bigint, ?::bigint, ?::bigint)::text AS leases';
      const [row] = await one(sql, owner, leaseMs, hostsMax, CRAWL_JOB_LIMITS.batchPages);
      const leases = JSON.parse(row === undefined ? '[]' : textColumn(row, 'leases')) as (Omit<
        HostLease,
        'caller'
      > & { caller: string })[];
      return leases.map((lease) => ({ ...lease, caller: JSON.parse(lease.caller) as Caller }));
    },
    renew: async (owner, leases, leaseMs) => {
      const held = leases.map(({ crawl, host, delayMs }) => ({ crawl, host, delay: delayMs }));
      const rows = await one(
        `UPDATE crawl_hosts h SET due = ${NOW} + greatest(?::bigint, mine.delay) FROM (SELECT h.crawl, h.host, l.delay FROM crawl_hosts h
         JOIN jsonb_to_recordset(?::jsonb) AS l(crawl text, host text, delay bigint) ON l.crawl = h.crawl AND l.host = h.host
         WHERE h.owner = ? ORDER BY h.host, h.crawl FOR UPDATE OF h) mine
         WHERE h.crawl = mine.crawl AND h.host = mine.host RETURNING h.crawl, h.host`,
        leaseMs,
        JSON.stringify(held),
        owner,
      );
      return rows.map((row) => ({ crawl: textColumn(row, 'crawl'), host: textColumn(row, 'host') }));
    },
    finish: async (owner, { crawl, host, robots, delayMs }, batch) => {
      const event = eventId(crawl, 'crawl.done', 0, 0);
      await one(
        'SELECT headgate_crawl_finish(?, ?, ?, ?::jsonb)',
        owner,
        crawl,
        host,
        JSON.stringify({ ...batch, robots, delayMs, event }),
      );
    },
  };
}

const toJob = (row: DatabaseRow): CrawlJobRow => ({
  id: textColumn(row, 'id'),
  state: textColumn(row, 'state') as CrawlState,
  error: textOrNull(row, 'error'),
  input: textColumn(row, 'input'),
  pagesMax: integerColumn(row, 'pages_max'),
  found: integerColumn(row, 'discovered'),
  pages: integerColumn(row, 'pages'),
  skipped: integerColumn(row, 'skipped'),
  inLibrary: integerOrNull(row, 'in_library'),
  created: integerColumn(row, 'created'),
  ended: integerOrNull(row, 'ended'),
});
