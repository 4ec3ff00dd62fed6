import { basename } from 'node:path';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { providers } from '../providers/index.ts';
import { builtinReader } from '../providers/builtin.ts';
import { checkedPolicy } from './policy.ts';
import { snapshotPaths } from './web-folder.ts';
import { capabilitiesOf, type Capability, type Provider } from '../providers/provider.ts';

/** The names that `provider` takes for a capability, in a request and in the configuration. */
export const providerNames = (capability: Capability): string[] => [
  'auto',
  ...providers
    .filter((provider) => capabilitiesOf(provider).includes(capability))
    .map((provider) => provider.id),
];

/**
 * The names that an agent's tool takes. A provider that only searches leaves reading to the built-in reader,
 * which for a search stands for every provider that is set up.
 */
const agentNames = (tool: 'search' | 'fetch'): string[] => [
  ...new Set([
    ...providerNames('search'),
    ...(tool === 'search'
      ? [builtinReader.id]
      : providers.filter(isNotOnlyRanking).map((provider) => provider.id)),
  ]),
];

const isNotOnlyRanking = (provider: Provider): boolean =>
  capabilitiesOf(provider).some((capability) => capability !== 'rerank');

/**
 * The one check of tiers and agents' providers. The store asks it, so that no surface can set anything else.
 */
export const settingRules = ({
  tiers,
  web,
}: {
  tiers: Record<string, unknown>;
  web: { folder?: string | undefined };
}) => ({
  tier: (name: string): string => known('tier', name, Object.keys(tiers)),
  web: (names: string): string =>
    snapshotPaths(web.folder, names)
      .map((path) => basename(path))
      .join(','),
  agentProvider: (tool: 'search' | 'fetch', name: string): string =>
    known(tool === 'search' ? 'searchWebProvider' : 'fetchWebProvider', name, agentNames(tool)),
  policy: checkedPolicy,
});

function known(setting: string, name: string, names: string[]): string {
  const wanted = name.trim().toLowerCase();
  if (names.includes(wanted)) return wanted;
  throw new HeadgateError('invalid_request', own`${named(setting)}: there is no "${named(name)}".`, {
    remediation: own`Use one of ${named(names.join(', '))}.`,
  });
}
