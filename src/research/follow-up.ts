import type { OwnText } from '../core/text.ts';
import type { ExtractOutput } from '../contract/extract.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { canonicalUrl } from '../core/url.ts';
import { extract } from '../operations/extract/extract.ts';
import { textOfSource } from './gather.ts';
import { inParallel } from './in-parallel.ts';
import { isOver, noteFailure, performStep, type RunContext } from './run.ts';
import { QUALITIES, type ResearchSource } from './state.ts';

/** Tavily charges per five pages, so pages are read in fives. */
const BATCH = 5;

interface Read {
  pages: { url: string; content: string; published?: string }[];
  failed: { url: string; error: OwnText; code: string }[];
  credits: number;
}

/** Reads the pages of which only a snippet is known, best first, and adds their content to the sources. */
export async function followUp(run: RunContext, fresh: ResearchSource[]): Promise<void> {
  const { research } = run.services.config;
  const follows = run.input.follow_links ?? research.tavily_extract_in_deep_research ?? true;
  if (!follows) return;
  const wanting = fresh
    .filter((source) => source.textKind === 'snippet')
    .sort(byWorth)
    .slice(0, research.tavily_extract_max_urls ?? LIMITS.researchReadUrlsMax);
  if (wanting.length === 0) return;
  const batches = Array.from({ length: Math.ceil(wanting.length / BATCH) }, (_, at) =>
    wanting.slice(at * BATCH, (at + 1) * BATCH),
  );
  const read = await inParallel(batches, run.input.max_concurrent, (batch) => readBatch(run, batch));
  run.cancelled.throwIfAborted();
  const pages = read.flatMap((one) => one?.pages ?? []);
  for (const page of pages) fill(fresh, page);
  run.emit({ type: 'extract', asked: wanting.length, read: pages.length });
}

async function readBatch(run: RunContext, batch: ResearchSource[]): Promise<Read | undefined> {
  const { research } = run.services.config;
  const request = {
    urls: batch.map((source) => source.url),
    extract_depth: research.tavily_extract_depth,
    include_images: research.tavily_extract_include_images,
    format: 'markdown',
  };
  const taken = run.budget.take(research.tavily_extract_depth === 'advanced' ? 2 : 1);
  let used = 0;
  try {
    const read = await run.journal.step('extract', [request], async () => {
      if (isOver(run)) throw new HeadgateError('deadline_exceeded', 'The time of this research is over.');
      return store(await performStep(run, extract, request, taken.allowed));
    });
    used = read.credits;
    for (const { url, code, error } of read.failed)
      run.state.failed.push({ step: 'extract', about: url, code: code.toLowerCase(), message: error });
    return read;
  } catch (thrown) {
    noteFailure(run, 'extract', batch.map((source) => source.url).join(' '), thrown);
    return undefined;
  } finally {
    taken.settle(used);
  }
}

const store = (output: ExtractOutput): Read => ({
  pages: output.results
    .filter((hit) => hit.outcome === 'ok' && hit.raw_content.trim() !== '')
    .map((hit) => ({
      url: hit.url,
      content: hit.raw_content.slice(0, LIMITS.researchSourceCharsMax + 1),
      ...(hit.published_date === undefined ? {} : { published: hit.published_date }),
    })),
  failed: output.failed_results,
  credits: output.credits,
});

function fill(sources: ResearchSource[], page: Read['pages'][number]): void {
  const key = canonicalUrl(page.url);
  const source = sources.find((one) => canonicalUrl(one.url) === key);
  if (source === undefined) return;
  Object.assign(source, textOfSource(page.content), { textKind: 'content' });
  if (source.publishedDate === undefined && page.published !== undefined)
    source.publishedDate = page.published;
}

const byWorth = (a: ResearchSource, b: ResearchSource): number =>
  QUALITIES.indexOf(a.quality) - QUALITIES.indexOf(b.quality) || b.score - a.score;
