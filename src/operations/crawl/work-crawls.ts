import type { CrawlJobInput } from '../../contract/crawl.ts';
import { CRAWL_JOB_LIMITS } from '../../core/crawl-job.ts';
import { HeadgateError } from '../../core/errors.ts';
import { newNonce } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import { onAbort } from '../../core/on-abort.ts';
import { own } from '../../core/own-text.ts';
import type { OwnText } from '../../core/text.ts';
import type { FetchOptions, GuardedFetch } from '../../net/fetch.ts';
import type { Robots } from '../../net/robots.ts';
import { createSlots, type Slots } from '../../net/slots.ts';
import type { Ctx } from '../../routing/services.ts';
import type { CrawlFrontier, HostBatch, HostLease } from '../../store/crawl-frontier.ts';
import { readPage, type ReadPage } from '../extract/read.ts';
import { createRobotsBook, fetchRobots, type RobotsFile } from '../extract/robots.ts';
import { gated } from '../gated.ts';
import { createCall } from '../perform.ts';
import type { Services } from '../services.ts';
import { toFrontier } from './crawl-job.ts';
import { createScope } from './scope.ts';

interface Worker {
  /** Names this process in leases. */
  owner: string;
  frontier: CrawlFrontier;
  services: Services;
  slots: Slots;
  /** How many hosts wait for a slot. */
  waiting: number;
  /** Batches wait for each other at the row of their crawl anyway; here they do so without a connection that calls need. */
  writes: Slots;
  leaseMs: number;
  signal: AbortSignal;
}

/** A host that this gateway holds. */
interface Held {
  lease: HostLease;
  /** When the lease ends unless it is renewed, by the monotonic clock. */
  endsAt: number;
}

type LeasedPage = HostLease['pages'][number];

/**
 * Takes part in every crawl that runs in the background, until the signal fires. A gateway holds a few hosts at a time and reads one page of each
 * at a time, so that the gap between two requests to a host is never below its delay; hosts that it does not hold are read by others.
 */
export async function workCrawlsUntil(
  signal: AbortSignal,
  services: Services,
  {
    leaseMs = CRAWL_JOB_LIMITS.leaseMs,
    hostsMax = CRAWL_JOB_LIMITS.hostsMax,
    readsMax = LIMITS.crawlConcurrencyMax,
  }: { leaseMs?: number; hostsMax?: number; readsMax?: number } = {},
): Promise<void> {
  const { frontier, clock, log } = services;
  if (frontier === undefined) return;
  const { claimedLookMs, lookMs, lookMsMax, idleLookMsMax, claimMax } = CRAWL_JOB_LIMITS;
  const slots = createSlots({ max: readsMax, queueMax: hostsMax });
  const writes = createSlots({ max: 1, queueMax: hostsMax });
  const owner = newNonce();
  const worker: Worker = { owner, frontier, services, slots, waiting: 0, writes, leaseMs, signal };
  const held = new Map<Held, Promise<unknown>>();
  let wake = new AbortController();
  const stopListening = onAbort(signal, () => wake.abort());
  const claim = async (): Promise<number> => {
    const free = Math.min(claimMax, hostsMax - held.size);
    // While a host waits for a slot, another one would only wait too.
    if (free === 0 || worker.waiting > 0) return 0;
    const endsAt = clock.monotonic() + leaseMs;
    const leases = await frontier.claim(owner, leaseMs, free);
    for (const lease of leases) {
      const host: Held = { lease, endsAt };
      const working = workHost(host, worker).finally(() => {
        held.delete(host);
        wake.abort();
      });
      held.set(host, working);
    }
    return leases.length;
  };
  const caring = care(worker, held);
  for (let restMs: number = lookMs; !signal.aborted;) {
    const claimed = await claim().catch((thrown: unknown) => {
      log.warn('crawl_claim_failed', { cause: thrown });
      return 0;
    });
    const longest = held.size > 0 ? lookMsMax : idleLookMsMax;
    restMs = claimed > 0 ? claimedLookMs : Math.min(longest, Math.max(lookMs, 2 * restMs));
    wake = new AbortController();
    if (!signal.aborted) await clock.sleep(restMs, wake.signal).catch(() => undefined);
    // A host that was given back is due again after its delay.
    if (wake.signal.aborted) restMs = lookMs / 2;
  }
  stopListening();
  await Promise.all(held.values());
  await caring;
}

