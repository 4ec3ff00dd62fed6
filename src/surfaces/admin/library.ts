import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { integer, strings } from '../../contract/fields.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { addToLibrary, type AddRequest } from '../../operations/library/add.ts';
import type { LibraryJob } from '../../operations/library/jobs.ts';
import type { Library } from '../../operations/services.ts';
import type { HttpWorld } from '../http/world.ts';
import { defineRoute, type AdminRoute } from './route.ts';

const workspace = z.string().min(1).max(LIMITS.meterNameCharsMax).optional();
const owner = z.object({ workspace });
const text = z.string().trim().min(1);

/** The libraries: what is in them, what is being added, and searching them. Files may be added only from the roots of the configuration. */
export const libraryRoutes: AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/library',
    summary: 'How large a library is, and from where it may be filled; the shared one without a workspace.',
    query: owner,
    run: async ({ query }, world) => {
      const { roots, keep, keep_days: days, keep_megabytes: megabytes } = world.services.config.library;
      const stats = await (await libraryOf(query, world)).stats();
      return {
        stats,
        roots,
        keep: { enabled: keep, days, megabytes },
        jobs: world.services.libraryJobs.list(),
      };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/library/documents',
    summary: 'The documents of a library, in the order in which they came.',
    query: owner.extend({ offset: integer(0, 100_000_000).default(0), limit: integer(1, 1_000).default(50) }),
    run: async ({ query }, world) => ({
      documents: await (await libraryOf(query, world)).list({ offset: query.offset, limit: query.limit }),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/library/search',
    summary: 'Searches a library, with filters.',
    query: owner.extend({
      query: text.max(LIMITS.queryCharsMax),
      limit: integer(1, LIMITS.resultsMax).default(10),
      package: text.max(300).optional(),
      domain: text.max(300).optional(),
      since: z.iso.date().optional(),
      until: z.iso.date().optional(),
    }),
    run: async ({ query }, world) =>
      (await libraryOf(query, world)).search({
        text: query.query,
        resultsMax: query.limit,
        packages: query.package === undefined ? undefined : [query.package],
        includeDomains: query.domain === undefined ? undefined : [query.domain],
        startDate: query.since,
        endDate: query.until,
      }),
  }),
  defineRoute({
    method: 'POST',
    path: '/library/add',
    summary:
      'Begins to add a file, a folder, node_modules, a page, a site or a sitemap; the job tells how far it is.',
    body: owner.extend({
      source: text.max(LIMITS.urlCharsMax).describe('A path below a root, or an address of the web.'),
      depth: integer(1, 5).optional(),
      limit: integer(1, LIMITS.libraryPagesMax).optional(),
    }),
    run: async ({ body }, world) => ({ job: await begin(body, world) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/library/jobs/:id',
    summary: 'Cancels an addition; what it has added stays.',
    run: async ({ params }, { services }) => ({ job: services.libraryJobs.cancel(params['id'] ?? '') }),
  }),
  defineRoute({
    method: 'POST',
    path: '/library/remove',
    summary: 'Removes documents by id, by package, or by the beginning of their address.',
    body: owner.extend({
      ids: strings(1_000).optional(),
      package: text.optional(),
      under: text.optional(),
    }),
    run: async ({ body }, world) => ({
      removed: await (
        await libraryOf(body, world)
      ).remove({
        ids: body.ids,
        package: body.package,
        urlPrefixes: body.under === undefined ? undefined : [body.under],
      }),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/library/compact',
    summary: 'Drops what has expired and puts segments together.',
    body: owner,
    run: async ({ body }, world) => (await libraryOf(body, world)).compact(),
  }),
  defineRoute({
    method: 'POST',
    path: '/library/rebuild',
    summary: 'Builds the index again from the stored documents.',
    body: owner,
    run: async ({ body }, world) => (await libraryOf(body, world)).rebuild(),
  }),
];

async function libraryOf(
  { workspace: id }: { workspace?: string | undefined },
  { services, store }: HttpWorld,
): Promise<Library> {
  return services.library.of(id === undefined ? undefined : (await store.accounts.workspace(id)).id);
}

async function begin(request: AddRequest, world: HttpWorld): Promise<LibraryJob> {
  const { services } = world;
  await libraryOf(request, world);
  const isWeb = /^https?:\/\//i.test(request.source);
  const { roots } = services.config.library;
  if (!isWeb) checkPath(request.source, roots);
  return services.libraryJobs.start(request, (control) =>
    addToLibrary(request, { ...control, roots }, services),
  );
}

/** The reader checks every file again; this only says early, and in words, what can never be. */
function checkPath(path: string, roots: string[]): void {
  if (!isAbsolute(path))
    throw new HeadgateError('invalid_request', 'source: an absolute path, or an http(s) address.');
  if (roots.length === 0)
    throw new HeadgateError('forbidden', 'Files may not be added from here: no folder is allowed.', {
      remediation: 'Name folders in [library] roots, or use `headgate library add` on the machine itself.',
    });
}
