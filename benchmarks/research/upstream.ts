import type { SimUpstream } from '../../src/sim/upstream.ts';

/** An upstream with Tavily's API whose every search finds new pages of a certain length. */
export function createPagesUpstream(options: { sources: number; sentences: number }): SimUpstream {
  const { sources, sentences } = options;
  return {
    id: 'bench',
    handle: (request) => {
      const body = JSON.parse(request.body) as {
        query?: string;
        urls?: string[];
        include_raw_content?: unknown;
      };
      if (request.url.pathname === '/extract') {
        const results = (body.urls ?? []).map((url) => ({ url, raw_content: contentOf(url, sentences) }));
        return answer({ results, failed_results: [], response_time: 0.1 });
      }
      const query = body.query ?? '';
      const results = Array.from({ length: sources }, (_, index) => {
        const url = `https://site-${index}.example/${encodeURIComponent(query)}`;
        return {
          url,
          title: `${query}, part ${index}`,
          content: contentOf(url, 3),
          ...(body.include_raw_content ? { raw_content: contentOf(url, sentences) } : {}),
          score: 1 - index / 100,
        };
      });
      return answer({ query, results, images: [], response_time: 0.1 });
    },
  };
}

const answer = (body: unknown) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Sentences that differ in their figures from page to page. */
function contentOf(url: string, sentences: number): string {
  const seed = [...url].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
  const lines = Array.from({ length: sentences }, (_, index) => {
    const number = (seed + index * 37) % 9973;
    return `Tidal power station ${number} of the harbour produced ${number} megawatt hours in its year of service.`;
  });
  return lines.join(' ');
}
