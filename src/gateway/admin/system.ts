import { z } from 'zod';
import { creditPrice } from '../../config/credit-price.ts';
import { flag } from '../../contract/fields.ts';
import { VERSION } from '../../core/version.ts';
import { LIMITS } from '../../core/limits.ts';
import { diagnose } from '../../operations/doctor.ts';
import { laneOf } from '../../routing/key-ring.ts';
import type { ReadyProvider } from '../../routing/ready-provider.ts';
import { type Capability, capabilitiesOf } from '../../providers/provider.ts';
import { searchMissingOf } from '../../routing/known-providers.ts';
import { healthOf } from '../../routing/provider-health.ts';
import type { GatewayContext } from '../door/context.ts';
import { defineRoute } from './route.ts';

/** Status, providers and doctor. */
export const systemRoutes = [
  defineRoute({
    method: 'GET',
    path: '/status',
    summary: 'Get version, uptime, load and readiness.',
    run: async (_input, { services, openRequests, operations }) => ({
      version: VERSION,
      node: process.versions.node,
      uptimeSeconds: Math.round(process.uptime()),
      memoryBytes: process.memoryUsage.rss(),
      shared: services.shared.status(),
      running: openRequests.count,
      draining: openRequests.isDraining,
      operations: operations.map((operation) => operation.contract.name),
      tiers: services.config.tiers,
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/handshakes',
    summary:
      'List the last sign-ins of MCP clients at this gateway: how far each came, what failed, what to do.',
    run: async (_input, { handshakes }) => ({ handshakes: handshakes.latest() }),
  }),
  defineRoute({
    method: 'GET',
    path: '/providers',
    summary: 'List the providers and the outcomes of their recent attempts.',
    run: async (_input, gateway) => ({
      providers: gateway.services.providers.map((ready) => providerHealth(ready, gateway)),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/doctor',
    summary: 'Check the setup. With `online`, every free provider is called once.',
    query: z.object({ online: flag().default(false) }),
    run: async ({ query }, { services }) => ({
      findings: await diagnose(services, {
        online: query.online,
        signal: AbortSignal.timeout(LIMITS.providerTimeoutMs),
      }),
    }),
  }),
];

/** What a provider that reads pages without a key cannot do without one. */
const NEEDS_KEY = new Set<Capability>(['search', 'rerank']);

/** A provider as the console and `/admin/providers` show it. */
export function providerHealth(ready: ReadyProvider, { services, providerKeys }: GatewayContext) {
  const { provider, keys } = ready;
  const usable = services.keyRing.candidates(ready);
  const rest = usable.length === 0 ? services.keyRing.nextCooldown(ready) : undefined;
  const missing = searchMissingOf(provider, services.config);
  const can = capabilitiesOf(provider);
  return {
    id: provider.id,
    title: provider.title,
    priced: creditPrice(provider.id, services.config) > 0,
    can: missing === undefined ? can : can.filter((capability) => !NEEDS_KEY.has(capability)),
    ...(missing === undefined ? {} : { missing }),
    keys: keys.length,
    keysUsable: usable.length,
    health: healthOf(ready, services),
    ...(rest === undefined ? {} : { resting: { until: rest.until, reason: rest.reason } }),
    cooldowns: services.keyRing.all(ready).flatMap((candidate, index) => {
      const { until, reason } = services.keyRing.cooldownOf(candidate) ?? {};
      return until === undefined ? [] : [{ key: index + 1, until, reason }];
    }),
    left: services.keyRing.all(ready).flatMap((candidate, index) => {
      const left = providerKeys?.left.get(laneOf(candidate));
      return left === undefined ? [] : [{ key: index + 1, ...left }];
    }),
    circuits: usable.map((candidate) => services.breaker.state(laneOf(candidate))),
  };
}
