import type { Clock } from '../../core/clock.ts';
import { newNonce } from '../../core/ids.ts';
import type { Logger } from '../../core/log.ts';
import { SHARED_LIMITS } from '../../core/shared.ts';
import type { Database } from '../database.ts';
import { unavailable } from '../ledger/batch-queue.ts';
import { postgresError } from './errors.ts';
import { createPostgresPool, type PostgresPool } from './pool.ts';

/** One question to `headgate_share`; rows are locked in the order of names. */
export interface Ask {
  kind: 'take' | 'turn' | 'lease' | 'mark';
  name: string;
  [field: string]: unknown;
}

/** The answer, and when the question was sent and the answer heard, in monotonic time. */
interface Shares {
  granted?: number;
  turn?: number;
  retryAfterMs?: number;
  sentAt: number;
}

/** What all gateways see, read about four times per second. */
export interface Seen {
  /** Marks by name, with the time they have left. */
  marks: [name: string, leftMs: number, value: object][];
  /** When the table was last found empty; 0 if never. */
  emptied: number;
}

export interface SharedLinkOptions {
  url: string;
  /** Makes the tables when it is first used. */
  database: Pick<Database, 'read'>;
  clock: Clock;
  log: Logger;
  /** Called before each reading, for what is to be sent with it. */
  beforeReading(): Ask[];
  /** A crash has emptied the table at this time of the server. True when nothing that was leased before is used after it. */
  emptied(at: number): boolean;
  seen(seen: Seen): void;
}

interface Reply extends Partial<Seen> {
  now: number;
  emptied: number;
  gateways?: number;
  answers: Omit<Shares, 'sentAt'>[];
}

export type SharedLink = ReturnType<typeof createSharedLink>;

/**
 * The connection of one gateway to the shared state: one statement at a time, with everything that was asked meanwhile. It has
 * a connection of its own, so that limits never wait for the ledger. After a failure nothing is asked until a reading succeeds.
 */
export function createSharedLink(options: SharedLinkOptions) {
  const { clock, log } = options;
  const id = newNonce();
  const status = { id, gateways: 1, operations: 0, isLost: false };
  const server = createServerLink(options);
  let waiting: { ask: Ask; resolve(answer: Shares): void; reject(cause: unknown): void }[] = [];
  let running: Promise<void> | undefined;
  let readAt = -Infinity;
  let isClosed = false;
  const crash = createCrashWatch(options);
  const flush = async (): Promise<void> => {
    const reads = clock.monotonic() - readAt >= SHARED_LIMITS.readMs;
    const batch = waiting.splice(0, SHARED_LIMITS.batchMax);
    const own = reads && !isClosed ? [heartbeat(id, crash.standing()), ...options.beforeReading()] : [];
    const asks = [...batch.map(({ ask }) => ask), ...own];
    const order = asks.map((_, index) => index).sort((a, b) => compare(asks[a]?.name, asks[b]?.name));
    if (reads) readAt = clock.monotonic();
    try {
      status.operations += 1;
      const { reply, sentAt } = await server.send(
        order.map((index) => asks[index] as Ask),
        reads,
      );
      if (status.isLost) log.warn('shared_state_back', {});
      status.isLost = false;
      if (reply.gateways !== undefined) {
        crash.seen(reply.emptied, status.gateways);
        status.gateways = Math.max(1, reply.gateways);
      }
      if (reply.marks !== undefined) options.seen({ marks: reply.marks, emptied: reply.emptied });
      for (const [place, index] of order.entries())
        batch[index]?.resolve({ ...reply.answers[place], sentAt });
    } catch (thrown) {
      const error = postgresError(thrown);
      if (!status.isLost) log.warn('shared_state_lost', { cause: error });
      status.isLost = true;
      for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error);
    }
  };
  const run = (): Promise<void> => {
    running ??= Promise.resolve()
      .then(flush)
      .finally(() => {
        running = undefined;
        if (waiting.length > 0) void run();
      });
    return running;
  };
  /** Reads for as long as the gateway lives, without keeping its process alive. */
  const readOn = (): void => {
    if (isClosed) return;
    if (clock.monotonic() - readAt >= SHARED_LIMITS.readMs) void run();
    clock.after(SHARED_LIMITS.readMs / 2, readOn);
  };
  let isReading = false;
  return {
    status,
    ask: (ask: Ask): Promise<Shares> => {
      if (status.isLost || waiting.length >= SHARED_LIMITS.namesMax)
        return Promise.reject(unavailable('PostgreSQL cannot be reached'));
      if (!isReading) clock.after(SHARED_LIMITS.readMs / 2, readOn);
      isReading = true;
      return new Promise((resolve, reject) => {
        waiting.push({ ask, resolve, reject });
        void run();
      });
    },
    /** Reads soon, because there is something to send with it. */
    hurry: () => {
      readAt = -Infinity;
      if (isReading && !status.isLost) void run();
    },
    local: server.local,
    /** Sends the last questions and disconnects. */
    close: async (last: Ask[]) => {
      await running;
      isClosed = true;
      await server.close(status.isLost ? [] : sorted([...last, heartbeat(id, undefined, -HEARD_MS)]));
    },
  };
}

