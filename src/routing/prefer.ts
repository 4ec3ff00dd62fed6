import { creditPrice, meteredName } from '../config/credit-price.ts';
import { formatUsd } from '../core/money.ts';
import { named, own } from '../core/own-text.ts';
import type { ReadyProvider } from './ready-provider.ts';
import type { RoutingServices } from './services.ts';

const TEN_RESULTS = { text: '', resultsMax: 10 };

/**
 * Orders the providers of `auto` as `[search] prefer` says; equal ones keep the order of the list. By latency, whoever was not asked in
 * the last hour comes first: otherwise nobody would know whether it is fast.
 */
export function byPreference(chain: ReadyProvider[], services: RoutingServices): ReadyProvider[] {
  const { prefer } = services.config.search;
  if (prefer === 'order') return chain;
  const ranked = chain.map((ready) =>
    prefer === 'cost' ? byCost(ready, services) : byLatency(ready, services),
  );
  return ranked.sort((a, b) => a.rank - b.rank).map(({ ready }) => ready);
}

interface Ranked {
  ready: ReadyProvider;
  rank: number;
}

function byCost(ready: ReadyProvider, { config }: RoutingServices): Ranked {
  const { provider, keys } = ready;
  const price = creditPrice(meteredName(provider, keys.length > 0), config);
  const cost = price * (provider.search?.creditsMax?.(TEN_RESULTS) ?? 1);
  const why = own`Cheapest first: a search costs at most ${named(formatUsd(cost))}.`;
  return { ready: { ...ready, why }, rank: cost };
}

function byLatency(ready: ReadyProvider, { health }: RoutingServices): Ranked {
  const ms = health.medianMs(ready.provider.id);
  const why =
    ms === undefined
      ? own`Fastest first: it was not asked in the last hour.`
      : own`Fastest first: half of its answers took at most ${Math.round(ms)} ms.`;
  return { ready: { ...ready, why }, rank: ms ?? -1 };
}
