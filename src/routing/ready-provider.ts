import type { OwnText } from '../core/text.ts';
import type { Provider } from '../providers/provider.ts';

/** A provider that is set up, with its settings and keys. */
export interface ReadyProvider {
  provider: Provider;
  settings: Record<string, unknown>;
  keys: string[];
  paceMs: number;
  /** Why it is in its place in the chain, when that is not the order of the list. */
  why?: OwnText;
}
