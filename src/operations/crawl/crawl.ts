import type { Ctx } from '../../routing/services.ts';
import { own, warned } from '../../core/own-text.ts';
import { plural } from '../../core/text.ts';
import {
  crawlContract,
  mapContract,
  type CrawlInput,
  type CrawlOutput,
  type MapInput,
  type MapOutput,
} from '../../contract/crawl.ts';
import type { Call } from '../../core/call.ts';
import type { Source } from '../../core/source.ts';
import { createGuardPolicy } from '../../net/guard.ts';
import { withoutDenied } from '../../routing/denied-results.ts';
import { chooseWalkers } from '../../routing/chain.ts';
import { defineOperation } from '../operation.ts';
import { priceChain, type Plan } from '../../routing/price-chain.ts';
import type { Services } from '../services.ts';
import { withDeadline } from '../../routing/with-deadline.ts';
import { askSite, toSiteQuery } from './ask-site.ts';
import { walkOwn, type OwnWalk } from './own-walk.ts';
import { createScope } from './scope.ts';
import { sitemapLinks } from './sitemap.ts';
import { walkChain } from './walk-chain.ts';
import type { Walked, Visit } from './walk.ts';
import { joinChunks } from '../../rank/join.ts';
import { rankChunks } from '../../rank/rank.ts';

/** Crawls a site: follows its links and returns the content of its pages. */
export const crawl = defineOperation({
  contract: crawlContract,
  scope: 'crawl',
  webTools: ['fetch'],
  run: runCrawl,
  plan: (input, { services }) => planSite('crawl', input, services),
});

/** Lists a site's pages, from its links and its sitemap. */
export const map = defineOperation({
  contract: mapContract,
  scope: 'crawl',
  webTools: ['fetch'],
  run: runMap,
  plan: (input, { services }) => planSite('map', input, services),
});

async function runCrawl(input: CrawlInput, { call: outer, services }: Ctx<Services>): Promise<CrawlOutput> {
  const started = services.clock.now();
  const { start } = createScope(input, createGuardPolicy(services.config.guard));
  const output = await withDeadline(outer, input.timeout * 1_000, services, (call) =>
    walkChain('crawl', input, { call, services }, async (ready) => {
      if (ready.provider.builtIn !== undefined) {
        const { walked, rest } = await walkOwn(input, outer, { call, services });
        return { ...rest, ...poorPages(walked, rest), results: resultsOf(walked, input) };
      }
      const query = toSiteQuery(input, start);
      // As many as it may read; what it did not read is given back.
      await call.gate?.count?.(query.pagesMax);
      let read = 0;
      try {
        const ctx = { call, services };
        const { page, attempts } = await askSite('crawl', ready, ready.provider.crawl, query, ctx);
        read = page.sources.length;
        const { sources, warnings } = withoutDenied(page.sources, call);
        const results = sources.map((source) => toResult(source, input));
        return { results, ...accountOf(results.length, page.credits), warnings, attempts };
      } finally {
        await call.gate?.count?.(Math.min(0, read - query.pagesMax));
      }
    }),
  );
  // Whoever crawls in turns is told at the end of the last one.
  if (!('cursor' in output)) {
    const { results, skipped, outcome } = output;
    await services.crawls.finish(outer, { pages: results.length, skipped: skipped.length, outcome });
  }
  return { base_url: input.url, ...output, ...tailOf(started, outer, services) };
}

async function runMap(input: MapInput, { call: outer, services }: Ctx<Services>): Promise<MapOutput> {
  const started = services.clock.now();
  const scope = createScope(input, createGuardPolicy(services.config.guard));
  const output = await withDeadline(outer, input.timeout * 1_000, services, (call) =>
    walkChain('map', input, { call, services }, async (ready) => {
      if (ready.provider.builtIn !== undefined) {
        const { walked, rest } = await walkOwn(input, outer, { call, services });
        const isWhole = !walked.isCut && input.cursor === undefined;
        const listed = isWhole ? await listSitemap(scope.start, outer, { call, services }) : [];
        const every = [...new Set([...walked.state.found, ...scope.select(listed ?? [])])];
        const { found, warnings } = allowedUrls(every, call);
        const results = rankUrls(found, walked, input).slice(0, input.limit);
        // The cursor does not reach sitemap entries beyond the limit.
        const isCut = found.length > results.length && rest.cursor === undefined;
        const more = isCut
          ? [warned`${found.length - results.length} more pages were found; raise limit to list them.`]
          : [];
        return {
          ...rest,
          warnings: [...rest.warnings, ...warnings, ...more],
          ...(listed === undefined ? WITHOUT_SITEMAP : {}),
          results,
        };
      }
      const query = toSiteQuery(input, scope.start);
      const { page, attempts } = await askSite('map', ready, ready.provider.map, query, { call, services });
      const { found, warnings } = allowedUrls(page.urls, call);
      return { results: found, ...accountOf(found.length, page.credits), warnings, attempts };
    }),
  );
  return { base_url: input.url, ...output, ...tailOf(started, outer, services) };
}

