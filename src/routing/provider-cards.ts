import { creditPrice } from '../config/credit-price.ts';
import type { Config, ProviderSection } from '../config/schema.ts';
import type { Millionths } from '../core/money.ts';
import { providers } from '../providers/index.ts';
import { capabilitiesOf, type Capability, type Provider } from '../providers/provider.ts';
import { missingOf } from './chain.ts';

/** A provider as it is listed: what it needs, costs and can do. */
interface ProviderCard {
  id: string;
  title: string;
  set_up: boolean;
  /** What to do to set it up; absent when it is. */
  missing?: string;
  key: Provider['keys'];
  key_variable?: string;
  url_variable?: string;
  /** The number of keys that are set. */
  keys: number;
  /** Whether it also searches without a key; `last` where nothing else is set up, or when it is named. */
  keyless?: 'yes' | 'last';
  can: Capability[];
  topics: string[];
  credit_price: Millionths;
  /** The credits that a search for ten results costs at most. */
  search_credits?: number;
  pace_ms: number;
  query_chars_max?: number;
  homepage: string;
  /** What of this was not verified. */
  unverified?: string;
}

const TEN_RESULTS = { text: '', resultsMax: 10 };

/** Every provider, in the order of `auto`. */
export const providerCards = (config: Config): ProviderCard[] =>
  providers.map((provider) => {
    const section = (config.providers as Record<string, ProviderSection>)[provider.id];
    const missing = missingOf(provider, config);
    const { search, keyVariable, urlVariable } = provider;
    const keyless = keylessOf(provider);
    return {
      id: provider.id,
      title: provider.title,
      set_up: missing === undefined,
      ...(missing !== undefined && { missing }),
      key: provider.keys,
      ...(keyVariable !== undefined && { key_variable: keyVariable }),
      ...(urlVariable !== undefined && { url_variable: urlVariable }),
      keys: section?.api_key?.length ?? 0,
      ...(keyless !== undefined && { keyless }),
      can: capabilitiesOf(provider),
      topics: [...(search?.topics ?? [])],
      credit_price: creditPrice(provider.id, config),
      ...(search !== undefined && {
        search_credits: search.creditsMax?.(TEN_RESULTS) ?? 1,
        query_chars_max: search.queryCharsMax,
      }),
      pace_ms: section?.pace_ms ?? provider.paceMs,
      homepage: provider.homepage,
      ...(provider.unverified !== undefined && { unverified: provider.unverified }),
    };
  });

function keylessOf({ keys, search, builtIn }: Provider): ProviderCard['keyless'] {
  if (search === undefined || builtIn !== undefined || keys === 'required' || search.needsKey === true)
    return undefined;
  return search.needsKey === 'auto' ? 'last' : 'yes';
}
