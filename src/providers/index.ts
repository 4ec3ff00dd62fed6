import { brave } from './brave.ts';
import { duckduckgo } from './duckduckgo.ts';
import { jina } from './jina.ts';
import { opensearch } from './opensearch.ts';
import type { Provider } from './provider.ts';
import { searxng } from './searxng.ts';
import { tavily } from './tavily.ts';

/** Every provider, in the order in which `auto` uses them: those that need setting up come first. */
export const providers: Provider[] = [tavily, brave, searxng, jina, duckduckgo, opensearch];
