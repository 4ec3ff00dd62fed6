import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { integer, strings } from '../../contract/fields.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { addToLibrary, type AddRequest } from '../../operations/library/add.ts';
import type { LibraryJob } from '../../operations/library/jobs.ts';
import type { Library } from '../../library/library.ts';
import type { GatewayContext } from '../door/context.ts';
import { defineRoute } from './route.ts';

const workspace = z.string().min(1).max(LIMITS.meterNameCharsMax).optional();
const owner = z.object({ workspace });
const text = z.string().trim().min(1);

/** Libraries: contents, running jobs and search. Files can be added only from the configured roots. */
export const libraryRoutes = [
  defineRoute({
    method: 'GET',
    path: '/library',
    summary: 'Get the size and the allowed folders of a library. Without a workspace: the shared one.',
    query: owner,
    run: async ({ query }, gateway) => {
      const { roots, keep, keep_days: days, keep_megabytes: megabytes } = gateway.services.config.library;
      const stats = await (await libraryOf(query, gateway)).stats();
      return {
        stats,
        roots,
        keep: { enabled: keep, days, megabytes },
        jobs: gateway.services.libraryJobs.list(),
      };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/library/documents',
    summary: 'List the documents of a library in the order in which they were added.',
    query: owner.extend({ offset: integer(0, 100_000_000).default(0), limit: integer(1, 1_000).default(50) }),
    run: async ({ query }, gateway) => ({
      documents: await (await libraryOf(query, gateway)).list({ offset: query.offset, limit: query.limit }),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/library/search',
    summary: 'Search a library, with filters.',
    query: owner.extend({
      query: text.max(LIMITS.queryCharsMax),
      limit: integer(1, LIMITS.resultsMax).default(10),
      package: text.max(300).optional(),
      domain: text.max(300).optional(),
      since: z.iso.date().optional(),
      until: z.iso.date().optional(),
    }),
    run: async ({ query }, gateway) =>
      (await libraryOf(query, gateway)).search({
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
      'Start to add a file, a folder, node_modules, a page, a site or a sitemap. The job reports progress.',
    body: owner.extend({
      source: text.max(LIMITS.urlCharsMax).describe('A path below a root, or a web address.'),
      depth: integer(1, 5).optional(),
      limit: integer(1, LIMITS.libraryPagesMax).optional(),
    }),
    deed: ({ body }) => ({ did: 'library.add', fields: { source: body.source, ...ownerOf(body) } }),
    run: async ({ body }, gateway) => ({ job: await begin(body, gateway) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/library/jobs/:id',
    summary: 'Cancel a job. Documents that it has added stay.',
    deed: ({ params }) => ({ did: 'library.cancel', fields: { job: params['id'] ?? '' } }),
    run: async ({ params }, { services }) => ({ job: services.libraryJobs.cancel(params['id'] ?? '') }),
  }),
  defineRoute({
    method: 'POST',
    path: '/library/remove',
    summary: 'Remove documents by ID, package or address prefix.',
    body: owner.extend({
      ids: strings(1_000).optional(),
      package: text.optional(),
      under: text.optional(),
    }),
    deed: ({ body }, { removed }) => ({
      did: 'library.remove',
      fields: { count: String(removed), ...ownerOf(body) },
    }),
    run: async ({ body }, gateway) => ({
      removed: await (
        await libraryOf(body, gateway)
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
    summary: 'Remove expired documents and merge segments.',
    body: owner,
    deed: ({ body }) => ({ did: 'library.compact', fields: ownerOf(body) }),
    run: async ({ body }, gateway) => (await libraryOf(body, gateway)).compact(),
  }),
  defineRoute({
    method: 'POST',
    path: '/library/rebuild',
    summary: 'Rebuild the index from the stored documents.',
    body: owner,
    deed: ({ body }) => ({ did: 'library.rebuild', fields: ownerOf(body) }),
    run: async ({ body }, gateway) => (await libraryOf(body, gateway)).rebuild(),
  }),
];

const ownerOf = ({ workspace: id }: { workspace?: string | undefined }): { owner: string } => ({
  owner: id ?? 'everybody',
});

async function libraryOf(
  { workspace: id }: { workspace?: string | undefined },
  { services, store }: GatewayContext,
): Promise<Library> {
  return services.library.of(id === undefined ? undefined : (await store.accounts.workspace(id)).id);
}

async function begin(request: AddRequest, gateway: GatewayContext): Promise<LibraryJob> {
  const { services } = gateway;
  await libraryOf(request, gateway);
  const isWeb = /^https?:\/\//i.test(request.source);
  const { roots } = services.config.library;
  if (!isWeb) checkPath(request.source, roots);
  return services.libraryJobs.start(request, (control) =>
    addToLibrary(request, { ...control, roots }, services),
  );
}

/** An early check with a clear message; the reader checks every file again. */
function checkPath(path: string, roots: string[]): void {
  if (!isAbsolute(path))
    throw new HeadgateError('invalid_request', 'source: an absolute path, or an http(s) address.');
  if (roots.length === 0)
    throw new HeadgateError('forbidden', 'Files cannot be added here: no folder is allowed.', {
      remediation: 'List folders in [library] roots, or use `headgate library add` on the machine itself.',
    });
}
