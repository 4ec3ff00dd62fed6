import { duckduckgoAnswerSim, duckduckgoSim } from './duckduckgo.ts';
import type { SimUpstream } from './upstream.ts';

/** Every scripted upstream. */
export const simUpstreams: SimUpstream[] = [duckduckgoSim, duckduckgoAnswerSim];
