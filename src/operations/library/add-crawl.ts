import type { CrawlJobInput, CrawlResultLine } from '../../contract/crawl.ts';
import { CRAWL_JOB_LIMITS } from '../../core/crawl-job.ts';
import type { LibraryDocument } from '../../library/document.ts';
import type { CrawlFrontier } from '../../store/crawl-frontier.ts';
import type { Services } from '../services.ts';
import { pageDocument } from './add-web.ts';

/**
 * Adds the results of crawls that ask for it to the libraries of their workspaces, some at a time, until the signal fires. One gateway works on a
 * crawl at a time; what it does not finish is done again by another, which changes nothing, because documents are added by their addresses.
 */
export async function addCrawlsToLibraryUntil(signal: AbortSignal, services: Services): Promise<void> {
  const { frontier, clock, log } = services;
  if (frontier === undefined) return;
  while (!signal.aborted) {
    const isMore = await addSome(frontier, services).catch((thrown: unknown) => {
      log.warn('crawl_not_in_library', { cause: thrown });
      return false;
    });
    if (!isMore) await clock.sleep(CRAWL_JOB_LIMITS.libraryLookMs, signal).catch(() => undefined);
  }
}

async function addSome(frontier: CrawlFrontier, { library }: Services): Promise<boolean> {
  const crawl = await frontier.takeForLibrary();
  if (crawl === undefined) return false;
  const rows = await frontier.lines(crawl.id, crawl.after);
  const { format } = JSON.parse(crawl.input) as CrawlJobInput;
  const documents = rows.flatMap(({ line }): LibraryDocument[] => {
    const page = JSON.parse(line) as CrawlResultLine;
    if (page.outcome !== 'ok') return [];
    const { url, title = '', raw_content: content = '', published_date: date } = page;
    return [{ ...pageDocument(url, title, content, date), format }];
  });
  if (documents.length > 0)
    await library.of(crawl.workspace === 'local' ? undefined : crawl.workspace).add(documents);
  await frontier.addedToLibrary(crawl.id, crawl.after, rows.at(-1)?.position ?? crawl.after);
  return rows.length > 0;
}
