import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { hostOf } from '../../core/url.ts';
import { addProblem, type AddedReport, countAdded, emptyReport } from '../../library/ingest/added-report.ts';
import type { LibraryDocument } from '../../library/document.ts';
import { crawl } from '../crawl/crawl.ts';
import { linksOfSitemaps } from '../crawl/sitemap.ts';
import { underRules } from '../gated.ts';
import { noted } from '../noted.ts';
import { createCall, perform } from '../perform.ts';
import { readPage } from '../extract/read.ts';
import type { Ctx } from '../../routing/services.ts';
import type { Services } from '../services.ts';
import type { AddControl } from './added.ts';

/** `workspace` is the one whose library it is. */
type Control = AddControl & { workspace?: string | undefined };

interface Web {
  url: URL;
  depth: number | undefined;
  limit: number;
}

type SinkOf = (
  documents: LibraryDocument[],
) => Promise<{ added: number; replaced: number; unchanged: number }>;

/** Pages per write: written pages stay, whatever happens to the rest. */
const STEP_PAGES = 20;
const DEPTH_DEFAULT = 2;
const STEP_MS = 150_000;

/** Reads pages through the guard, a few at a time, and adds them. */
export async function addPages(
  urls: string[],
  sink: SinkOf,
  control: Control,
  services: Services,
): Promise<AddedReport> {
  const { signal, progress } = control;
  const report = emptyReport();
  for (let at = 0; at < urls.length; at += STEP_PAGES) {
    if (signal?.aborted === true) break;
    const step = urls.slice(at, at + STEP_PAGES);
    progress?.({ done: at, total: urls.length, message: step[0] ?? '' });
    const call = await openStep(control, services);
    const readOne = async (url: string, ctx: Ctx<Services>): Promise<LibraryDocument | undefined> => {
      try {
        const page = await readPage(url, ctx);
        if (page.quality === 'degraded')
          throw new HeadgateError('extract_failed', page.reason ?? 'The page has no text.');
        return pageDocument(url, page.title, page.markdown, page.publishedDate);
      } catch (thrown) {
        if (signal?.aborted !== true) addProblem(report, url, HeadgateError.from(thrown));
        return undefined;
      }
    };
    const read = await noted(
      { name: 'extract', input: { urls: step } },
      { call, services },
      (ctx) => Promise.all(step.map((url) => readOne(url, ctx))),
      (pages) => (pages.some((page) => page !== undefined) ? {} : { outcome: 'failed' }),
    );
    await addAll(
      report,
      sink,
      read.filter((document) => document !== undefined),
    );
  }
  progress?.({ done: urls.length, total: urls.length });
  return { ...report, cancelled: signal?.aborted === true };
}

/** Adds the pages that a sitemap lists for its own host. */
export async function addSitemap(
  { url, limit }: Web,
  sink: SinkOf,
  control: Control,
  services: Services,
): Promise<AddedReport> {
  const call = await openStep(control, services);
  const links = await linksOfSitemaps([url.href], { call, services });
  const own = [...new Set(links)].filter((link) => hostOf(link) === hostOf(url.href));
  if (own.length === 0)
    throw new HeadgateError('extract_failed', 'The sitemap lists no pages of this site.', {
      remediation: 'Check the address of the sitemap, or add the site itself.',
    });
  const report = await addPages(own.slice(0, limit), sink, control, services);
  if (own.length > limit)
    addProblem(report, url.href, tooMany(`The sitemap names ${own.length} pages`, limit));
  return report;
}

/** Follows the links of a site and adds its pages in batches. */
export async function addSite(
  { url, depth = DEPTH_DEFAULT, limit }: Web,
  sink: SinkOf,
  control: Control,
  services: Services,
): Promise<AddedReport> {
  const { signal, progress } = control;
  const report = emptyReport();
  let cursor: string | undefined;
  let done = 0;
  do {
    const input = {
      url: url.href,
      max_depth: depth,
      max_breadth: 500,
      limit: Math.min(STEP_PAGES, limit - done),
      allow_external: false,
      ...(cursor === undefined ? {} : { cursor }),
    };
    const call = await openStep(control, services);
    call.gate?.check({ kind: 'links', depth });
    const step = await perform(crawl, input, { call, services });
    for (const { url: skipped, reason } of step.skipped)
      addProblem(report, skipped, new HeadgateError('extract_failed', named(reason)));
    await addAll(
      report,
      sink,
      step.results.map((page) => pageDocument(page.url, page.title, page.raw_content)),
    );
    done += step.results.length + step.skipped.length;
    ({ cursor } = step);
    progress?.({ done, total: limit, message: step.results.at(-1)?.url ?? '' });
    // A batch without pages would repeat forever.
    if (signal?.aborted === true || step.results.length + step.skipped.length === 0) break;
  } while (cursor !== undefined && done < limit);
  if (cursor !== undefined && done >= limit)
    addProblem(report, url.href, tooMany('The site has more pages', limit));
  return { ...report, cancelled: signal?.aborted === true };
}

/** A call under the rules for the workspace whose library it is. It is not the workspace's call: nothing is charged. */
function openStep({ signal, workspace }: Control, services: Services): Promise<Call> {
  const call = createCall(services, {
    timeoutMs: STEP_MS,
    surface: 'library',
    ...(signal === undefined ? {} : { signal }),
  });
  return underRules({ call, services }, workspace === undefined ? {} : { workspace });
}

async function addAll(report: AddedReport, sink: SinkOf, documents: LibraryDocument[]): Promise<void> {
  if (documents.length === 0) return;
  countAdded(report, await sink(documents));
}

const tooMany = (what: string, limit: number): HeadgateError =>
  new HeadgateError('limit_reached', own`${named(what)}; the first ${limit} were taken.`, {
    remediation: 'Ask for a higher limit.',
  });

export const pageDocument = (
  url: string,
  title: string,
  content: string,
  publishedDate?: string,
): LibraryDocument => ({
  id: url,
  url,
  title: title === '' ? hostOf(url) : title,
  content,
  format: 'markdown',
  kind: 'page',
  ...(publishedDate === undefined ? {} : { publishedDate }),
});
