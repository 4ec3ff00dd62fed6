import { providers } from '../providers/index.ts';
import { braveSim } from './brave.ts';
import { duckduckgoAnswerSim, duckduckgoSim } from './duckduckgo.ts';
import { jinaRerankSim, jinaSearchSim, jinaSim } from './jina.ts';
import { createModelSim } from './model.ts';
import { opensearchSim } from './opensearch.ts';
import { otlpSim } from './otlp.ts';
import { providerSims } from './provider-api.ts';
import { searxngSim } from './searxng.ts';
import { tavilySim } from './tavily.ts';
import { topicsSim } from './topics.ts';
import type { SimUpstream } from './upstream.ts';
import { robotsSim, sitemapSim, webSim } from './web.ts';

/** Every scripted upstream: those of provider cards, and those with scenarios of their own. */
export const simUpstreams: SimUpstream[] = [
  duckduckgoSim,
  duckduckgoAnswerSim,
  tavilySim,
  braveSim,
  searxngSim,
  opensearchSim,
  jinaSim,
  jinaSearchSim,
  jinaRerankSim,
  ...providerSims(providers),
  webSim,
  robotsSim,
  sitemapSim,
  topicsSim,
  createModelSim(),
  otlpSim,
];
