import type { SimUpstream } from '../../src/sim/upstream.ts';

export interface WebPage {
  url: string;
  title: string;
  text: string;
  date?: string;
}

/** Pages behind Tavily's API, at `/web`: every search finds all of them, in order. */
export const createPageWeb = (pages: () => WebPage[]): SimUpstream => ({
  id: 'web',
  handle: (request) => {
    const body = JSON.parse(request.body) as { urls?: string | string[] };
    const isExtract = request.url.pathname === '/extract';
    const asked = [body.urls ?? []].flat();
    const found = pages().filter(({ url }) => !isExtract || asked.includes(url));
    const results = found.map(({ url, title, text, date }, index) => ({
      url,
      title,
      content: text.slice(0, 1_000),
      raw_content: text,
      ...(date === undefined ? {} : { published_date: date }),
      score: 1 - index / 100,
    }));
    const answer = {
      query: '',
      answer: null,
      images: [],
      results,
      failed_results: [],
      response_time: 0.1,
      usage: { credits: 1 },
      request_id: 'web',
    };
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) };
  },
});

/** A page of its own site, with a statement among words that no other page has. */
export const pageWith = (index: number, ...sentences: string[]): WebPage => ({
  url: `https://site-${index}.example/page`,
  title: `Notes of site ${index}`,
  text: [
    `Site ${index} collects notes and letters of its readers, number ${index} of many.`,
    ...sentences,
  ].join('\n\n'),
});
