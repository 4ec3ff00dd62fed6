import {
  crawlContract,
  mapContract,
  type CrawlInput,
  type CrawlOutput,
  type MapInput,
  type MapOutput,
} from '../../contract/crawl.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { joinChunks, rankChunks } from '../../rank/rank.ts';
import { defineOperation } from '../operation.ts';
import type { Services } from '../services.ts';
import { callerOf } from './robots.ts';
import { createScope } from './scope.ts';
import { sitemapLinks } from './sitemap.ts';
import { walk, type Visit, type Walked } from './walk.ts';

/** Read a site: follow its links and return what the pages say. */
export const crawl = defineOperation({ contract: crawlContract, run: runCrawl });

/** List a site's pages, by its links and its sitemap. */
export const map = defineOperation({ contract: mapContract, run: runMap });

async function runCrawl(input: CrawlInput, outer: Call, services: Services): Promise<CrawlOutput> {
  const started = services.clock.now();
  const { walked, rest } = await walkOn(input, outer, services);
  const results = rankVisits(walked.visits, input).map(({ visit, content, score }) => ({
    url: visit.url,
    title: visit.page.title,
    raw_content: content,
    images: input.include_images === true ? visit.page.images.map((image) => image.url) : [],
    ...(input.include_favicon === true && visit.page.favicon !== undefined
      ? { favicon: visit.page.favicon }
      : {}),
    depth: visit.depth,
    ...(score === undefined ? {} : { score }),
    trust: 'untrusted_web' as const,
  }));
  return { base_url: input.url, results, ...rest, response_time: (services.clock.now() - started) / 1_000 };
}

async function runMap(input: MapInput, outer: Call, services: Services): Promise<MapOutput> {
  const started = services.clock.now();
  const { walked, rest, call } = await walkOn(input, outer, services);
  const scope = createScope(input);
  const listed =
    walked.isCut || input.cursor !== undefined
      ? []
      : scope.select(await sitemapLinks(scope.start, call, services));
  const found = [...new Set([...walked.state.found, ...listed])];
  const results = rankUrls(found, walked, input).slice(0, input.limit);
  return { base_url: input.url, results, ...rest, response_time: (services.clock.now() - started) / 1_000 };
}

/** Walks from the start or from where the cursor left off, within the caller's time. */
async function walkOn(input: MapInput, outer: Call, services: Services) {
  const timeoutMs = Math.min(input.timeout * 1_000, Math.max(1, outer.deadline - services.clock.now()));
  const call = {
    ...outer,
    deadline: services.clock.now() + timeoutMs,
    signal: AbortSignal.any([outer.signal, AbortSignal.timeout(timeoutMs)]),
  };
  const owner = callerOf(outer);
  const earlier = input.cursor === undefined ? undefined : services.crawls.take(owner, input.cursor);
  const walked = await walk(input, earlier, call, services);
  outer.signal.throwIfAborted();
  if (walked.visits.length === 0 && walked.skipped.length > 0 && earlier === undefined)
    throw nothingRead(walked);
  const hasMore = walked.state.queue.length > 0;
  const rest = {
    ...(hasMore ? { cursor: services.crawls.keep(owner, walked.state) } : {}),
    skipped: walked.skipped,
    credits: 0,
    request_id: outer.requestId,
    outcome: walked.isCut || walked.skipped.length > 0 ? ('partial' as const) : ('ok' as const),
    attempts: [],
    warnings: walked.isCut ? ['The time ran out; this is what was found by then.'] : [],
  };
  return { walked, rest, call };
}

function nothingRead(walked: Walked): HeadgateError {
  const [first] = walked.skipped;
  const denied = first?.reason.startsWith('robots.txt') === true;
  return new HeadgateError(
    denied ? 'robots_denied' : 'extract_failed',
    `The start page could not be read: ${first?.reason ?? 'nothing was found'}.`,
    {
      remediation: 'Check the address, or start from another page of the site.',
    },
  );
}

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
