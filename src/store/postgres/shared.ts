import type { Clock } from '../../core/clock.ts';
import type { Logger } from '../../core/log.ts';
import { createMemoryShared, createNames, SHARED_LIMITS } from '../../core/shared.ts';
import type { Mark, PacedTurn, Refused, Shared } from '../../core/shared.ts';
import type { Database } from '../database.ts';
import { unavailable } from '../ledger/batch-queue.ts';
import { createLeasedWindows } from './leased-windows.ts';
import { createSharedLink, type Ask, type Seen, type SharedLink } from './shared-link.ts';

export interface PostgresSharedOptions {
  url: string;
  database: Pick<Database, 'read'>;
  clock: Clock;
  log: Logger;
  /** While PostgreSQL cannot be reached: refuse what is not leased, or let each gateway admit its share. */
  onLoss: 'closed' | 'share';
}

/** The state that all gateways on one PostgreSQL share. Nothing is opened before the first call. */
export function createPostgresShared(options: PostgresSharedOptions): Shared {
  const { clock, onLoss } = options;
  const local = createMemoryShared({ clock });
  const marks = createSharedMarks(clock, () => link.hurry());
  /** Names of leases that are held here, and renewed with every reading. */
  const leases = new Set<string>();
  const link: SharedLink = createSharedLink({
    ...options,
    beforeReading: () => [
      ...marks.unsaved(),
      ...[...leases].map((name) => leaseAsk(name, link)),
      ...windows.spent(),
    ],
    emptied: (at) => windows.emptied(link.local(at).earliest),
    seen: (seen) => {
      marks.seen(seen);
      windows.wanted(seen.marks.map(([name]) => name));
    },
  });
  const windows = createLeasedWindows({ clock, link });
  const share = (): number => Math.max(1, link.status.gateways);
  /** Without the database a gateway decides alone, or not at all. */
  const alone = async <Result>(decide: () => Promise<Result>): Promise<Result> => {
    if (onLoss === 'closed') throw unavailable('PostgreSQL cannot be reached');
    return decide();
  };
  return {
    take: async (name, window, isPeek = false) => {
      const answer = await windows.take(name, window, isPeek);
      if (answer !== 'lost') {
        // What this gateway admitted counts against its share, should the database be lost.
        if (onLoss === 'share' && answer === undefined && !isPeek) await local.take(name, window);
        return answer;
      }
      const requests = Math.floor(window.requests / share());
      return alone(async () => {
        const refused = await local.take(name, { ...window, requests }, isPeek);
        if (refused === undefined && !isPeek) windows.owe(name);
        return refused;
      });
    },
    turn: async (name, intervalMs, withinMs, aheadMs = 0) => {
      const turn = await turnOf(name, intervalMs, { withinMs, aheadMs }, link);
      return turn === 'lost' ? alone(() => local.turn(name, intervalMs * share(), withinMs)) : turn;
    },
    begin: async (name, intervalMs) => {
      const stepMs = intervalMs + SHARED_LIMITS.writtenMsMax;
      const row = `written ${name}`;
      const asked = await asking(link, { kind: 'turn', name: row, stepMs, withinMs: 0, aheadMs: 0 });
      if (asked === 'lost') return alone(() => local.begin(name, intervalMs));
      if (asked.retryAfterMs !== undefined) return { retryAfterMs: asked.retryAfterMs };
      let isWritten = false;
      return () => {
        if (!isWritten) void asking(link, { kind: 'mark', name: row, forMs: intervalMs, value: {} });
        isWritten = true;
      };
    },
    lease: async (name) => {
      if (leases.has(name)) return undefined;
      const asked = await asking(link, leaseAsk(name, link));
      if (asked === 'lost') return onLoss === 'closed' ? undefined : local.lease(name);
      if (asked.retryAfterMs !== undefined) return undefined;
      leases.add(name);
      return () => {
        if (leases.delete(name)) link.ask({ ...leaseAsk(name, link), free: true }).catch(() => undefined);
      };
    },
    mark: marks.set,
    marked: marks.get,
    status: () => {
      const { gateways, operations, isLost } = link.status;
      return { gateways, operations, state: isLost ? 'lost' : 'shared' };
    },
    close: () =>
      link.close([
        ...windows.spent(true),
        ...[...leases].map((name) => ({ ...leaseAsk(name, link), free: true })),
      ]),
  };
}

