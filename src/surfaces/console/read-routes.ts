import type { Context, Hono } from 'hono';
import { LIMITS } from '../../core/limits.ts';
import type { LedgerEntry } from '../../store/reports.ts';
import { errorResponse } from '../http/error-response.ts';
import type { HttpWorld } from '../http/world.ts';
import { agentHelp } from './agent-help.ts';
import type { ConsoleAuth } from './auth.ts';

const DAY_MS = 24 * 3_600_000;

/** What only the console shows: the last day in minutes, an agent's tools, the audit, and the ledger as a file. */
export function mountReads(app: Hono, world: HttpWorld, auth: ConsoleAuth): void {
  const { store, services, history } = world;
  const get = (path: string, read: (context: Context) => Promise<object>): void => {
    app.get(`/console/api/${path}`, async (context) => {
      try {
        await auth.require(context);
        const found = await read(context);
        if (found instanceof Response) return found;
        return context.json(found as never, 200, { 'cache-control': 'no-store' });
      } catch (thrown) {
        return errorResponse(thrown);
      }
    });
  };
  get('history', async () => ({ minutes: history.minutes(services.clock.now() - DAY_MS) }));
  get('audit', async () => ({ entries: await store.sessions.audit(LIMITS.auditRowsMax) }));
  get('agents/:id', async (context) =>
    agentHelp(await store.agents.get(context.req.param('id') ?? ''), world),
  );
  get('ledger.csv', async (context) => {
    const subscription = context.req.query('subscription');
    return new Response(
      csvOf(store.reports.exportLedger(subscription === undefined ? {} : { subscription })),
      {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="headgate-ledger.csv"',
          'cache-control': 'no-store',
        },
      },
    );
  });
}

const COLUMNS = [
  'seq',
  'at',
  'subscription',
  'kind',
  'amount',
  'balance',
  'reference',
  'workspace',
  'agent',
  'key',
  'provider',
  'category',
  'note',
] as const satisfies (keyof LedgerEntry)[];

/** Read page by page as it is sent; the amounts are millionths of a dollar. */
function csvOf(entries: AsyncGenerator<LedgerEntry>): ReadableStream {
  const encoder = new TextEncoder();
  let isFirst = true;
  return new ReadableStream({
    pull: async (stream) => {
      if (isFirst) stream.enqueue(encoder.encode(`${COLUMNS.join(',')}\r\n`));
      isFirst = false;
      const { value, done } = await entries.next();
      if (done === true) return stream.close();
      const cells = COLUMNS.map((column) =>
        cellOf(column === 'at' ? new Date(value.at).toISOString() : value[column]),
      );
      stream.enqueue(encoder.encode(`${cells.join(',')}\r\n`));
    },
    cancel: async () => void (await entries.return(undefined)),
  });
}

/** Quoted, and harmless in a spreadsheet: text that begins like a formula gets an apostrophe. */
function cellOf(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
