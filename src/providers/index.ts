import { brave } from './brave.ts';
import { builtinReader, libraryProvider } from './builtin.ts';
import { duckduckgo } from './duckduckgo/duckduckgo.ts';
import { exa } from './exa.ts';
import { jina } from './jina/jina.ts';
import { opensearch } from './opensearch/opensearch.ts';
import type { Provider } from './provider.ts';
import { searxng } from './searxng.ts';
import { serper } from './serper.ts';
import { tavily } from './tavily/tavily.ts';

/** Every provider, in the order in which `auto` uses them: those that need setting up come first, those built in last. */
export const providers: Provider[] = [
  tavily,
  brave,
  exa,
  serper,
  searxng,
  jina,
  duckduckgo,
  opensearch,
  libraryProvider,
  builtinReader,
];
