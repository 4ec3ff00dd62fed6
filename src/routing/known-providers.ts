import type { Config } from '../config/schema.ts';
import { diagnosed } from '../core/own-text.ts';
import type { OwnText } from '../core/text.ts';
import { providers } from '../providers/index.ts';
import { capabilitiesOf, type Capability, type Provider } from '../providers/provider.ts';
import { missingOf } from './chain.ts';
import type { RoutingServices } from './services.ts';

/** A provider as shown to somebody who chooses one. */
export interface KnownProvider {
  id: string;
  title: string;
  can: Capability[];
  /** Why it cannot be used; absent when it can. */
  missing?: string;
  /** Why it can read but not search; absent when it can do both. */
  searchMissing?: string;
}

/** All providers, set up or not. */
export const knownProviders = ({ config }: RoutingServices): KnownProvider[] =>
  providers.map((provider) => {
    const missing = missingOf(provider, config);
    const searchMissing = searchMissingOf(provider, config);
    return {
      id: provider.id,
      title: provider.title,
      can: capabilitiesOf(provider),
      ...(missing === undefined ? {} : { missing }),
      ...(searchMissing === undefined ? {} : { searchMissing }),
    };
  });

/** Why a provider can read but not search with its settings, or undefined. */
export function searchMissingOf(provider: Provider, config: Config): OwnText | undefined {
  const keys = (config.providers as Record<string, { api_key?: string[] }>)[provider.id]?.api_key ?? [];
  if (provider.search?.needsKey !== true || keys.length > 0) return undefined;
  return diagnosed`Searching needs a key: set ${provider.keyVariable ?? 'one'}.`;
}
