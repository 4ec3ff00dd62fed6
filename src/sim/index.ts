import { duckduckgoAnswerSim, duckduckgoSim } from './duckduckgo.ts';
import type { SimUpstream } from './upstream.ts';
import { robotsSim, sitemapSim, webSim } from './web.ts';

/** Every scripted upstream. */
export const simUpstreams: SimUpstream[] = [
  duckduckgoSim,
  duckduckgoAnswerSim,
  webSim,
  robotsSim,
  sitemapSim,
];