/** The addresses that the caller's rules do not refuse. */
function allowedUrls(urls: string[], call: Call) {
  const { sources, warnings } = withoutDenied(
    urls.map((url) => ({ url })),
    call,
  );
  return { found: sources.map(({ url }) => url), warnings };
}

/** The sitemap's addresses; undefined on a timeout, which does not affect the links already found. */
async function listSitemap(start: URL, outer: Call, ctx: Ctx<Services>) {
  const { call } = ctx;
  try {
    return await sitemapLinks(start, ctx);
  } catch (thrown) {
    outer.signal.throwIfAborted();
    if (call.signal.aborted) return undefined;
    throw thrown;
  }
}

const WITHOUT_SITEMAP = {
  outcome: 'partial' as const,
  warnings: [warned`The time ran out over the sitemap; this is what the links show.`],
};

function planSite(capability: 'crawl' | 'map', input: CrawlInput | MapInput, services: Services): Plan {
  const query = toSiteQuery(input, createScope(input, createGuardPolicy(services.config.guard)).start);
  const chain = chooseWalkers(input.provider, capability, services).map((ready) => ({
    ready,
    credits: ready.provider[capability]?.creditsMax(query) ?? 0,
  }));
  return priceChain(capability, chain, { isAsked: 'one', cached: false }, services);
}

/** The report for a provider's crawl; providers do not say what they left out. */
const accountOf = (pages: number, credits = 0) => ({
  skipped: [],
  credits,
  outcome: pages === 0 ? ('empty' as const) : ('ok' as const),
  warnings: [],
});

const tailOf = (started: number, { requestId }: Call, { clock }: Services) => ({
  request_id: requestId,
  response_time: (clock.now() - started) / 1_000,
});

/** Pages with little or no content; the crawl is degraded if that is all of them. */
function poorPages(
  { visits }: Walked,
  { outcome, warnings }: OwnWalk['rest'],
): Pick<OwnWalk['rest'], 'outcome' | 'warnings'> {
  const poor = visits.filter(({ page }) => page.quality === 'degraded');
  const reasons = poor.map(({ page }) => page.reason ?? own`Little could be read from the page.`);
  // The site chose the addresses of its pages, so they are not repeated here.
  const counted = [...new Set(reasons)].map(
    (reason) => warned`${plural(reasons.filter((one) => one === reason).length, 'page')}: ${reason}`,
  );
  return {
    outcome: poor.length > 0 && poor.length === visits.length ? 'degraded' : outcome,
    warnings: [...warnings, ...counted],
  };
}

const resultsOf = (walked: Walked, input: CrawlInput): CrawlOutput['results'] =>
  rankVisits(walked.visits, input).map(({ visit, content, score }) => ({
    url: visit.url,
    title: visit.page.title,
    raw_content: content,
    images: input.include_images === true ? visit.page.images.map((image) => image.url) : [],
    ...(input.include_favicon === true && visit.page.favicon !== undefined
      ? { favicon: visit.page.favicon }
      : {}),
    depth: visit.depth,
    ...(score === undefined ? {} : { score }),
    ...(visit.page.usage === undefined ? {} : { usage: visit.page.usage }),
    trust: 'untrusted_web',
  }));

const toResult = (source: Source, input: CrawlInput): CrawlOutput['results'][number] => ({
  url: source.url,
  title: source.title,
  raw_content: source.content ?? '',
  images: input.include_images === true ? (source.images ?? []).map((image) => image.url) : [],
  ...(input.include_favicon === true && source.favicon !== undefined ? { favicon: source.favicon } : {}),
  trust: source.trust,
});

/** The pages with their content; with instructions, the best passages, best page first. */
function rankVisits(visits: Visit[], input: CrawlInput): { visit: Visit; content: string; score?: number }[] {
  const contentOf = (visit: Visit): string =>
    input.format === 'text' ? visit.page.text : visit.page.markdown;
  if (input.instructions === undefined) return visits.map((visit) => ({ visit, content: contentOf(visit) }));
  const documents = visits.map((visit) => ({
    id: visit.url,
    title: visit.page.title,
    content: contentOf(visit),
  }));
  const byUrl = new Map(visits.map((visit) => [visit.url, visit]));
  const ranked = rankChunks(input.instructions, documents, {
    chunksPerSource: input.chunks_per_source ?? 3,
    format: input.format,
  });
  return ranked
    .flatMap((one) => {
      const visit = byUrl.get(one.id);
      return visit === undefined ? [] : [{ visit, content: joinChunks(one.chunks), score: one.score }];
    })
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
}

/** With instructions, addresses whose page, title or path match come first. */
function rankUrls(urls: string[], walked: Walked, input: MapInput): string[] {
  if (input.instructions === undefined) return urls;
  const pages = new Map(walked.visits.map((visit) => [visit.url, visit.page]));
  const documents = urls.map((url) => {
    const words = decodeURI(new URL(url).pathname).replace(/[/_.-]+/g, ' ');
    return {
      id: url,
      title: `${pages.get(url)?.title ?? ''} ${words}`.trim(),
      content: pages.get(url)?.text ?? words,
    };
  });
  return rankChunks(input.instructions, documents, { chunksPerSource: 1 })
    .sort((a, b) => b.score - a.score)
    .map((one) => one.id);
}
