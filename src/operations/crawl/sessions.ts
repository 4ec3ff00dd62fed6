import type { Clock } from '../../core/clock.ts';
import { newNonce } from '../../core/ids.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { WalkState } from './walk-state.ts';

/** Walks that can go on: kept in memory for a while, a bounded number of them, each for who began it. */
export interface CrawlSessions {
  keep(owner: string, state: WalkState): string;
  take(owner: string, cursor: string): WalkState;
}

export function createCrawlSessions({ clock }: { clock: Clock }): CrawlSessions {
  const kept = new Map<string, { owner: string; state: WalkState; until: number }>();
  return {
    keep: (owner, state) => {
      const cursor = newNonce();
      kept.set(cursor, { owner, state, until: clock.now() + LIMITS.crawlSessionMs });
      const oldest = kept.keys().next().value;
      if (kept.size > LIMITS.crawlSessionsMax && oldest !== undefined) kept.delete(oldest);
      return cursor;
    },
    take: (owner, cursor) => {
      const session = kept.get(cursor);
      if (session === undefined || session.owner !== owner || session.until < clock.now()) {
        throw new HeadgateError('not_found', 'cursor: this crawl is no longer remembered.', {
          remediation: 'Start it again without a cursor.',
        });
      }
      kept.delete(cursor);
      return session.state;
    },
  };
}
