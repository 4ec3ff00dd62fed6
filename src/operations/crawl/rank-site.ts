import type { CrawlInput, MapInput } from '../../contract/crawl.ts';
import { joinChunks } from '../../rank/join.ts';
import { rankChunks } from '../../rank/rank.ts';
import type { Visit, Walked } from './walk.ts';

/** The pages with their content; with instructions, the best passages, best page first. */
export function rankVisits(
  visits: Visit[],
  input: CrawlInput,
): { visit: Visit; content: string; score?: number }[] {
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
export function rankUrls(urls: string[], walked: Walked, input: MapInput): string[] {
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
