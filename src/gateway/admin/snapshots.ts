import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import { integer } from '../../contract/fields.ts';
import { HeadgateError } from '../../core/errors.ts';
import { snapshotsIn } from '../../config/web-folder.ts';
import { clip } from '../../core/text.ts';
import type { Entry, WebSnapshot } from '../../snapshot/entry.ts';
import type { GatewayContext } from '../door/context.ts';
import { defineRoute } from './route.ts';

const which = z.object({ snapshot: integer(0, 1_000) });
/** What is shown of a page. */
const CHARS_MAX = 200_000;

/** The snapshots that the operator's configuration names, and those in its folder. A caller chooses among them by number and never names a file. */
export const snapshotRoutes = [
  defineRoute({
    method: 'GET',
    path: '/snapshots',
    summary: 'List the snapshots that the configuration names, and those in `[web] folder`.',
    run: async (_input, { services }) => {
      const { web } = services.config;
      return { mode: web.mode, snapshots: await Promise.all(pathsOf(web).map(described)) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/snapshots/exchanges',
    summary: 'List the exchanges of a snapshot, in the order of their addresses.',
    query: which.extend({
      contains: z.string().max(2_048).default('').describe('Only addresses with this in them.'),
      offset: integer(0, 100_000_000).default(0),
      limit: integer(1, 1_000).default(50),
    }),
    run: async ({ query }, gateway) =>
      withSnapshot(query.snapshot, gateway, async ({ entries }) => {
        const found = entries
          .map((entry, id) => ({ ...shownOf(entry), id }))
          .filter(({ url }) => url.includes(query.contains))
          .sort((a, b) => (a.url < b.url ? -1 : a.url > b.url ? 1 : a.at - b.at));
        return { total: found.length, exchanges: found.slice(query.offset, query.offset + query.limit) };
      }),
  }),
  defineRoute({
    method: 'GET',
    path: '/snapshots/exchange',
    summary: 'Get an answer as it was captured, as text, and as it is extracted.',
    query: which.extend({ id: integer(0, 100_000_000) }),
    run: async ({ query }, gateway) =>
      withSnapshot(query.snapshot, gateway, async (snapshot) => {
        const entry = snapshot.entries[query.id];
        if (entry === undefined) throw new HeadgateError('not_found', 'The snapshot has no such exchange.');
        const answer = snapshot.answer(entry);
        if ('failed' in answer) return { ...shownOf(entry), headers: {}, captured: '', extracted: null };
        const { headers, bytes } = answer;
        return {
          ...shownOf(entry),
          headers,
          captured: clip(bytes.toString(), CHARS_MAX),
          extracted: entry.kind === 'page' ? await extractedFrom(entry, bytes, headers, gateway) : null,
        };
      }),
  }),
];

const pathsOf = ({ snapshot, folder }: GatewayContext['services']['config']['web']): string[] => [
  ...snapshot,
  ...snapshotsIn(folder),
];

const shownOf = ({ method, url, at, status, mime = '', failed, kind }: Entry) => ({
  method,
  url,
  at,
  status: status ?? null,
  mime,
  failed: failed ?? null,
  kind,
});

async function extractedFrom(
  { url }: Entry,
  bytes: Buffer,
  headers: Record<string, string>,
  { services }: GatewayContext,
): Promise<string | null> {
  try {
    const page = { bytes, contentType: headers['content-type'] ?? '', url };
    const { markdown } = await services.extract(
      page,
      {},
      AbortSignal.timeout(services.config.search.timeout_ms),
    );
    return clip(markdown, CHARS_MAX);
  } catch {
    return null;
  }
}

async function described(path: string) {
  const name = basename(path);
  const empty = { name, bytes: 0, exchanges: 0, pages: 0, failed: 0, from: null, to: null };
  if (!existsSync(path)) return { ...empty, problem: 'missing' as const };
  try {
    const snapshot = await opened(path);
    const { entries } = snapshot;
    snapshot.close();
    let [from, to] = [Number.POSITIVE_INFINITY, 0];
    for (const { at } of entries) [from, to] = [Math.min(from, at), Math.max(to, at)];
    return {
      name,
      bytes: statSync(path).size,
      exchanges: entries.length,
      pages: entries.filter(({ kind }) => kind === 'page').length,
      failed: entries.filter(({ failed }) => failed !== undefined).length,
      from: entries.length === 0 ? null : from,
      to: entries.length === 0 ? null : to,
      problem: null,
    };
  } catch {
    return { ...empty, problem: 'unusable' as const };
  }
}

const opened = async (path: string): Promise<WebSnapshot> =>
  (await import('../../snapshot/snapshot.ts')).openSnapshotInTurns(path);

async function withSnapshot<Value>(
  index: number,
  { services }: GatewayContext,
  run: (snapshot: WebSnapshot) => Promise<Value>,
): Promise<Value> {
  const path = pathsOf(services.config.web)[index];
  if (path === undefined || !existsSync(path))
    throw new HeadgateError('not_found', 'There is no such snapshot.', {
      remediation: '`GET /admin/snapshots` lists them, beginning with 0.',
    });
  const snapshot = await opened(path);
  try {
    return await run(snapshot);
  } finally {
    snapshot.close();
  }
}
