import { brave } from './brave.ts';
import { builtinReader, libraryProvider } from './builtin.ts';
import { cohere } from './cohere.ts';
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
import { ownReranker } from './own-reranker.ts';
import { parallel } from './parallel.ts';
import { perplexity } from './perplexity.ts';
import type { Provider } from './provider.ts';
import { searchapi } from './searchapi.ts';
import { searxng } from './searxng.ts';
import { serpapi } from './serpapi.ts';
import { serper } from './serper.ts';
import { tavily } from './tavily/tavily.ts';
import { arxiv } from './topics/arxiv.ts';
import { crossref } from './topics/crossref.ts';
import { github } from './topics/github.ts';
import { hackernews } from './topics/hackernews.ts';
import { mdn } from './topics/mdn.ts';
import { openalex } from './topics/openalex.ts';
import { openlibrary } from './topics/openlibrary.ts';
import { osv } from './topics/osv.ts';
import { pubmed } from './topics/pubmed.ts';
import { semanticscholar } from './topics/semanticscholar.ts';
import { stackexchange } from './topics/stackexchange.ts';
import { wikidata } from './topics/wikidata.ts';
import { wikipedia } from './topics/wikipedia.ts';
import { voyage } from './voyage.ts';
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
  wikipedia,
  wikidata,
  stackexchange,
  mdn,
  github,
  hackernews,
  arxiv,
  openalex,
  crossref,
  semanticscholar,
  pubmed,
  openlibrary,
  osv,
  cohere,
  voyage,
  ownReranker,
  libraryProvider,
  builtinReader,
];
