import type { Config, ProviderSection } from '../config/schema.ts';
import { providerNames } from '../config/names.ts';
import { HeadgateError } from '../core/errors.ts';
import type { OwnText } from '../core/text.ts';
import { diagnosed, named, own } from '../core/own-text.ts';
import { providers } from '../providers/index.ts';
import { builtinReader } from '../providers/builtin.ts';
import { capabilitiesOf, type Capability, type Provider } from '../providers/provider.ts';
import type { ReadyProvider } from './ready-provider.ts';
import type { RoutingServices } from './services.ts';
import { creditPrice, meteredName } from '../config/credit-price.ts';
import { formatUsd } from '../core/money.ts';

/** The providers that are set up with this configuration. */
export function readyProviders(config: Config): ReadyProvider[] {
  return providers.flatMap((provider) => {
    if (missingOf(provider, config) !== undefined) return [];
    const section = sectionOf(provider, config);
    const { contact } = config.identity;
    return [
      {
        provider,
        settings: provider.topic === undefined || contact === undefined ? section : { ...section, contact },
        keys: section.api_key ?? [],
        paceMs: section.pace_ms ?? provider.paceMs,
      },
    ];
  });
}

/** Why a provider cannot be used, or undefined. */
export function missingOf(provider: Provider, config: Config): OwnText | undefined {
  if (provider.builtIn !== undefined) return undefined;
  const section = sectionOf(provider, config);
  if (!section.enabled) return diagnosed`It is switched off in [providers.${named(provider.id)}] enabled.`;
  const { keyless } = config.search;
  if (keyless !== undefined && isKeyless(provider, config) && !keyless.includes(provider.id))
    return diagnosed`It is not in [search] keyless.`;
  if (provider.topic?.needsContact === true && config.identity.contact === undefined)
    return diagnosed`Its rules ask for a contact: set [identity] contact to your mail address or web page.`;
  if (section['base_url'] === undefined)
    return diagnosed`Set [providers.${named(provider.id)}] base_url to its address.`;
  if (provider.keys === 'required' && (section.api_key ?? []).length === 0) {
    const variable =
      provider.keyVariable ?? named(`HEADGATE_PROVIDERS__${provider.id.toUpperCase()}__API_KEY`);
    return diagnosed`Set ${variable}, or [providers.${named(provider.id)}] api_key.`;
  }
  return undefined;
}

/** True for somebody else's service that is used without a key. */
export const isKeyless = (provider: Provider, config: Config): boolean =>
  provider.builtIn === undefined &&
  provider.urlVariable === undefined &&
  (sectionOf(provider, config).api_key ?? []).length === 0;

/** Turns `auto`, an ID or a list of IDs into the chain of providers, in order. */
export const chooseChain = (
  choice: string | string[] | undefined,
  services: RoutingServices,
): ReadyProvider[] =>
  chainOf(choice ?? services.config.search.provider, 'search', services, () => {
    const [others, tiers] = generalSearch(services);
    const { keyless } = services.config.search;
    const isUsed = (ready: ReadyProvider): boolean =>
      keyless?.includes(ready.provider.id) ?? others.every(isAsItCame);
    return [...byPreference(others, services), ...byPreference(tiers.filter(isUsed), services)];
  });

/** The providers of general search, and those of them that only have a keyless tier to offer. */
function generalSearch(services: RoutingServices): [others: ReadyProvider[], tiers: ReadyProvider[]] {
  const all = services.providers.filter(
    (ready) =>
      ready.provider.builtIn === undefined && ready.provider.topic === undefined && canDo(ready, 'search'),
  );
  const isTier = ({ provider, keys }: ReadyProvider): boolean =>
    provider.search?.needsKey === 'auto' && keys.length === 0;
  return [all.filter((ready) => !isTier(ready)), all.filter(isTier)];
}

/** True when nobody set up anything for general search: no key, and no address of their own. */
export const isNewcomer = (services: RoutingServices): boolean =>
  services.config.search.provider.includes('auto') && generalSearch(services).flat().every(isAsItCame);

const isAsItCame = ({ provider, keys, settings }: ReadyProvider): boolean =>
  keys.length === 0 &&
  settings['base_url'] === (provider.defaults ?? provider.settings().parse({}))['base_url'];

/** The chain for ranking results anew; empty unless one is configured. */
export const chooseRerankers = (services: RoutingServices): ReadyProvider[] =>
  chainOf(services.config.search.rerank ?? [], 'rerank', services, () =>
    services.providers.filter((ready) => canDo(ready, 'rerank')),
  );

/** The chain for reading pages: the built-in reader unless another one is named. */
export const chooseReaders = (
  choice: string | string[] | undefined,
  services: RoutingServices,
): ReadyProvider[] =>
  chainOf(choice ?? services.config.extract.provider, 'extract', services, () => [
    find(builtinReader.id, 'extract', services),
  ]);

/**
 * The chain for crawling: the built-in crawler unless another one is named; it is always the last fallback.
 */
export function chooseWalkers(
  choice: string | string[] | undefined,
  capability: 'crawl' | 'map',
  services: RoutingServices,
): ReadyProvider[] {
  const ourselves = [find(builtinReader.id, capability, services)];
  const chain = chainOf(choice ?? services.config.crawl.provider, capability, services, () => ourselves);
  return [...new Set([...chain, ...ourselves])];
}

function chainOf(
  choice: string | string[],
  capability: Capability,
  services: RoutingServices,
  auto: () => ReadyProvider[],
): ReadyProvider[] {
  const all = [choice].flat().flatMap((id) => (id === 'auto' ? auto() : [find(id, capability, services)]));
  return all.filter((one, index) => all.findIndex(({ provider }) => provider === one.provider) === index);
}

/** Jina reads without a key but searches only with one; a search without it would only fail. */
const canDo = ({ provider, keys }: ReadyProvider, capability: Capability): boolean =>
  capabilitiesOf(provider).includes(capability) &&
  (capability !== 'search' || provider.search?.needsKey !== true || keys.length > 0);

function find(id: string, capability: Capability, services: RoutingServices): ReadyProvider {
  const provider = providers.find(
    (one) => one.id === id.toLowerCase() && capabilitiesOf(one).includes(capability),
  );
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

/** The display name of a provider. */
export const titleOf = (id: string): string => providers.find((provider) => provider.id === id)?.title ?? id;

/** The licences that results of these providers have to name, each once. */
export function licencesOf(ids: Iterable<string>): OwnText[] {
  const known = new Set(ids);
  return CREDITED.filter(({ id }) => known.has(id)).map(({ licence }) => licence);
}

/** Looked through for every result, so that it is made once. */
const CREDITED = providers.flatMap(({ id, title, topic }) =>
  topic?.mustCredit === true ? [{ id, licence: own`${title}: ${topic.licence ?? ''}` }] : [],
);

const TEN_RESULTS = { text: '', resultsMax: 10 };

/**
 * Orders the providers of `auto` as `[search] prefer` says; equal ones keep the order of the list. By latency, whoever was not asked in
 * the last hour comes first: otherwise nobody would know whether it is fast.
 */
function byPreference(chain: ReadyProvider[], services: RoutingServices): ReadyProvider[] {
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
