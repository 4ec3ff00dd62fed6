import type { Call } from '../../core/call.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Services } from '../services.ts';
import { callerOf, createRobotsBook } from './robots.ts';

/** The addresses in a site's sitemaps: those that robots.txt names, else /sitemap.xml. A sitemap that fails adds nothing. */
export async function sitemapLinks(start: URL, call: Call, services: Services): Promise<string[]> {
  const { sitemaps } = await createRobotsBook(call, services)(start);
  return linksOfSitemaps(sitemaps.length > 0 ? sitemaps : [`${start.origin}/sitemap.xml`], call, services);
}

/** The addresses in these sitemaps and in those they refer to. */
export async function linksOfSitemaps(sitemaps: string[], call: Call, services: Services): Promise<string[]> {
  const queue = [...sitemaps];
  const links: string[] = [];
  for (
    let read = 0;
    read < LIMITS.sitemapsMax && queue.length > 0 && links.length < LIMITS.crawlLinksMax;
    read += 1
  ) {
    const text = await fetchText(queue.shift() ?? '', call, services);
    const locations = [...text.matchAll(/<loc>\s*(?:<!\[CDATA\[)?([^<\]]{1,2048})/g)].map((match) =>
      decodeXml(match[1]?.trim() ?? ''),
    );
    if (/<sitemapindex[\s>]/.test(text)) queue.push(...locations);
    else links.push(...locations);
  }
  return links;
}

async function fetchText(url: string, call: Call, services: Services): Promise<string> {
  try {
    const page = await services.fetch(url, { signal: call.signal, caller: callerOf(call), types: 'any' });
    return new TextDecoder().decode(page.bytes);
  } catch {
    // A missing or broken sitemap is the ordinary case, and the links of the pages are there all the same.
    call.signal.throwIfAborted();
    return '';
  }
}

const decodeXml = (text: string): string =>
  text
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'");
