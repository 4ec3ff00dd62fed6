import type { Provider } from '../../providers/provider.ts';

/** A provider that is set up: its settings are checked and its keys are known. */
export interface ReadyProvider {
  provider: Provider;
  settings: Record<string, unknown>;
  keys: string[];
  paceMs: number;
}
