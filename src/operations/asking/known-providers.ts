import type { Config } from '../../config/schema.ts';
import { providers } from '../../providers/index.ts';
import { CAPABILITIES, type Capability, type Provider } from '../../providers/provider.ts';
import { missingOf } from './chain.ts';
import { localProvider } from './local-library.ts';
import { ownReader } from './own-reader.ts';
import type { Services } from '../services.ts';

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

/** All providers, set up or not; the built-in one last. */
export function knownProviders({ config }: Services): KnownProvider[] {
  const own: KnownProvider = {
    id: ownReader.id,
    title: ownReader.title,
    can: [...CAPABILITIES],
  };
  const local: KnownProvider = {
    id: localProvider.id,
    title: localProvider.title,
    can: ['search'],
  };
  const others = providers.map((provider): KnownProvider => {
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
  return [...others, local, own];
}

/** Why a provider can read but not search with its settings, or undefined. */
export function searchMissingOf(provider: Provider, config: Config): string | undefined {
  const keys = (config.providers as Record<string, { api_key?: string[] }>)[provider.id]?.api_key ?? [];
  if (provider.search?.needsKey !== true || keys.length > 0) return undefined;
  return `Searching needs a key: set ${provider.keyVariable ?? 'one'}.`;
}

export const capabilitiesOf = (provider: Provider): Capability[] =>
  CAPABILITIES.filter((capability) => provider[capability] !== undefined);