/** Renews the leases, and now and then removes what has expired. */
async function care(worker: Worker, held: Map<Held, unknown>): Promise<void> {
  const { frontier, owner, leaseMs, signal, services } = worker;
  const { clock, log } = services;
  const renew = async (hosts: Held[]): Promise<void> => {
    if (hosts.length === 0) return;
    const from = clock.monotonic();
    const leases = hosts.map(({ lease }) => lease);
    const renewed = new Set((await frontier.renew(owner, leases, leaseMs)).map(nameOf));
    for (const host of hosts) if (renewed.has(nameOf(host.lease))) host.endsAt = from + leaseMs;
  };
  let pruneAt = clock.monotonic() + CRAWL_JOB_LIMITS.pruneMs;
  // Also while the last batches are written after a stop.
  while (!signal.aborted || held.size > 0) {
    const pauseMs = Math.min(CRAWL_JOB_LIMITS.renewMs, leaseMs / 3);
    await clock.sleep(pauseMs, signal.aborted ? undefined : signal).catch(() => undefined);
    try {
      await renew([...held.keys()]);
      if (clock.monotonic() < pruneAt) continue;
      pruneAt = clock.monotonic() + CRAWL_JOB_LIMITS.pruneMs;
      await frontier.prune();
    } catch (thrown) {
      log.warn('crawl_leases_not_renewed', { cause: thrown });
    }
  }
}

const nameOf = ({ crawl, host }: Pick<HostLease, 'crawl' | 'host'>): string => `${crawl} ${host}`;

/** Reads a batch of pages of a host, writes it, and releases the host. Never rejects. */
async function workHost(host: Held, worker: Worker): Promise<void> {
  const { lease } = host;
  const { services, signal } = worker;
  const call = createCall(services, {
    timeoutMs: CRAWL_JOB_LIMITS.batchTimeoutMs,
    surface: 'http',
    caller: lease.caller,
    signal,
  });
  const input = JSON.parse(lease.input) as CrawlJobInput;
  const batch: HostBatch = {
    pages: [],
    unread: lease.pages.map(({ hash }) => hash),
    links: [],
    breadth: input.max_breadth,
    pauseMs: 0,
  };
  try {
    // The rules as they are now; whether it may crawl at all was checked when it started.
    const { ctx } = await gated('crawl', input, { call, services }, true);
    await readBatch(host, batch, input, ctx, worker);
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    batch.pauseMs = CRAWL_JOB_LIMITS.failedPauseMs;
    if (error.code === 'policy_denied') batch.error = error.message;
    // A gateway that stops, or has lost its store, leaves the pages to others.
    else if (!isOurs(error)) {
      services.log.error('crawl_batch_failed', { crawl: lease.crawl, cause: thrown });
      const unread = lease.pages.filter(({ hash }) => batch.unread.includes(hash));
      for (const page of unread) settle(batch, page, skippedFor(error.message), false);
    }
  } finally {
    call.end();
  }
  await writeBatch(host, batch, worker);
}

