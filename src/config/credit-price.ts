import type { Millionths } from '../core/money.ts';
import { providers } from '../providers/index.ts';
import type { Provider } from '../providers/provider.ts';
import type { Config, ProviderSection } from './schema.ts';

/** The id under which the calls of bridged tools are priced. */
export const BRIDGE = 'bridge';

/**
 * What one credit costs: the operator's price, or the usual one of the provider. 0 is free and not counted.
 */
export function creditPrice(provider: string, config: Pick<Config, 'providers' | 'bridge'>): Millionths {
  if (provider === BRIDGE) return config.bridge.credit_price;
  const sections = config.providers as Record<string, ProviderSection>;
  const [id = '', tier] = provider.split('/');
  const usual = tier === KEYLESS ? 0 : (providers.find((one) => one.id === id)?.creditPrice ?? 0);
  return sections[id]?.credit_price ?? usual;
}

const KEYLESS = 'keyless';

/** The name under which requests are metered and priced: without a key, a priced provider has a tier that is free. */
export const meteredName = ({ id, keys }: Pick<Provider, 'id' | 'keys'>, hasKey: boolean): string =>
  keys === 'optional' && !hasKey ? `${id}/${KEYLESS}` : id;

/** The prices of everything that is metered, for the meter. */
export const creditPrices = (config: Pick<Config, 'providers' | 'bridge'>): Record<string, Millionths> =>
  Object.fromEntries(
    [
      ...providers.flatMap((provider) => [...new Set([provider.id, meteredName(provider, false)])]),
      BRIDGE,
    ].map((id) => [id, creditPrice(id, config)]),
  );
