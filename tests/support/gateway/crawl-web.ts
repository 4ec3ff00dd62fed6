import { HeadgateError } from '../../../src/core/errors.ts';
import type { GuardedFetch } from '../../../src/net/fetch.ts';
import { workCrawlsUntil } from '../../../src/operations/crawl/work-crawls.ts';
import { addCrawlsToLibraryUntil } from '../../../src/operations/library/add-crawl.ts';
import type { Services } from '../../../src/operations/services.ts';
import { createTestGateway, type TestGateway } from './gateway.ts';

/** One request that a host of the simulated web got. */
export interface Arrival {
  gateway: string;
  url: URL;
  at: number;
  /** In whose queue it waited. */
  queue: string;
}

export interface CrawlWeb {
  arrivals: Arrival[];
  /** Every page that a crawl from the first host finds and may read. */
  pages: string[];
  start: string;
  /** A page whose text cannot be extracted the first time. */
  flaky: string;
  /** The web as one gateway sees it. */
  of(gateway: string): GuardedFetch;
  /** The smallest gap between two requests to a host, beside the delay that it asks for. */
  gaps(): { host: string; gapMs: number; delayMs: number }[];
}

const PACE_MS = 100;

/**
 * A web of hosts whose first pages link to each other. Every host has as many pages as the others, one more that its robots.txt forbids, and links to the
 * same page under several addresses; the last host asks for a longer delay.
 */
export function createCrawlWeb(options: { hosts: number; pagesEach: number; takesMs: number }): CrawlWeb {
  const { hosts, pagesEach, takesMs } = options;
  const origins = Array.from({ length: hosts }, (_, index) => `https://host-${index}.example`);
  const slow = origins.at(-1) ?? '';
  const delayOf = (origin: string): number => (origin === slow ? 2 * PACE_MS : PACE_MS);
  const arrivals: Arrival[] = [];
  const linksOf = ({ origin, pathname }: URL): string[] => {
    if (pathname !== '/') return ['/', '/page-1#top', '/page-2?utm_source=nav'].map((path) => origin + path);
    const own = Array.from({ length: pagesEach - 1 }, (_, index) => `${origin}/page-${index + 1}`);
    return [...own, `${origin}/private`, ...origins.map((one) => `${one}/`)];
  };
  const bodyOf = (url: URL): string => {
    if (url.pathname === '/robots.txt')
      return `User-agent: *\nDisallow: /private\nCrawl-delay: ${delayOf(url.origin) / 1_000}\n`;
    const links = linksOf(url).map((link) => `<li><a href="${link}">Another page of the mills</a></li>`);
    return `<html><head><title>${url.pathname}</title></head><body><main><h1>The mill ${url.pathname}</h1>
      <p>The mill on the river has ground wheat since 1742, and this paragraph is long enough to be read as content.</p>
      <ul>${links.join('')}</ul></main></body></html>`;
  };
  return {
    arrivals,
    start: `${origins[0]}/`,
    flaky: `${origins[0]}/page-1`,
    pages: origins.flatMap((origin) =>
      Array.from({ length: pagesEach }, (_, index) =>
        index === 0 ? `${origin}/` : `${origin}/page-${index}`,
      ),
    ),
    of:
      (gateway) =>
      async (address, { caller: queue }) => {
        const url = new URL(address);
        arrivals.push({ gateway, url, at: performance.now(), queue });
        await new Promise((resolve) => setTimeout(resolve, takesMs));
        const contentType = url.pathname === '/robots.txt' ? 'text/plain' : 'text/html';
        const headers = { 'content-type': contentType };
        const bytes = new TextEncoder().encode(bodyOf(url));
        return { url: address, finalUrl: address, status: 200, headers, contentType, bytes, redirects: [] };
      },
    gaps: () =>
      origins.map((origin) => {
        const times = arrivals.filter(({ url }) => url.origin === origin).map(({ at }) => at);
        const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
        return { host: origin, gapMs: Math.min(...gaps), delayMs: delayOf(origin) };
      }),
  };
}

/** A gateway that takes part in crawls. */
export interface CrawlMember extends TestGateway {
  /** Stops taking part, as a gateway does that shuts down. */
  rest(): Promise<void>;
}

export async function createCrawlMember(
  name: string,
  {
    storeUrl,
    web,
    after,
    leaseMs,
  }: {
    storeUrl: string;
    web: CrawlWeb;
    after: Pick<TestGateway, 'home' | 'sim'>;
    leaseMs: number;
  },
): Promise<CrawlMember> {
  const gateway = await createTestGateway({
    config: { 'store.url': storeUrl, 'server.requests_per_minute': 100_000 },
    web: web.of(name),
    after,
  });
  const stop = new AbortController();
  const extract: Services['extract'] = async (page, ...rest) => {
    const reads = web.arrivals.filter(({ url }) => url.href === web.flaky).length;
    if (page.url === web.flaky && reads === 1)
      throw new HeadgateError('extract_failed', 'The page could not be read within 5000 ms.');
    return gateway.parts.services.extract(page, ...rest);
  };
  const services = { ...gateway.parts.services, extract };
  const working = [
    workCrawlsUntil(stop.signal, services, { leaseMs }),
    addCrawlsToLibraryUntil(stop.signal, services),
  ];
  return {
    ...gateway,
    rest: async () => {
      stop.abort();
      await Promise.all(working);
    },
  };
}
