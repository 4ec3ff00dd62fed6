import { brave } from './brave.ts';
import { builtinReader, libraryProvider } from './builtin.ts';
import { dataforseo } from './dataforseo.ts';
import { duckduckgo } from './duckduckgo/duckduckgo.ts';
import { exa } from './exa.ts';
import { firecrawl } from './firecrawl.ts';
import { jina } from './jina/jina.ts';
import { kagi } from './kagi.ts';
import { linkup } from './linkup.ts';
import { marginalia } from './marginalia.ts';
import { mojeek } from './mojeek.ts';
import { opensearch } from './opensearch/opensearch.ts';
import { parallel } from './parallel.ts';
import { perplexity } from './perplexity.ts';
import type { Provider } from './provider.ts';
import { searchapi } from './searchapi.ts';
import { searxng } from './searxng.ts';
import { serpapi } from './serpapi.ts';
import { serper } from './serper.ts';
import { tavily } from './tavily/tavily.ts';
import { webiq } from './webiq.ts';
import { youcom } from './youcom.ts';

/** Every provider, in the order in which `auto` uses them: those that need setting up come first, those built in last. */
export const providers: Provider[] = [
  tavily,
  brave,
  exa,
  serper,
  serpapi,
  searchapi,
  perplexity,
  linkup,
  firecrawl,
  youcom,
  kagi,
  parallel,
  webiq,
  dataforseo,
  mojeek,
  marginalia,
  searxng,
  jina,
  duckduckgo,
  opensearch,
  libraryProvider,
  builtinReader,
];