/** What a gateway tells the others after a crash: how many gateways there were, and that it holds nothing from before. */
function createCrashWatch({ emptied }: Pick<SharedLinkOptions, 'emptied'>) {
  let last: number | undefined;
  let standing: { peers: number; since: number } | undefined;
  return {
    standing: () => standing,
    seen: (since: number, peers: number): void => {
      if (last !== undefined && last !== since) standing = emptied(since) ? { peers, since } : undefined;
      last = since;
    },
  };
}

/** The connection itself, and what its answers tell about the server's clock. */
function createServerLink({ url, database, clock, log }: SharedLinkOptions) {
  let pool: Promise<PostgresPool> | undefined;
  /** By how much monotonic time is ahead of the server's clock: at least `low`, at most `high`. */
  let offset = { low: -Infinity, high: Infinity, at: -Infinity };
  const open = async (): Promise<PostgresPool> => {
    await database.read('SELECT 1 AS ready');
    return createPostgresPool(url, (cause) => log.warn('store_connection_lost', { cause }), 1);
  };
  const send = async (asks: Ask[], reads: boolean): Promise<{ reply: Reply; sentAt: number }> => {
    pool ??= open().catch((thrown: unknown) => {
      pool = undefined;
      throw thrown;
    });
    const connected = await pool;
    return connected.use(async (connection) => {
      const sentAt = clock.monotonic();
      const { rows } = await connection.query({
        name: 'share',
        text: 'SELECT headgate_share($1::jsonb, $2::boolean) AS reply',
        values: [JSON.stringify(asks), String(reads)],
      });
      const heardAt = clock.monotonic();
      const { reply } = rows[0] as { reply: Reply };
      if (heardAt - sentAt <= offset.high - offset.low || sentAt - offset.at > OFFSET_MS)
        offset = { low: sentAt - reply.now, high: heardAt - reply.now, at: sentAt };
      return { reply, sentAt };
    });
  };
  return {
    send,
    /** A time of the server in the monotonic time of this process: no earlier than, no later than. */
    local: (time: number) => ({ earliest: time + offset.low, latest: time + offset.high }),
    /** Sends the last questions, if it was ever connected, and disconnects. */
    close: async (last: Ask[]): Promise<void> => {
      const connected = await pool?.catch(() => undefined);
      if (connected === undefined) return;
      if (last.length > 0) await send(last, false).catch(() => undefined);
      await connected.end();
    },
  };
}

/** An older sample of the server's clock gives way to any newer one: clocks drift apart. */
const OFFSET_MS = 10_000;

/** Gateways that were heard of within a minute are counted. */
const HEARD_MS = 60_000;

const heartbeat = (id: string, value: object = {}, forMs: number = SHARED_LIMITS.leaseMs): Ask => ({
  kind: 'mark',
  name: `gateway ${id}`,
  forMs,
  value,
});

const compare = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);

const sorted = (asks: Ask[]): Ask[] => asks.sort((a, b) => compare(a.name, b.name));
