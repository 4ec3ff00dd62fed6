import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { parseInput } from '../../contract/parse.ts';
import { roleIn, type Role } from '../../core/roles.ts';
import { LIMITS } from '../../core/limits.ts';
import type { LedgerEntry } from '../../store/ledger-pages.ts';
import type { Admin } from '../../store/sessions.ts';
import { defined } from '../admin/accounts.ts';
import { requireRole } from '../admin/mount.ts';
import { ledgerFilters } from '../admin/reports.ts';
import { errorResponse } from '../door/error-response.ts';
import { isLoopback } from '../door/host-rules.ts';
import { lineStream } from '../door/line-stream.ts';
import type { GatewayContext } from '../door/context.ts';
import { LEDGER_CSV_HEAD, ledgerCsvLine } from '../../store/ledger-csv.ts';
import { clientConfigs, shellLine } from '../../mcp/client-configs.ts';
import { overviewOf, overviewQuery } from './overview-route.ts';
import { agentHelp } from './agent-help.ts';
import type { ConsoleAuth } from './auth.ts';

/** Data that only the console shows: the overview, agent tools, audit log and the ledger as CSV. */
export function mountReads(app: Hono, gateway: GatewayContext, auth: ConsoleAuth): void {
  const { store } = gateway;
  const get = (
    path: string,
    role: Role | undefined,
    read: (context: Context, admin: Admin) => Promise<object>,
  ): void => {
    app.get(`/console/api/${path}`, async (context) => {
      try {
        const { admin } = await auth.require(context, role);
        const found = await read(context, admin);
        if (found instanceof Response) return found;
        return context.json(found as never, 200, { 'cache-control': 'no-store' });
      } catch (thrown) {
        return errorResponse(thrown);
      }
    });
  };
  get('overview', 'viewer', (context) => overviewOf(parseInput(overviewQuery, context.req.query()), gateway));
  get('audit', 'viewer', async () => ({ entries: await store.sessions.audit(LIMITS.auditRowsMax) }));
  get('agents/:id', undefined, async (context, admin) => {
    if (admin.role === null && admin.workspaces.length === 0) requireRole(null, 'viewer');
    const agent = await store.agents.get(context.req.param('id') ?? '');
    requireRole(roleIn(admin, agent.workspace), 'viewer');
    return agentHelp(agent, gateway);
  });
  get('connect', undefined, async (context) => connectWays(context.req.query('url') ?? '', gateway));
  get('ledger.csv', 'viewer', async (context) => {
    const filter = defined(parseInput(z.object(ledgerFilters), context.req.query()));
    return new Response(lineStream(csvOf(store.reports.exportLedger(filter))), {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="headgate-ledger.csv"',
        'cache-control': 'no-store',
      },
    });
  });
}

/** The page replaces `YOUR-KEY`; the key itself is not sent again. */
function connectWays(url: string, { services, launch }: GatewayContext): object {
  const clients = clientConfigs({ url, headers: { Authorization: 'Bearer YOUR-KEY' } });
  // The path of a program is useful only on the same machine.
  const isLocal = launch !== undefined && isLoopback(services.config.server.host);
  return { clients, local: isLocal ? shellLine({ ...launch, args: [...launch.args, 'mcp'] }) : null };
}

/** The ledger page by page. */
async function* csvOf(entries: AsyncGenerator<LedgerEntry>): AsyncGenerator<string> {
  yield LEDGER_CSV_HEAD;
  for await (const entry of entries) yield ledgerCsvLine(entry);
}
