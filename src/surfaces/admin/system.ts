import { z } from 'zod';
import { creditPrice } from '../../config/credit-price.ts';
import { configRows } from '../../config/rows.ts';
import { flag, integer } from '../../contract/fields.ts';
import { VERSION } from '../../core/version.ts';
import { LIMITS } from '../../core/limits.ts';
import { diagnose } from '../../operations/doctor.ts';
import type { ReadyProvider } from '../../operations/asking/ready-provider.ts';
import { capabilitiesOf, searchMissingOf } from '../../operations/asking/known-providers.ts';
import { healthOf } from '../../operations/asking/provider-health.ts';
import type { HttpWorld } from '../http/world.ts';
import { defineRoute, type AdminRoute } from './route.ts';

/** The gateway itself: how it is set up and how it does. */
export const systemRoutes: AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/status',
    summary: 'Version, age, load and readiness.',
    run: async (_input, { services, flights, operations }) => ({
      version: VERSION,
      node: process.versions.node,
      uptimeSeconds: Math.round(process.uptime()),
      memoryBytes: process.memoryUsage.rss(),
      running: flights.count,
      draining: flights.isDraining,
      operations: operations.map((operation) => operation.contract.name),
      tiers: services.config.tiers,
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/calls',
    summary: 'The latest calls, newest first; without queries and contents.',
    query: z.object({ limit: integer(1, LIMITS.recentCallsMax).default(50) }),
    run: async ({ query }, { recent }) => ({ calls: recent.latest(query.limit) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/providers',
    summary: 'Who can be asked, and how the attempts of the last minutes went.',
    run: async (_input, world) => ({
      providers: world.services.providers.map((ready) => providerHealth(ready, world)),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/config',
    summary: 'Every setting with its value, its meaning and where it comes from; secrets are only counted.',
    run: async (_input, { services, origins }) => ({ config: configRows(services.config, origins ?? {}) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/doctor',
    summary: 'What is missing or wrong; `online` also asks every free provider once.',
    query: z.object({ online: flag().default(false) }),
    run: async ({ query }, { services }) => ({
      findings: await diagnose(services, {
        online: query.online,
        signal: AbortSignal.timeout(LIMITS.providerTimeoutMs),
      }),
    }),
  }),
];

function providerHealth(ready: ReadyProvider, { services }: HttpWorld) {
  const { provider, keys } = ready;
  const usable = services.keyRing.candidates(ready);
  const rest = usable.length === 0 ? services.keyRing.resting(ready) : undefined;
  const missing = searchMissingOf(provider, services.config);
  const can = capabilitiesOf(provider);
  return {
    id: provider.id,
    title: provider.title,
    priced: creditPrice(provider.id, services.config) > 0,
    can: missing === undefined ? can : can.filter((capability) => capability !== 'search'),
    ...(missing === undefined ? {} : { missing }),
    keys: keys.length,
    keysUsable: usable.length,
    health: healthOf(ready, services),
    ...(rest === undefined ? {} : { resting: { until: rest.until, reason: rest.reason } }),
    circuits: usable.map((candidate) => services.breaker.state(candidate.id)),
  };
}
