import { providers } from '../../src/providers/index.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { sized } from './sized.ts';

/** The providers that have an API and search. */
export const searchers = providers.filter(
  ({ builtIn, search }) => builtIn === undefined && search !== undefined,
);

/** A key that the simulator accepts. */
export const goodKey = ({ keyPrefix }: Provider): string => `${keyPrefix ?? ''}good:key-0123456789`;

/** The settings with which a provider asks the simulator. */
export function simSettings(
  provider: Provider,
  sim: string,
  key = goodKey(provider),
): Record<string, unknown> {
  const { id, keys, defaults = {} } = provider;
  const bases = Object.keys(defaults).filter((name) => name.endsWith('base_url'));
  return {
    [`providers.${id}.base_url`]: `${sim}/${id}`,
    [`providers.${id}.pace_ms`]: 0,
    [`providers.${id}.enabled`]: true,
    ...Object.fromEntries(bases.map((name) => [`providers.${id}.${name}`, `${sim}/${id}`])),
    ...(keys === 'none' || id === 'opensearch' ? {} : { [`providers.${id}.api_key`]: key }),
    ...(provider.topic?.needsContact === true && { 'identity.contact': 'ops@example.org' }),
    ...SPECIAL[id]?.(sim),
  };
}

/** Providers with more than one address in the simulator, or with a setting that it needs. */
const SPECIAL: Record<string, (sim: string) => Record<string, unknown>> = {
  jina: (sim) => ({
    'providers.jina.search_base_url': `${sim}/jina-search`,
    'providers.jina.rerank_base_url': `${sim}/jina-rerank`,
  }),
  duckduckgo: (sim) => ({ 'providers.duckduckgo.answer_base_url': `${sim}/duckduckgo-answer` }),
  opensearch: () => ({ 'providers.opensearch.index': 'headgate' }),
};

/** Providers with an adapter of their own, which are always tested. */
const handMade = searchers.filter(({ defaults }) => defaults === undefined);
const byKit = searchers.filter(({ defaults }) => defaults !== undefined);

/** Those with an adapter of their own, and some of those that the kit makes: others on another day, all of them in larger runs. */
export function someSearchers(what: string): Provider[] {
  const all = byKit.length;
  const count = Math.min(
    all,
    sized(`${what}: providers made by the kit`, { small: 2, large: all, full: all }),
  );
  const first = Math.floor(Date.now() / 86_400_000) * count;
  return [...handMade, ...Array.from({ length: count }, (_, index) => byKit[(first + index) % all])].flatMap(
    (one) => one ?? [],
  );
}
