import type { Context, Hono } from 'hono';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { VERSION } from '../core/version.ts';
import { HEALTH_STATES, healthOf } from '../routing/provider-health.ts';
import { isSame, operatorOnly, requireRole, type AdminGate } from './admin/mount.ts';
import { keyOf } from './door/credentials.ts';
import { isForThisMachine } from './door/host-rules.ts';
import type { GatewayContext } from './door/context.ts';

/**
 * `/healthz` (alive), `/readyz` (ready for work) and `/metrics` (open on this machine, else for
 * admins).
 */
export function mountHealth(app: Hono, gateway: GatewayContext, gate: AdminGate): void {
  const { services, store, openRequests, metrics } = gateway;
  metrics.gauge('headgate_requests_running', 'Requests in flight.', () => openRequests.count);
  metrics.gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  metrics.gauge('process_uptime_seconds', 'Uptime of the process.', () => process.uptime());
  metrics.gauge('headgate_provider_state', 'Provider health: 1 for the current state of each.', () =>
    services.providers.flatMap((ready) => {
      const { state } = healthOf(ready, services);
      return HEALTH_STATES.map((one) => ({
        labels: { provider: ready.provider.id, state: one },
        value: one === state ? 1 : 0,
      }));
    }),
  );
  metrics.gauge(
    'headgate_shared_gateways',
    'Gateways that share limits, this one included; 0 while PostgreSQL cannot be reached.',
    () => {
      const { gateways, state } = services.shared.status();
      return state === 'lost' ? 0 : gateways;
    },
  );
  metrics.total(
    'headgate_shared_operations_total',
    'Statements sent to the database for shared limits.',
    () => services.shared.status().operations,
  );
  const { tracer } = services;
  if (tracer !== undefined) {
    const { counts } = tracer;
    metrics.total('headgate_spans_exported_total', 'Spans delivered.', () => counts.exported);
    metrics.total('headgate_spans_dropped_total', 'Spans dropped.', () => counts.dropped);
  }
  const checkWatcher = async (context: Context): Promise<void> => {
    const { metrics_token: token } = services.config.server;
    const shown = keyOf(context.req);
    if (token !== undefined && shown !== undefined && isSame(shown, token)) return;
    const { workspace, roles } = await gate(context);
    if (workspace !== undefined) throw operatorOnly();
    if (roles !== undefined) requireRole(roles.role, 'viewer');
  };

  // A read-only store is not ready. Checked at most once per second.
  let checked: { at: number; problem: Promise<string | undefined> } | undefined;
  const problemOf = (): Promise<string | undefined> => {
    const at = services.clock.monotonic();
    if (checked !== undefined && at - checked.at < LIMITS.readyKnownMs) return checked.problem;
    const problem = store.checkWritable().then(
      () => undefined,
      (thrown: unknown) => HeadgateError.from(thrown).message,
    );
    checked = { at, problem };
    return problem;
  };

  app.get('/healthz', (context) => {
    const providers = services.providers.map((ready) => ready.provider.id);
    return context.json({ status: 'ok', version: VERSION, providers });
  });
  app.get('/readyz', async (context) => {
    if (openRequests.isDraining) return context.json({ status: 'draining' }, 503);
    const problem = await problemOf();
    if (problem !== undefined) return context.json({ status: 'unavailable', reason: problem }, 503);
    return context.json({ status: 'ready' });
  });
  app.get('/metrics', async (context) => {
    if (!isForThisMachine(services.config.server)) await checkWatcher(context);
    return context.text(metrics.text(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  });
}
