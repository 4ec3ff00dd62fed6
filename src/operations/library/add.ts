import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { LibraryDocument } from '../../library/document.ts';
import { ingest, type Intake, type Sink } from '../../library/ingest/ingest.ts';
import type { Library } from '../../library/library.ts';
import { checkText, createGuardPolicy, type GuardPolicy } from '../../net/guard.ts';
import type { Services } from '../services.ts';
import { addPages, addSite, addSitemap } from './add-web.ts';
import type { AddControl, AddedReport } from './added.ts';
import { createOpenSearchSink } from './opensearch-sink.ts';

/** What to add, and to which library. */
export interface AddRequest {
  /** A path, or an http(s) address of a page, a site or a sitemap. */
  source: string;
  /** Absent: the shared library. */
  workspace?: string | undefined;
  /** How many links away from the start of a site. */
  depth?: number | undefined;
  /** How many pages of a site or a sitemap. */
  limit?: number | undefined;
  /** Another index instead of the library. */
  to?: 'opensearch' | undefined;
}

/**
 * Adds files, folders, `node_modules`, pages, sites and sitemaps. An address is a sitemap by its name, a site
 * if it is a start page or has a depth or limit, and otherwise a page.
 */
export async function addToLibrary(
  request: AddRequest,
  control: AddControl,
  services: Services,
): Promise<AddedReport> {
  const library = services.library.of(request.workspace);
  const byWorkspace = { ...control, workspace: request.workspace };
  const other =
    request.to === undefined
      ? undefined
      : createOpenSearchSink(services, control.signal ?? new AbortController().signal);
  const url = webAddress(request.source, createGuardPolicy(services.config.guard));
  if (url === undefined) {
    return other === undefined
      ? addPath(request.source, control, library)
      : sendPath(request.source, control, other, services);
  }
  const sink = async (documents: LibraryDocument[]) =>
    other === undefined ? library.add(documents) : other.add(documents, services.clock.now());
  const web = { url, depth: request.depth, limit: limitOf(request.limit) };
  if (/sitemap[^/]*\.xml$/i.test(url.pathname)) return addSitemap(web, sink, byWorkspace, services);
  const isSite =
    request.depth !== undefined || request.limit !== undefined || (url.pathname === '/' && url.search === '');
  return isSite
    ? addSite(web, sink, byWorkspace, services)
    : addPages([url.href], sink, byWorkspace, services);
}

function addPath(path: string, control: AddControl, library: Library) {
  const intake = intakeOf(path);
  if (intake.kind === 'node_modules') return library.addNodeModules(intake.project, control);
  return intake.kind === 'folder' ? library.addFolder(path, control) : library.addFile(path, control);
}

/** Sends files to another index from this thread; used only by commands. */
function sendPath(
  path: string,
  { roots, signal, progress }: AddControl,
  sink: Sink,
  { clock }: Services,
): Promise<AddedReport> {
  return ingest(intakeOf(path), sink, {
    roots,
    now: () => clock.now(),
    isCancelled: () => signal?.aborted === true,
    progress: (done, total, message) =>
      progress?.({ done, message, ...(total === undefined ? {} : { total }) }),
  });
}

function intakeOf(path: string): Intake {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder && basename(path) === 'node_modules') return { kind: 'node_modules', project: dirname(path) };
  return { kind: isFolder ? 'folder' : 'file', path };
}

/** The web address of the source, if it is one. */
function webAddress(source: string, policy: GuardPolicy): URL | undefined {
  if (!/^https?:\/\//i.test(source)) return undefined;
  checkText(source, policy);
  try {
    return new URL(source);
  } catch {
    throw new HeadgateError('invalid_url', 'This is not a web address.', {
      remediation: 'Write it like https://example.com/page.',
    });
  }
}

const LIMIT_DEFAULT = 100;

function limitOf(limit: number = LIMIT_DEFAULT): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= LIMITS.libraryPagesMax) return limit;
  throw new HeadgateError('invalid_request', `limit: 1 to ${LIMITS.libraryPagesMax} pages.`);
}
