import type { CrawlInput, MapInput } from '../../contract/crawl.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Attempt } from '../../core/outcome.ts';
import type { SiteQuery } from '../../core/query.ts';
import { checkUrl, createGuardPolicy } from '../../net/guard.ts';
import type { SiteHalf } from '../../providers/provider.ts';
import { sendTo } from '../asking/ask.ts';
import type { ReadyProvider } from '../asking/ready-provider.ts';
import { route } from '../asking/route.ts';
import type { Services } from '../services.ts';
import { spend } from '../asking/spend.ts';

/** Lets a provider walk through a site. What our own guard would refuse by its address is not handed to somebody else either. */
export async function askSite<Page extends { credits?: number }>(
  category: 'crawl' | 'map',
  ready: ReadyProvider,
  half: SiteHalf<Record<string, unknown>, Page> | undefined,
  query: SiteQuery,
  call: Call,
  services: Services,
): Promise<{ page: Page; attempts: Attempt[] }> {
  if (half === undefined)
    throw new HeadgateError('internal', own`${named(ready.provider.title)} lost its crawler.`);
  checkUrl(query.url, createGuardPolicy(services.config.guard));
  const { answer, attempts } = await route(
    [ready],
    (candidate) =>
      spend(candidate, { category, credits: half.creditsMax(query) }, call, services, async (paid) => {
        const request = half.request(query, ready.settings, candidate.key);
        const options = { timeoutMs: LIMITS.siteTimeoutMs };
        const response = await sendTo(candidate, request, paid, services, options);
        return { ...half.parse(response, query, ready.settings), outcome: 'ok' as const };
      }),
    call,
    services,
  );
  return { page: answer, attempts };
}

/** The one place where the wire names of a walk become ours. */
export const toSiteQuery = (input: MapInput & Partial<CrawlInput>, start: URL): SiteQuery => ({
  url: start.href,
  instructions: input.instructions,
  maxDepth: input.max_depth,
  maxBreadth: input.max_breadth,
  pagesMax: input.limit,
  selectPaths: some(input.select_paths),
  selectDomains: some(input.select_domains),
  excludePaths: some(input.exclude_paths),
  excludeDomains: some(input.exclude_domains),
  allowExternal: input.allow_external,
  timeoutMs: input.timeout * 1_000,
  chunksPerSource: input.chunks_per_source,
  depth: input.extract_depth,
  format: input.format,
  includeImages: input.include_images,
  includeFavicon: input.include_favicon,
});

const some = (list: string[] | undefined): string[] | undefined =>
  list === undefined || list.length === 0 ? undefined : list;
