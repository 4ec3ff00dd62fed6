import type { Config } from '../../config/schema.ts';
import { providers } from '../../providers/index.ts';
import { CAPABILITIES, type Capability, type Provider } from '../../providers/provider.ts';
import { missingOf } from './chain.ts';
import { localProvider } from './local-library.ts';
import { ownReader } from './own-reader.ts';
import type { Services } from '../services.ts';

/** A provider as somebody who chooses one wants to see it. */
export interface KnownProvider {
  id: string;
  title: string;
  can: Capability[];
  /** What keeps it from searching or reading, in words; absent when nothing does. */
  missing?: string;
  /** It reads with what is set up, but does not search. */
  searchMissing?: string;
}

/** Everybody who could be asked, set up or not; ourselves last. */
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

/** Why a provider reads but does not search with what is set up, in words, or undefined. */
export function searchMissingOf(provider: Provider, config: Config): string | undefined {
  const keys = (config.providers as Record<string, { api_key?: string[] }>)[provider.id]?.api_key ?? [];
  if (provider.search?.needsKey !== true || keys.length > 0) return undefined;
  return `Searching needs a key: set ${provider.keyVariable ?? 'one'}.`;
}

export const capabilitiesOf = (provider: Provider): Capability[] =>
  CAPABILITIES.filter((capability) => provider[capability] !== undefined);
