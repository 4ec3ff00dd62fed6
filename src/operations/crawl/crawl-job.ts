import { createHash } from 'node:crypto';
import { crawlJobContract, type CrawlJobInput, type CrawlJobOutput } from '../../contract/crawl.ts';
import type { Call } from '../../core/call.ts';
import { CRAWL_JOB_LIMITS } from '../../core/crawl-job.ts';
import { HeadgateError } from '../../core/errors.ts';
import { newNonce } from '../../core/ids.ts';
import { named } from '../../core/own-text.ts';
import { canonicalUrl } from '../../core/url.ts';
import { checkUrl, createGuardPolicy } from '../../net/guard.ts';
import type { Ctx } from '../../routing/services.ts';
import type { CrawlFrontier, CrawlJobRow, FrontierPage } from '../../store/crawl-frontier.ts';
import { callerOf } from '../extract/robots.ts';
import { defineOperation } from '../operation.ts';
import type { Services } from '../services.ts';
import { createScope } from './scope.ts';

/** Starts a crawl in the background, which all gateways of the store work on. */
export const crawlJob = defineOperation({
  contract: crawlJobContract,
  scope: 'crawl',
  webTools: ['fetch'],
  run: startJob,
});

async function startJob(input: CrawlJobInput, { call, services }: Ctx<Services>): Promise<CrawlJobOutput> {
  const frontier = frontierOf(services);
  const policy = createGuardPolicy(services.config.guard);
  const { start } = createScope(input, policy);
  call.gate?.check({ kind: 'fetch', url: checkUrl(start.href, policy).url });
  const { workspace, agent, key, person, policy: narrowed } = call.caller;
  const id = `crawl_${newNonce()}`;
  const isStarted = await frontier.start({
    id,
    workspace: callerOf(call),
    caller: {
      ...(workspace === undefined ? {} : { workspace }),
      ...(agent === undefined ? {} : { agent }),
      ...(key === undefined ? {} : { key }),
      ...(person === undefined ? {} : { person }),
      ...(narrowed === undefined ? {} : { policy: narrowed }),
      grant: 'all',
    },
    input: JSON.stringify(input),
    pagesMax: input.limit,
    toLibrary: input.library,
    first: toFrontier(start.href, 0),
  });
  if (!isStarted)
    throw new HeadgateError('limit_reached', `${CRAWL_JOB_LIMITS.runningMax} crawls are running already.`, {
      remediation: 'Wait until one of them is done, or cancel it.',
    });
  return jobOf(id, call, services);
}

/** A crawl of the caller's workspace. */
export async function jobOf(id: string, call: Call, services: Services): Promise<CrawlJobOutput> {
  const job = await frontierOf(services).find(callerOf(call), id);
  if (job !== undefined) return toOutput(job);
  throw new HeadgateError('not_found', 'There is no such crawl, or it has expired.', {
    remediation: 'Results are kept for a week; start the crawl again.',
  });
}

export const listJobs = async (call: Call, services: Services): Promise<CrawlJobOutput[]> =>
  (await frontierOf(services).list(callerOf(call))).map(toOutput);

export async function cancelJob(id: string, call: Call, services: Services): Promise<CrawlJobOutput> {
  await frontierOf(services).cancel(callerOf(call), id);
  return jobOf(id, call, services);
}

/** The results after a position as lines of JSON, as many as there are now, or fewer if so many are asked for. Few of them are in memory at a time. */
export async function* resultLines(
  id: string,
  { after, limit = Infinity }: { after: number; limit?: number | undefined },
  services: Services,
): AsyncGenerator<string> {
  const frontier = frontierOf(services);
  for (let [position, sent] = [after, 0]; ;) {
    const rows = (await frontier.lines(id, position)).slice(0, limit - sent);
    for (const row of rows) yield `{"position":${row.position},${row.line.slice(1)}\n`;
    const last = rows.at(-1);
    if (last === undefined) return;
    ({ position } = last);
    sent += rows.length;
  }
}

export function frontierOf({ frontier }: Services): CrawlFrontier {
  if (frontier !== undefined) return frontier;
  throw new HeadgateError('not_configured', 'Crawls in the background need PostgreSQL as the store.', {
    remediation: 'Set [store] url to a postgres:// address, or use POST /crawl with its cursor.',
  });
}

/** A page under the hash of its canonical address. */
export const toFrontier = (url: string, depth: number): FrontierPage & { host: string } => ({
  // 128 bits, written as a UUID, which PostgreSQL stores in 16 bytes.
  hash: createHash('sha256').update(canonicalUrl(url)).digest('hex').slice(0, 32),
  host: new URL(url).origin,
  url,
  depth,
});

const toOutput = (job: CrawlJobRow): CrawlJobOutput => ({
  crawl_id: job.id,
  url: inputOf(job).url,
  state: job.state,
  ...(job.error === null ? {} : { error: named(job.error) }),
  limit: job.pagesMax,
  format: inputOf(job).format,
  pages: job.pages,
  skipped: job.skipped,
  waiting: job.found - job.pages - job.skipped,
  ...(job.inLibrary === null ? {} : { in_library: job.inLibrary }),
  created_at: new Date(job.created).toISOString(),
  ...(job.ended === null ? {} : { ended_at: new Date(job.ended).toISOString() }),
});

const inputOf = ({ input }: CrawlJobRow): CrawlJobInput => JSON.parse(input) as CrawlJobInput;
