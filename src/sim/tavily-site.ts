import { json, type SimResponse } from './upstream.ts';

/*
 * Tavily's /crawl and /map. Every site has 30 pages; a host with `gone` in it is refused as the real service refuses what it will
 * not read. Prices are the real ones.
 */

const PAGES = 30;

type Body = Record<string, unknown>;

export function walkSite(path: '/crawl' | '/map', body: Body): SimResponse {
  const given = typeof body['url'] === 'string' ? body['url'] : '';
  const start = URL.parse(/^https?:/.test(given) ? given : `https://${given}`);
  if (given === '' || start === null) return refuse(400, '[400] No starting url provided');
  if (start.hostname.includes('gone')) return refuse(403, '[403] URL is not supported');
  const count = Math.min(PAGES, Number(body['limit'] ?? 50));
  const urls = Array.from({ length: count }, (_, index) => `${start.origin}/page-${index + 1}`);
  const credits = creditsOf(path, body, count);
  return json(200, {
    base_url: given,
    results: path === '/map' ? urls : urls.map((url) => pageAt(url, body)),
    response_time: 1.2,
    ...(body['include_usage'] === true && { usage: { credits } }),
    request_id: '5a1e0000-0000-4000-8000-00000000c4a1',
  });
}

const pageAt = (url: string, body: Body): Body => ({
  url,
  raw_content: `# ${url}\n\nWhat Tavily read there.`,
  ...(body['include_images'] === true && { images: [`${url}.png`] }),
  ...(body['include_favicon'] === true && { favicon: `${new URL(url).origin}/favicon.ico` }),
});

function creditsOf(path: '/crawl' | '/map', body: Body, pages: number): number {
  const mapping = Math.ceil(pages / 10) * (body['instructions'] === undefined ? 1 : 2);
  const reading = Math.ceil(pages / 5) * (body['extract_depth'] === 'advanced' ? 2 : 1);
  return path === '/map' ? mapping : mapping + reading;
}

const refuse = (status: number, error: string): SimResponse => json(status, { detail: { error } });
