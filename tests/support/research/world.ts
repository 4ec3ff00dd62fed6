import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../src/config/load.ts';
import type { ResearchOutput } from '../../../src/contract/research.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { createEngine, type Engine } from '../../../src/engine/engine.ts';
import { createCall, perform } from '../../../src/operations/perform.ts';
import { research } from '../../../src/research/research.ts';
import { createModelSim, type ScriptedModelAnswer } from '../../../src/sim/model.ts';
import { startSim, type Sim } from '../../../src/sim/server.ts';
import { topicsSim } from '../../../src/sim/topics.ts';
import { createPageWeb, type WebPage } from '../page-web.ts';
import { readingThreads } from '../reading-threads.ts';
import { storeThread } from '../store-thread.ts';
import { createScriptedResults } from '../scripted-results.ts';

export const QUESTION =
  'When was the headgate of the Aldana canal built and how much water does the canal lose?';

/** The library of the simulator behind Tavily's API, a model if wanted, and a folder of its own for sessions. */
export interface ResearchWorld {
  sim: Sim;
  home: string;
  engine: Engine;
  /** Another engine over the same folder, as after a restart. */
  open(config?: Record<string, unknown>): Engine;
  call(options?: Parameters<typeof createCall>[1]): ReturnType<typeof createCall>;
  research(input: Record<string, unknown>): Promise<ResearchOutput>;
  /** The bodies of the requests to one path of the simulator. */
  sent(path: string): Record<string, unknown>[];
  close(): Promise<void>;
}

/** The simulator's model as the configuration names it. */
export const modelFor = (sim: Pick<Sim, 'url'>): Record<string, unknown> => ({
  'model.provider': 'openai',
  'model.base_url': `${sim.url}/model/v1`,
  'model.api_key': 'sk-test-key-1234567890',
  'model.model': 'sim-1',
});

export const configFor = (sim: Pick<Sim, 'url'>): Record<string, unknown> => ({
  'providers.tavily.base_url': `${sim.url}/topics`,
  'providers.tavily.api_key': 'tvly-test',
  'providers.duckduckgo.enabled': false,
  'search.provider': 'tavily',
  'search.retries': 0,
  'extract.provider': 'tavily',
});

export interface ResearchWorldOptions {
  config?: Record<string, unknown>;
  model?: ScriptedModelAnswer;
  /** The whole web, instead of the simulator's library. */
  pages?: WebPage[];
  /** Where sessions are kept: the folder by default, a SQLite file in it, or a PostgreSQL address. */
  keep?: string;
}

/** Whether there is a store, and which. */
export const storeFlags = (keep: string): Record<string, unknown> =>
  keep.startsWith('postgres') ? { 'store.url': keep } : {};

export async function createResearchWorld(options: ResearchWorldOptions = {}): Promise<ResearchWorld> {
  const { keep = 'folder' } = options;
  const { pages = [] } = options;
  const other = createScriptedResults(pages.map(({ text, ...page }) => ({ ...page, content: text })));
  const sim = await startSim({
    upstreams: [topicsSim, createPageWeb(() => pages), other, createModelSim(options.model)],
  });
  const home = mkdtempSync(join(tmpdir(), 'headgate-research-'));
  const engines: Engine[] = [];
  const open = (config: Record<string, unknown> = {}): Engine => {
    const web = options.pages === undefined ? {} : { 'providers.tavily.base_url': `${sim.url}/web` };
    const flags = { ...configFor(sim), ...web, ...storeFlags(keep), ...options.config, ...config };
    const accounts = keep !== 'folder';
    const engine = createEngine(loadConfig({ flags }).config, {
      home,
      log: silentLogger,
      accounts,
      pool: readingThreads,
      ...storeThread,
    });
    engines.push(engine);
    return engine;
  };
  const engine = open();
  const call = (settings: Parameters<typeof createCall>[1] = {}) =>
    createCall(engine.services, { timeoutMs: 60_000, ...settings });
  return {
    sim,
    home,
    engine,
    open,
    call,
    research: (input) =>
      perform(research, { query: QUESTION, ...input }, { call: call(), services: engine.services }),
    sent: (path) =>
      sim.requests
        .filter((request) => request.url.pathname === path)
        .map((request) => JSON.parse(request.body) as Record<string, unknown>),
    close: async () => {
      await Promise.all(engines.map((one) => one.close()));
      await sim.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