async function readBatch(
  host: Held,
  batch: HostBatch,
  input: CrawlJobInput,
  ctx: Ctx<Services>,
  worker: Worker,
): Promise<void> {
  const { lease } = host;
  const { clock } = ctx.services;
  const { batchMs, batchChars } = CRAWL_JOB_LIMITS;
  const scope = createScope(input);
  const web = createHostWeb(host, ctx, worker);
  const robots = await learnRobots(host, web.ctx, worker);
  const began = clock.monotonic();
  for (const page of lease.pages) {
    const refusal = refusalOf(page, robots, ctx);
    if (refusal !== undefined) {
      settle(batch, page, skippedFor(refusal), false);
      continue;
    }
    if (charsOf(batch) > batchChars || (batch.pages.length > 0 && web.nextAt() - began > batchMs)) break;
    try {
      const readOnce = async () => readPage(page.url, web.politeTo(page), { links: 'all', robots });
      // A gateway that is short of processor time runs out of time for a page that is good; with it, all pages below it would be lost.
      const read = await readOnce().catch(async (thrown: unknown) => {
        if (HeadgateError.from(thrown).code !== 'extract_failed') throw thrown;
        return readOnce();
      });
      const at = new Date(clock.now()).toISOString();
      settle(batch, page, { ...resultOf(read, input), read_at: at }, true);
      if (page.depth < input.max_depth) batch.links.push(...linksOf(read, page, scope.select));
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      if (isOurs(error) || isFull(error)) throw error;
      settle(batch, page, skippedFor(error.message), false);
    }
  }
  batch.pauseMs = Math.max(0, Math.ceil(web.nextAt() - clock.monotonic()));
}

/** The web for the pages of one host. What the workspace of a crawl asks for meanwhile does not queue behind the crawl. */
function createHostWeb(host: Held, ctx: Ctx<Services>, worker: Worker) {
  const { lease } = host;
  const { clock, pace, fetch } = ctx.services;
  const { signal } = ctx.call;
  let endedAt: number | undefined;
  /** Until when requests may go out without another turn. */
  let turnsTo = -Infinity;
  let sentAt = Infinity;
  const nextAt = (): number => (endedAt === undefined ? clock.monotonic() : endedAt + lease.delayMs);
  const send: GuardedFetch = async (url, options) =>
    fetch(url, { ...options, caller: `crawl ${lease.host}` }).finally(() => {
      // From the end of a request: the time that it takes to connect cannot bring two of them closer.
      endedAt = clock.monotonic();
    });
  /** What `POST /crawl` asks of the host takes turns with this, for several pages at once while the pace is quick. */
  const takeTurns = async (url: string, pages: number): Promise<void> => {
    const now = clock.monotonic();
    if (now <= turnsTo) return;
    const pageMs = Math.max(lease.delayMs, now - sentAt);
    const wantedMs = (pages - 1) * pageMs + lease.delayMs;
    const turnsMs = Math.max(lease.delayMs, Math.min(CRAWL_JOB_LIMITS.turnsMs, wantedMs));
    await pace.wait(`crawl:${new URL(url).host}`, turnsMs, signal);
    turnsTo = clock.monotonic() + turnsMs - lease.delayMs;
  };
  const sendPolitely = async (page: LeasedPage, options: FetchOptions) => {
    await clock.sleep(Math.max(0, nextAt() - clock.monotonic()), signal);
    // A slot is free again before the text of the page is extracted.
    const free = await takeSlot(worker, signal);
    try {
      await takeTurns(page.url, lease.pages.length - lease.pages.indexOf(page));
      // Whoever has been slow enough to lose the host must not send anything to it.
      if (clock.monotonic() >= host.endsAt)
        throw new HeadgateError('cancelled', 'Another gateway has taken the host over.');
      sentAt = clock.monotonic();
      return await send(page.url, options);
    } finally {
      free();
    }
  };
  const withFetch = (by: GuardedFetch): Ctx<Services> => ({
    ...ctx,
    services: { ...ctx.services, fetch: by },
  });
  return {
    nextAt,
    ctx: withFetch(send),
    /** Only the page itself waits for its turn; a robots.txt that it needs on the way does not. */
    politeTo: (page: LeasedPage) =>
      withFetch(async (url, options) =>
        url === page.url ? sendPolitely(page, options) : send(url, options),
      ),
  };
}

async function takeSlot(worker: Worker, signal: AbortSignal): Promise<() => void> {
  worker.waiting += 1;
  return worker.slots.take('', signal).finally(() => {
    worker.waiting -= 1;
  });
}

