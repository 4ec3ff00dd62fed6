import type { Ctx } from '../../routing/services.ts';
import type { CrawlInput, MapInput } from '../../contract/crawl.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Attempt } from '../../core/outcome.ts';
import type { SiteQuery } from '../../core/query.ts';
import { checkUrl, createGuardPolicy } from '../../net/guard.ts';
import type { SiteAdapter } from '../../providers/provider.ts';
import { sendTo } from '../../routing/ask.ts';
import type { ReadyProvider } from '../../routing/ready-provider.ts';
import { route } from '../../routing/route.ts';
import type { Services } from '../services.ts';
import { spend } from '../../routing/spend.ts';

/** Calls a provider's crawler. Addresses that the guard refuses are not sent to providers either. */
export async function askSite<Page extends { credits?: number }>(
  category: 'crawl' | 'map',
  ready: ReadyProvider,
  half: SiteAdapter<Record<string, unknown>, Page> | undefined,
  query: SiteQuery,
  ctx: Ctx<Services>,
): Promise<{ page: Page; attempts: Attempt[] }> {
  const { services } = ctx;
  if (half === undefined)
    throw new HeadgateError('internal', own`${named(ready.provider.title)} lost its crawler.`);
  const { url } = checkUrl(query.url, createGuardPolicy(services.config.guard));
  ctx.call.gate?.check({ kind: 'fetch', url });
  const { answer, attempts } = await route(
    [ready],
    (candidate) =>
      spend(candidate, { category, credits: half.creditsMax(query) }, ctx, async (paid) => {
        const request = half.request(query, ready.settings, candidate.key);
        const options = { timeoutMs: LIMITS.siteTimeoutMs };
        const response = await sendTo(candidate, request, { call: paid, services }, options);
        return { ...half.parse(response, query, ready.settings), outcome: 'ok' as const };
      }),
    ctx,
  );
  return { page: answer, attempts };
}

/** Maps the wire names of a crawl to ours, in one place. */
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
