import { duckduckgo } from './duckduckgo.ts';
import type { Provider } from './provider.ts';

/** Every provider that Headgate knows, in the order in which `auto` asks them. */
export const providers: Provider[] = [duckduckgo];