/** The robots.txt that all gateways know, or that this one reads for them. */
async function learnRobots({ lease }: Held, ctx: Ctx<Services>, worker: Worker): Promise<Robots> {
  const { frontier, owner, leaseMs } = worker;
  const ask = async (): Promise<RobotsFile> => {
    const free = await takeSlot(worker, ctx.call.signal);
    return fetchRobots(lease.host, ctx).finally(free);
  };
  const file = lease.robots === null ? await ask() : { text: lease.robots, isFinal: true };
  const rules = await createRobotsBook(ctx, async () => file)(new URL(lease.host));
  lease.delayMs = Math.max(LIMITS.crawlPaceMs, rules.crawlDelayMs);
  // It is written with the batch. Only a delay that is longer than the lease must be known at once, should this gateway die.
  if (file.isFinal) lease.robots = file.text;
  if (lease.delayMs > leaseMs) await frontier.renew(owner, [lease], leaseMs);
  return rules;
}

/** Why a page is not asked for. */
function refusalOf({ url, tries }: LeasedPage, robots: Robots, { call }: Ctx): OwnText | undefined {
  if (tries > CRAWL_JOB_LIMITS.triesMax) return own`The gateways that tried to read it stopped.`;
  const { pathname, search } = new URL(url);
  return call.gate?.reading?.robots?.value === 'off' || robots.allows(pathname + search)
    ? undefined
    : own`robots.txt does not allow it`;
}

const resultOf = (page: ReadPage, { format }: CrawlJobInput): object => ({
  title: page.title,
  raw_content: format === 'text' ? page.text : page.markdown,
  outcome: page.quality,
  ...(page.reason === undefined ? {} : { reason: page.reason }),
  ...(page.publishedDate === undefined ? {} : { published_date: page.publishedDate }),
  ...(page.usage === undefined ? {} : { usage: page.usage }),
});

const skippedFor = (reason: OwnText): object => ({ outcome: 'skipped', reason });

function settle(batch: HostBatch, page: LeasedPage, result: object, isRead: boolean): void {
  const { hash, url, depth } = page;
  batch.unread = batch.unread.filter((one) => one !== hash);
  const line = JSON.stringify({ url, depth, ...result, trust: 'untrusted_web' });
  batch.pages.push({ hash, line, isRead });
}

const charsOf = ({ pages }: HostBatch): number => pages.reduce((sum, { line }) => sum + line.length, 0);

const linksOf = (
  page: ReadPage,
  { hash, depth }: LeasedPage,
  select: (links: string[]) => string[],
): HostBatch['links'] =>
  select(page.links.map(({ url }) => url))
    .filter((url) => url.length <= LIMITS.urlCharsMax)
    .map((url) => ({ ...toFrontier(url, depth + 1), from: hash }));

/** Failures that say nothing about the page. */
const isOurs = ({ code }: HeadgateError): boolean =>
  code === 'cancelled' || code === 'storage_unavailable' || code === 'rate_limited';

/** The rules allow no more pages. */
const isFull = ({ code, data }: HeadgateError): boolean =>
  code === 'policy_denied' && String(data['rule']).endsWith('.max_pages');

const NEVER = new AbortController().signal;

/** Tries again while the host is held; after that another gateway reads the pages again. */
async function writeBatch(host: Held, batch: HostBatch, worker: Worker): Promise<void> {
  const { frontier, owner, services, writes } = worker;
  const { clock, log } = services;
  for (let waitMs = 100; ; waitMs *= 2) {
    const free = await writes.take('', NEVER);
    try {
      return await frontier.finish(owner, host.lease, batch);
    } catch (thrown) {
      const isOver = clock.monotonic() + waitMs >= host.endsAt;
      log.warn('crawl_batch_not_written', { crawl: host.lease.crawl, isOver, cause: thrown });
      if (isOver) return;
    } finally {
      free();
    }
    await clock.sleep(waitMs);
  }
}
