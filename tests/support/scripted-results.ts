import { json } from '../../src/sim/json.ts';
import type { SimUpstream } from '../../src/sim/upstream.ts';

export interface ScriptedResult {
  url: string;
  title: string;
  content: string;
}

/** A SearXNG that finds the same results whatever is asked, under `/results`. */
export const createScriptedResults = (results: ScriptedResult[]): SimUpstream => ({
  id: 'results',
  handle: () =>
    json(200, {
      results: results.map((one, index) => ({ ...one, engine: 'scripted', positions: [index + 1] })),
      unresponsive_engines: [],
    }),
});

/** The configuration that asks it and nobody else. */
export const scriptedResultsConfig = (sim: string): Record<string, unknown> => ({
  'providers.searxng.base_url': `${sim}/results`,
  'providers.searxng.pace_ms': 0,
  'providers.duckduckgo.enabled': false,
  'search.provider': 'searxng',
});
