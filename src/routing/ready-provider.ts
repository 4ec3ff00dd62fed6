import type { Provider } from '../providers/provider.ts';

/** A provider that is set up, with its settings and keys. */
export interface ReadyProvider {
  provider: Provider;
  settings: Record<string, unknown>;
  keys: string[];
  paceMs: number;
}
