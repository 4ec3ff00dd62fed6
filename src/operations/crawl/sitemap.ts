import type { Ctx } from '../../routing/services.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Services } from '../services.ts';
import { callerOf, createRobotsBook } from '../extract/robots.ts';

/** The addresses in a site's sitemaps: those in robots.txt, or /sitemap.xml. Failing sitemaps are skipped. */
export async function sitemapLinks(start: URL, ctx: Ctx<Services>): Promise<string[]> {
  const { sitemaps } = await createRobotsBook(ctx)(start);
  return linksOfSitemaps(sitemaps.length > 0 ? sitemaps : [`${start.origin}/sitemap.xml`], ctx);
}

/** The addresses in these sitemaps and in the ones they link to. */
export async function linksOfSitemaps(sitemaps: string[], ctx: Ctx<Services>): Promise<string[]> {
  const queue = [...sitemaps];
  const links: string[] = [];
  for (
    let read = 0;
    read < LIMITS.sitemapsMax && queue.length > 0 && links.length < LIMITS.crawlLinksMax;
    read += 1
  ) {
    const text = await fetchText(queue.shift() ?? '', ctx);
    const locations = [...text.matchAll(/<loc>\s*(?:<!\[CDATA\[)?([^<\]]{1,2048})/g)].map((match) =>
      decodeXml(match[1]?.trim() ?? ''),
    );
    if (/<sitemapindex[\s>]/.test(text)) queue.push(...locations);
    else links.push(...locations);
  }
  return links;
}

async function fetchText(url: string, { call, services }: Ctx<Services>): Promise<string> {
  try {
    const page = await services.fetch(url, {
      signal: call.signal,
      caller: callerOf(call),
      gate: call.gate,
      types: 'any',
    });
    return new TextDecoder().decode(page.bytes);
  } catch {
    // A missing or broken sitemap is common; the links of the pages still count.
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
