import type { Call } from '../../core/call.ts';
import type { Clock } from '../../core/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import { callNonce } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import { canonicalUrl } from '../../core/url.ts';
import type { CrawlStore } from '../../store/crawl-sessions.ts';

/** Crawls that can be continued: stored for a while, bounded, and only for their caller. */
export interface CrawlSessions {
  keep(owner: string, state: WalkState): Promise<string>;
  take(owner: string, cursor: string): Promise<WalkState>;
  /** Reports a crawl that is over, where there is a store. */
  finish(call: Pick<Call, 'requestId' | 'caller'>, data: object): Promise<void>;
}

/** Stored in the database, where every gateway finds them, or in memory if there is none. */
export function createCrawlSessions({
  clock,
  store,
}: {
  clock: Clock;
  store?: CrawlStore | undefined;
}): CrawlSessions {
  const kept = store ?? createMemory();
  return {
    keep: async (owner, state) => {
      const id = callNonce();
      const now = clock.now();
      const walk = { id, workspace: owner, state: write(state), expires: now + LIMITS.crawlSessionMs };
      await kept.insert(walk, { now, keepMax: LIMITS.crawlSessionsMax });
      return id;
    },
    take: async (owner, cursor) => {
      const state = await kept.take(owner, cursor, clock.now());
      if (state !== undefined) return read(state);
      throw new HeadgateError('not_found', 'cursor: this crawl has expired.', {
        remediation: 'Start it again without a cursor.',
      });
    },
    finish: ({ requestId: request, caller: { workspace } }, data) =>
      kept.finish({ request, workspace, data }, clock.now()),
  };
}

function createMemory(): CrawlStore {
  const walks = new Map<string, Parameters<CrawlStore['insert']>[0]>();
  return {
    insert: async (walk, { keepMax }) => {
      walks.set(walk.id, walk);
      const oldest = walks.keys().next().value;
      if (walks.size > keepMax && oldest !== undefined) walks.delete(oldest);
    },
    take: async (workspace, id, now) => {
      const walk = walks.get(id);
      if (walk === undefined || walk.workspace !== workspace) return undefined;
      walks.delete(id);
      return walk.expires < now ? undefined : walk.state;
    },
    finish: async () => undefined,
  };
}

/** The visited set is derived from what was found. */
const write = ({ queue, found }: WalkState): string => JSON.stringify({ queue, found });

function read(text: string): WalkState {
  const { queue, found } = JSON.parse(text) as { queue: Step[]; found: string[] };
  return { queue, found, seen: new Set(found.map(canonicalUrl)) };
}

/** A page to visit. */
export interface Step {
  url: string;
  depth: number;
}

/** The state of a crawl, sufficient to continue it later. */
export interface WalkState {
  queue: Step[];
  seen: Set<string>;
  /** Every address found, in order. */
  found: string[];
}
