import { resolve } from 'node:path';
import { loadConfig, type Loaded } from '../config/load.ts';
import { changeKeysFile, readKeysFile, type ProviderKeys } from '../config/provider-keys.ts';
import type { ProviderSection } from '../config/schema.ts';
import { HeadgateError } from '../core/errors.ts';
import type { Services } from '../operations/services.ts';
import { readyProviders } from '../routing/chain.ts';

/** Loads the configuration, and again with the keys that it names a file for. */
export function withKeys(sources: Parameters<typeof loadConfig>[0]): Loaded {
  const loaded = loadConfig(sources);
  const { provider_keys_file: file } = loaded.config.server;
  if (file === undefined) return loaded;
  try {
    const keys = { name: resolve(file), providers: readKeysFile(resolve(file)) };
    return loadConfig({ ...sources, keys });
  } catch (thrown) {
    if (sources.lenient !== true) throw thrown;
    return { problem: HeadgateError.from(thrown), ...loaded };
  }
}

/**
 * The keys that the console changes. They replace those in use; `secrets` are what is hidden in logs and answers. What is recorded or
 * replayed was set up at the start, and stays as it is.
 */
export function providerKeysOf({ config, providers }: Services, secrets: string[]): ProviderKeys {
  const { provider_keys_file: named } = config.server;
  const file = named === undefined ? undefined : resolve(named);
  return {
    file,
    left: new Map(),
    change: async (id, change) => {
      if (file === undefined)
        throw new HeadgateError('not_configured', 'There is no file for keys of providers.', {
          remediation: 'Name one in [server] provider_keys_file and restart the gateway.',
        });
      let keys: string[] = [];
      await changeKeysFile(file, (known) => {
        keys = change(known[id] ?? []);
        return { ...known, [id]: keys };
      });
      secrets.push(...keys);
      if (config.web.mode !== 'live') return false;
      const { api_key: _, ...section } = (config.providers as Record<string, ProviderSection>)[id] ?? {};
      const changed = keys.length === 0 ? section : { ...section, api_key: keys };
      config.providers = { ...config.providers, [id]: changed };
      providers.splice(0, providers.length, ...readyProviders(config));
      return true;
    },
  };
}
