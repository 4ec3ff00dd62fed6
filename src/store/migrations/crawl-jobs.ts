import type { Migration } from '../migration.ts';

/** Up to which position the results of a crawl are in the library of its workspace, null if they are not to be, and until when somebody adds more. */
export const crawlLibraryMigration: Migration = {
  version: 29,
  name: 'crawl-library',
  sql: 'ALTER TABLE crawls ADD COLUMN in_library BIGINT; ALTER TABLE crawls ADD COLUMN library_until BIGINT NOT NULL DEFAULT 0;',
};

/**
 * Crawls that all gateways work on. A host of a crawl is claimed by one gateway at a time: `due` is when it may be claimed, which
 * is the end of a lease while somebody holds it, and the end of the delay afterwards; it is null while there is nothing to read.
 * A page is waiting (0), being read (1) or over (2). Rows of pages that are over stay, because their hashes keep pages from being read twice.
 *
 * Times are milliseconds of the server's clock. Transactions lock pages in the order of their hashes, then hosts in the order of their
 * names, then the crawl; whoever claims a host skips those that are locked. Tables that grow this fast have no statistics yet, so the planner is
 * told to use the indexes.
 */
export const crawlJobsMigration: Migration = {
  version: 27,
  name: 'crawl-jobs',
  sql: `
CREATE TABLE crawls (
  id TEXT PRIMARY KEY,
  workspace TEXT NOT NULL,
  api_key TEXT,
  caller TEXT NOT NULL,
  input TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'cancelled', 'failed')),
  error TEXT,
  pages_max BIGINT NOT NULL,
  taken BIGINT NOT NULL DEFAULT 0 CHECK (taken BETWEEN 0 AND pages_max),
  discovered BIGINT NOT NULL DEFAULT 1,
  pages BIGINT NOT NULL DEFAULT 0,
  skipped BIGINT NOT NULL DEFAULT 0,
  created BIGINT NOT NULL,
  ended BIGINT
) WITH (fillfactor = 50);
CREATE INDEX crawls_of_workspace ON crawls(workspace, created);

CREATE TABLE crawl_hosts (
  crawl TEXT NOT NULL,
  host TEXT COLLATE "C" NOT NULL,
  due BIGINT,
  owner TEXT,
  robots TEXT,
  delay BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (crawl, host)
) WITH (fillfactor = 50);
CREATE INDEX crawl_hosts_due ON crawl_hosts(due) WHERE due IS NOT NULL;

CREATE TABLE crawl_pages (
  crawl TEXT NOT NULL,
  hash UUID NOT NULL,
  seq BIGINT GENERATED ALWAYS AS IDENTITY,
  host TEXT COLLATE "C" NOT NULL,
  url TEXT NOT NULL,
  depth INT NOT NULL,
  state SMALLINT NOT NULL DEFAULT 0,
  tries SMALLINT NOT NULL DEFAULT 0,
  owner TEXT,
  PRIMARY KEY (crawl, hash)
) WITH (fillfactor = 70);
CREATE INDEX crawl_pages_waiting ON crawl_pages(crawl, host, depth, seq) WHERE state = 0;
CREATE INDEX crawl_pages_taken ON crawl_pages(crawl, host) WHERE state = 1;

CREATE TABLE crawl_results (
  crawl TEXT NOT NULL,
  position BIGINT NOT NULL,
  line TEXT NOT NULL,
  PRIMARY KEY (crawl, position)
);

CREATE FUNCTION headgate_crawl_claim(holder text, lease bigint, hosts_max bigint, pages_max bigint) RETURNS jsonb LANGUAGE plpgsql SET enable_seqscan = off AS $function$
DECLARE
  moment bigint;
  place crawl_hosts;
  job crawls;
  left_over bigint;
  fresh bigint;
  leases jsonb := '[]';
BEGIN
  -- A claim that a crash of the server takes back has harmed nobody: the pages are read again.
  PERFORM set_config('synchronous_commit', 'off', true);
  FOR attempt IN 1..hosts_max + 20 LOOP
    EXIT WHEN jsonb_array_length(leases) = hosts_max;
    moment := headgate_clock();
    -- All of one crawl, so that two who claim never wait for each other's crawls.
    SELECT * INTO place FROM crawl_hosts WHERE due <= moment AND (job.id IS NULL OR crawl = job.id)
      ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED;
    EXIT WHEN NOT FOUND;
    SELECT * INTO job FROM crawls WHERE id = place.crawl FOR UPDATE;
    IF job.state = 'running' AND job.api_key IS NOT NULL AND NOT EXISTS (
      SELECT FROM api_keys k JOIN workspaces w ON w.id = k.workspace WHERE k.id = job.api_key AND k.revoked IS NULL
        AND k.archived IS NULL AND w.archived IS NULL AND coalesce(k.expires > moment, true)) THEN
      UPDATE crawls SET state = 'failed', error = 'The key that started the crawl is no longer valid.', ended = moment
        WHERE id = job.id RETURNING * INTO job;
    END IF;
    IF job.state IS DISTINCT FROM 'running' THEN
      UPDATE crawl_hosts SET due = NULL, owner = NULL WHERE (crawl, host) IN (SELECT crawl, host FROM crawl_hosts
        WHERE crawl = place.crawl AND due IS NOT NULL LIMIT 500 FOR UPDATE SKIP LOCKED);
      CONTINUE;
    END IF;
    -- A gateway that died has left these.
    UPDATE crawl_pages SET owner = holder, tries = tries + 1 WHERE crawl = job.id AND host = place.host AND state = 1;
    GET DIAGNOSTICS left_over = ROW_COUNT;
    UPDATE crawl_pages SET owner = holder, tries = tries + 1, state = 1 WHERE crawl = job.id AND hash IN (
      SELECT hash FROM crawl_pages WHERE crawl = job.id AND host = place.host AND state = 0 ORDER BY depth, seq
      LIMIT greatest(0, least(headgate_crawl_claim.pages_max - left_over, job.pages_max - job.taken)));
    GET DIAGNOSTICS fresh = ROW_COUNT;
    IF left_over + fresh = 0 THEN
      -- Pages that wait although the limit is reached are needed if one that is being read fails.
      UPDATE crawl_hosts SET owner = NULL, due = CASE WHEN EXISTS (
        SELECT FROM crawl_pages WHERE crawl = job.id AND host = place.host AND state = 0) THEN moment + 1000 END
        WHERE crawl = job.id AND host = place.host;
      CONTINUE;
    END IF;
    UPDATE crawls SET taken = taken + fresh WHERE id = job.id;
    UPDATE crawl_hosts SET owner = holder, due = moment + greatest(lease, delay) WHERE crawl = job.id AND host = place.host;
    leases := leases || jsonb_build_object('crawl', job.id, 'host', place.host, 'robots', place.robots, 'delayMs', place.delay,
      'input', job.input, 'caller', job.caller, 'pages', (SELECT jsonb_agg(jsonb_build_object('hash', hash, 'url', url,
      'depth', depth, 'tries', tries) ORDER BY depth, seq) FROM crawl_pages
      WHERE crawl = job.id AND host = place.host AND state = 1 AND owner = holder));
  END LOOP;
  RETURN leases;
END $function$;

CREATE FUNCTION headgate_crawl_finish(holder text, lease_crawl text, lease_host text, batch jsonb) RETURNS text LANGUAGE plpgsql SET enable_seqscan = off AS $function$
DECLARE
  moment bigint;
  job crawls;
  lines text[];
  pages_read bigint;
  pages_skipped bigint;
  returned bigint;
  added bigint := 0;
  places text[] := '{}';
  durable text := current_setting('synchronous_commit');
BEGIN
  -- The row of the crawl is locked until the commit; with a flush each, batches would take turns at the disk. What a crash of the server
  -- takes back is read again. The end of a crawl is flushed, and with it all that came before.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- What another gateway has taken over since is its to report.
  WITH mine AS (UPDATE crawl_pages p SET state = 2, url = '', owner = NULL
    FROM (SELECT at, (page->>'hash')::uuid AS hash, page->>'line' AS line, (page->>'isRead')::boolean AS is_read
      FROM jsonb_array_elements(batch->'pages') WITH ORDINALITY AS given(page, at)) g
    WHERE p.crawl = lease_crawl AND p.hash = g.hash AND p.state = 1 AND p.owner = holder RETURNING g.at, g.line, g.is_read)
  SELECT array_agg(line ORDER BY at), count(*) FILTER (WHERE is_read), count(*) FILTER (WHERE NOT is_read)
    INTO lines, pages_read, pages_skipped FROM mine;
  UPDATE crawl_pages SET state = 0, owner = NULL, tries = tries - 1 WHERE crawl = lease_crawl AND state = 1 AND owner = holder
    AND hash IN (SELECT value::uuid FROM jsonb_array_elements_text(batch->'unread'));
  GET DIAGNOSTICS returned = ROW_COUNT;
  SELECT * INTO job FROM crawls WHERE id = lease_crawl;
  IF job.state = 'running' AND job.discovered < 2 * job.pages_max + 1000 THEN
    WITH offered AS (SELECT DISTINCT ON (hash) * FROM (
        SELECT at, (link->>'hash')::uuid AS hash, link->>'from' AS source, link->>'host' AS host, link->>'url' AS url,
          (link->>'depth')::int AS depth FROM jsonb_array_elements(batch->'links') WITH ORDINALITY AS given(link, at)) l
        ORDER BY hash, at),
      fresh AS (SELECT *, row_number() OVER (PARTITION BY source ORDER BY at) AS rank FROM offered o
        WHERE NOT EXISTS (SELECT FROM crawl_pages p WHERE p.crawl = lease_crawl AND p.hash = o.hash)),
      inserted AS (INSERT INTO crawl_pages (crawl, hash, host, url, depth)
        SELECT lease_crawl, hash, host, url, depth FROM fresh WHERE rank <= (batch->>'breadth')::bigint ORDER BY hash
        ON CONFLICT DO NOTHING RETURNING host)
    SELECT count(*), coalesce(array_agg(DISTINCT host), '{}') INTO added, places FROM inserted;
  END IF;
  moment := headgate_clock();
  INSERT INTO crawl_hosts (crawl, host, due)
    SELECT DISTINCT lease_crawl, name COLLATE "C" AS name, moment FROM unnest(places || lease_host) AS name ORDER BY name
    ON CONFLICT (crawl, host) DO UPDATE SET due = coalesce(crawl_hosts.due, excluded.due);
  UPDATE crawl_hosts SET owner = NULL, due = moment + (batch->>'pauseMs')::bigint, robots = batch->>'robots',
    delay = (batch->>'delayMs')::bigint
    WHERE crawl = lease_crawl AND host = lease_host AND owner = holder;
  SELECT * INTO job FROM crawls WHERE id = lease_crawl FOR UPDATE;
  IF NOT FOUND THEN
    RETURN 'gone';
  END IF;
  INSERT INTO crawl_results (crawl, position, line)
    SELECT lease_crawl, job.pages + job.skipped + at, line FROM unnest(lines) WITH ORDINALITY AS given(line, at);
  UPDATE crawls SET discovered = discovered + added, pages = pages + pages_read, skipped = skipped + pages_skipped,
    taken = taken - pages_skipped - returned WHERE id = lease_crawl RETURNING * INTO job;
  IF job.state = 'running' AND (batch ? 'error' OR job.pages >= job.pages_max OR job.pages + job.skipped = job.discovered) THEN
    PERFORM set_config('synchronous_commit', durable, true);
    UPDATE crawls SET state = CASE WHEN batch ? 'error' THEN 'failed' ELSE 'done' END, error = batch->>'error', ended = moment
      WHERE id = lease_crawl RETURNING * INTO job;
    INSERT INTO events (id, kind, subject, period, threshold, workspace, data, at) SELECT batch->>'event', 'crawl.done', job.id, 0, 0, w.id,
      jsonb_build_object('pages', job.pages, 'skipped', job.skipped, 'outcome',
        CASE WHEN batch ? 'error' THEN 'failed' WHEN job.skipped > 0 THEN 'partial' ELSE 'ok' END)::text, moment
      FROM (SELECT 1) one LEFT JOIN workspaces w ON w.id = job.workspace ON CONFLICT DO NOTHING;
  END IF;
  RETURN job.state;
END $function$;
`,
};
