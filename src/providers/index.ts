import { brave } from './brave.ts';
import { duckduckgo } from './duckduckgo.ts';
import { jina } from './jina.ts';
import { opensearch } from './opensearch.ts';
import type { Provider } from './provider.ts';
import { searxng } from './searxng.ts';
import { tavily } from './tavily.ts';

/** Every provider that Headgate knows, in the order in which `auto` asks them: what is set up on purpose comes first. */
export const providers: Provider[] = [tavily, brave, searxng, jina, duckduckgo, opensearch];
