import type { Millionths } from '../core/money.ts';
import { providers } from '../providers/index.ts';
import type { Config, ProviderSection } from './schema.ts';

/** The id under which the calls of bridged tools are priced. */
export const BRIDGE = 'bridge';

/**
 * What one credit costs: the operator's price, or the usual one of the provider. 0 is free and not counted.
 */
export function creditPrice(provider: string, config: Pick<Config, 'providers' | 'bridge'>): Millionths {
  if (provider === BRIDGE) return config.bridge.credit_price;
  const sections = config.providers as Record<string, ProviderSection>;
  const usual = providers.find((one) => one.id === provider)?.creditPrice ?? 0;
  return sections[provider]?.credit_price ?? usual;
}

/** The prices of everything that is metered, for the meter. */
export const creditPrices = (config: Pick<Config, 'providers' | 'bridge'>): Record<string, Millionths> =>
  Object.fromEntries(
    [...providers.map((provider) => provider.id), BRIDGE].map((id) => [id, creditPrice(id, config)]),
  );
