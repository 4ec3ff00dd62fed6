import type { Config, ProviderSection } from '../../config/schema.ts';
import { providerNames } from '../../config/names.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { OwnText } from '../../core/text.ts';
import { named, own } from '../../core/own-text.ts';
import { providers } from '../../providers/index.ts';
import type { Capability, Provider } from '../../providers/provider.ts';
import { localProvider, readyLocal } from './local-library.ts';
import { ownReader, readyOwnReader } from './own-reader.ts';
import type { ReadyProvider } from './ready-provider.ts';
import type { Services } from '../services.ts';

/** The providers that can be asked with this configuration. */
export function readyProviders(config: Config): ReadyProvider[] {
  return providers.flatMap((provider) => {
    if (missingOf(provider, config) !== undefined) return [];
    const section = sectionOf(provider, config);
    return [
      {
        provider,
        settings: section,
        keys: section.api_key ?? [],
        paceMs: section.pace_ms ?? provider.paceMs,
      },
    ];
  });
}

/** What keeps a provider from being used, in words, or undefined. */
export function missingOf(provider: Provider, config: Config): OwnText | undefined {
  const section = sectionOf(provider, config);
  if (!section.enabled) return own`It is switched off in [providers.${named(provider.id)}] enabled.`;
  if (section['base_url'] === undefined)
    return own`Set [providers.${named(provider.id)}] base_url to its address.`;
  if (provider.keys === 'required' && (section.api_key ?? []).length === 0) {
    const variable =
      provider.keyVariable ?? named(`HEADGATE_PROVIDERS__${provider.id.toUpperCase()}__API_KEY`);
    return own`Set ${variable}, or [providers.${named(provider.id)}] api_key.`;
  }
  return undefined;
}

/** Turns `auto`, an id or a list of ids into the providers to ask, in order. */
export function chooseChain(
  choice: string | string[] | undefined,
  capability: 'search' | 'extract',
  services: Services,
): ReadyProvider[] {
  const wanted = [choice ?? services.config.search.provider].flat();
  const chain = wanted.flatMap((id) => {
    if (id === 'auto') return services.providers.filter((ready) => canDo(ready, capability));
    if (capability === 'search' && id.toLowerCase() === localProvider.id) return [readyLocal];
    return [find(id, capability, services)];
  });
  return [...new Set(chain)];
}

/** Who reads pages: our own reader unless somebody else is named. */
export const chooseReaders = (choice: string | string[] | undefined, services: Services): ReadyProvider[] =>
  ourselvesAnd(choice ?? services.config.extract.provider, 'extract', services);

/** Who walks through a site: ourselves unless somebody else is named, and always ourselves when the others fail. */
export const chooseWalkers = (
  choice: string | string[] | undefined,
  capability: 'crawl' | 'map',
  services: Services,
): ReadyProvider[] => [
  ...new Set([
    ...ourselvesAnd(choice ?? services.config.crawl.provider, capability, services),
    readyOwnReader,
  ]),
];

function ourselvesAnd(
  choice: string | string[],
  capability: Capability,
  services: Services,
): ReadyProvider[] {
  const chain = [choice]
    .flat()
    .map((id) =>
      id === 'auto' || id.toLowerCase() === ownReader.id ? readyOwnReader : find(id, capability, services),
    );
  return [...new Set(chain)];
}

/** Jina reads without a key but searches only with one; asking it all the same would only spoil the attempts. */
const canDo = ({ provider, keys }: ReadyProvider, capability: Capability): boolean =>
  provider[capability] !== undefined &&
  (capability !== 'search' || provider.search?.needsKey !== true || keys.length > 0);

function find(id: string, capability: Capability, services: Services): ReadyProvider {
  const provider = providers.find((one) => one.id === id.toLowerCase() && one[capability] !== undefined);
  if (provider === undefined) {
    throw new HeadgateError('invalid_request', own`provider: "${named(id)}" cannot ${named(capability)}.`, {
      remediation: own`Use one of ${named(providerNames(capability).join(', '))}.`,
    });
  }
  const ready = services.providers.find((one) => one.provider === provider);
  if (ready !== undefined && canDo(ready, capability)) return ready;
  const what =
    ready === undefined ? 'is not set up' : own`is not set up to ${capability}: it needs a key for that`;
  throw new HeadgateError('not_configured', own`${provider.title} ${what}.`, {
    provider: provider.id,
    remediation: missingOf(provider, services.config) ?? own`Set ${provider.keyVariable ?? 'its key'}.`,
  });
}

const sectionOf = (provider: Provider, config: Config): ProviderSection =>
  (config.providers as Record<string, ProviderSection>)[provider.id] ?? { enabled: false };

/** The name that people know a provider by. */
export const titleOf = (id: string): string =>
  [ownReader, localProvider, ...providers].find((provider) => provider.id === id)?.title ?? id;
