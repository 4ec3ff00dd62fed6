import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import type { Database } from '../store/database.ts';
import { textColumn } from '../store/rows.ts';
import { LOCAL } from './tiers.ts';

/** A workspace never changes its subscription, so lookups are cached; concurrent lookups share one query. */
export function createSubscriptionFinder(database: Database, clock: Clock) {
  const known = new Map<string, string | Promise<string>>();
  const find = async (workspace: string): Promise<string> => {
    const [row] = await database.read('SELECT subscription FROM workspaces WHERE id = ?', workspace);
    if (row !== undefined) return textColumn(row, 'subscription');
    throw new HeadgateError('not_found', own`There is no workspace ${named(workspace)}.`, {
      remediation: 'Create it with `headgate workspace create`.',
    });
  };
  const ensureLocal = async (): Promise<string> => {
    await database.write([
      {
        sql: `INSERT INTO subscriptions (id, name, tier, created) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
        values: [LOCAL, 'This machine', LOCAL, clock.now()],
      },
    ]);
    return LOCAL;
  };
  return (workspace: string | undefined): string | Promise<string> => {
    const id = workspace ?? '';
    const before = known.get(id);
    if (before !== undefined) return before;
    if (known.size >= LIMITS.cacheEntriesMax) known.clear();
    const found = workspace === undefined ? ensureLocal() : find(workspace);
    known.set(id, found);
    // Only successful lookups are cached.
    found.then(
      (subscription) => known.set(id, subscription),
      () => known.delete(id),
    );
    return found;
  };
}
