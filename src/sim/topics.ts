import { json, objectIn, webPage, type SimRequest, type SimResponse, type SimUpstream } from './upstream.ts';
import { TOPIC_PAGES, type TopicPage } from './topic-pages.ts';

/*
 * Tavily's /search and /extract over a small library of pages (`/topics/search`, `/topics/extract`), for trying research: a search finds the
 * pages that share words with the query, with a snippet, and with the whole page when `include_raw_content` is set.
 */

const SNIPPET_CHARS = 220;

const LIBRARY = TOPIC_PAGES.map((page) => ({ page, title: wordsOf(page.title), text: wordsOf(page.text) }));

export const topicsSim: SimUpstream = {
  id: 'topics',
  handle: (request) => {
    const body = objectIn(request);
    if (body === undefined) return json(422, { detail: { error: 'Send JSON.' } });
    return request.url.pathname === '/search' ? search(body, request) : extract(body);
  },
};

function search(body: Record<string, unknown>, request: SimRequest): SimResponse {
  const query = String(body['query']);
  const count = Number(body['max_results'] ?? 5);
  const results = pagesFor(query)
    .slice(0, count)
    .map(({ page, score }) => ({
      url: page.url,
      title: page.title,
      content: snippetOf(page, query),
      score,
      raw_content: body['include_raw_content'] ? page.text : null,
      published_date: `${page.date}T00:00:00Z`,
    }));
  const credits = body['search_depth'] === 'advanced' ? 2 : 1;
  return json(200, {
    query,
    answer: null,
    images: [],
    results,
    response_time: 0.1,
    usage: { credits },
    request_id: `sim-${request.body.length}`,
  });
}

function pagesFor(query: string): { page: TopicPage; score: number }[] {
  const words = [...wordsOf(query)];
  const scored = LIBRARY.map(({ page, title, text }) => {
    const points = words.reduce(
      (sum, word) => sum + rarity(word) * ((title.has(word) ? 1 : 0) + (text.has(word) ? 1 : 0)),
      0,
    );
    return { page, points };
  }).filter(({ points }) => points > 0.5);
  const best = Math.max(1, ...scored.map(({ points }) => points));
  return scored
    .sort((a, b) => b.points - a.points || (a.page.url < b.page.url ? -1 : 1))
    .map(({ page, points }) => ({ page, score: Math.round((points / best) * 1e4) / 1e4 }));
}

/** Words that are on every page have little weight. */
function rarity(word: string): number {
  const found = LIBRARY.filter(({ title, text }) => title.has(word) || text.has(word)).length;
  return Math.log((LIBRARY.length + 1) / (found + 1)) + 0.1;
}

function wordsOf(text: string): Set<string> {
  return new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).map((word) => word.replace(/s$/, '')),
  );
}

/** The paragraph that shares most words with the query. */
function snippetOf(page: TopicPage, query: string): string {
  const words = wordsOf(query);
  const shared = (paragraph: string): number =>
    [...wordsOf(paragraph)].filter((word) => words.has(word)).length;
  const paragraphs = page.text.split('\n\n').filter((paragraph) => !/^[#|`]/.test(paragraph));
  const [best = ''] = paragraphs.sort((a, b) => shared(b) - shared(a));
  return best.trim().slice(0, SNIPPET_CHARS);
}

function extract(body: Record<string, unknown>): SimResponse {
  const urls = [body['urls']].flat().map(String);
  const found = urls.flatMap((url) => TOPIC_PAGES.filter((page) => page.url === url));
  if (urls.length === 0) return webPage(400, 'No URLs.');
  return json(200, {
    results: found.map((page) => ({ url: page.url, raw_content: page.text, images: [] })),
    failed_results: urls
      .filter((url) => !found.some((page) => page.url === url))
      .map((url) => ({ url, error: 'No such page.' })),
    response_time: 0.1,
    usage: { credits: Math.ceil(found.length / 5) * (body['extract_depth'] === 'advanced' ? 2 : 1) },
    request_id: 'sim-extract',
  });
}