async function turnOf(
  name: string,
  intervalMs: number,
  when: { withinMs: number; aheadMs: number },
  link: SharedLink,
): Promise<PacedTurn | Refused | 'lost'> {
  const slackMs = slackOf(intervalMs);
  const ask = { kind: 'turn', name: `turn ${name}`, stepMs: intervalMs + slackMs } as const;
  const asked = await asking(link, { ...ask, ...when });
  if (asked === 'lost') return asked;
  const { turn, retryAfterMs = 0 } = asked;
  if (turn === undefined) return { retryAfterMs: Math.ceil(retryAfterMs) };
  const { earliest, latest } = link.local(turn);
  return {
    at: latest,
    by: Math.max(earliest + slackMs, latest + 1),
    giveBack: () => void asking(link, { ...ask, ...when, back: turn }),
  };
}

/** How late a turn may be used; the turns are that much further apart, so that requests are never closer than the interval. */
const slackOf = (intervalMs: number): number =>
  Math.min(
    SHARED_LIMITS.turnSlackMsMax,
    Math.max(Math.min(SHARED_LIMITS.turnSlackMsMin, intervalMs / 2), intervalMs * SHARED_LIMITS.turnSlack),
  );

const leaseAsk = (name: string, { status }: SharedLink): Ask => ({
  kind: 'lease',
  name: `lease ${name}`,
  holder: status.id,
  leaseMs: SHARED_LIMITS.leaseMs,
});

const asking = (link: SharedLink, ask: Ask) => link.ask(ask).catch((): 'lost' => 'lost');

/** Marks as all gateways see them. One that was set here holds at once, and is sent until it has arrived. */
function createSharedMarks(clock: Clock, hurry: () => void) {
  let known = new Map<string, Mark>();
  const unsaved = createNames<Mark | undefined>();
  let sending: [string, Mark | undefined][] = [];
  let emptied: number | undefined;
  return {
    set: (name: string, mark: Mark | undefined): void => {
      unsaved.set(name, mark);
      if (mark === undefined) known.delete(name);
      else known.set(name, mark);
      hurry();
    },
    get: (name: string): Mark | undefined => {
      const mark = known.get(name);
      return mark !== undefined && mark.endsAt > clock.monotonic() ? mark : undefined;
    },
    unsaved: (): Ask[] => {
      sending = [...unsaved.entries()];
      return sending.map(([name, mark]) => ({
        kind: 'mark',
        name: `mark ${name}`,
        forMs: mark === undefined ? 0 : Math.max(0, mark.endsAt - clock.monotonic()),
        value: mark?.value ?? {},
      }));
    },
    seen: (seen: Seen): void => {
      // Everything that was sent has arrived, unless it was changed meanwhile.
      for (const [name, mark] of sending) if (unsaved.get(name) === mark) unsaved.delete(name);
      sending = [];
      const isEmptied = emptied !== undefined && seen.emptied !== emptied;
      emptied = seen.emptied;
      const before = known;
      const now = clock.monotonic();
      known = new Map(
        seen.marks.flatMap(([name, leftMs, value]) =>
          name.startsWith('mark ') ? [[name.slice(5), { endsAt: now + leftMs, value }] as const] : [],
        ),
      );
      // The server has lost them in a crash: who knows them tells it again.
      if (isEmptied) for (const [name, mark] of before) if (!known.has(name)) unsaved.set(name, mark);
      for (const [name, mark] of unsaved.entries()) if (mark !== undefined) known.set(name, mark);
    },
  };
}
