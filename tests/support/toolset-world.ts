import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import type { Caller } from '../../src/core/call.ts';
import type { Clock } from '../../src/core/clock.ts';
import { createTestClock } from './clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { createCall } from '../../src/operations/perform.ts';
import type { Sim } from '../../src/sim/server.ts';
import { engineOf } from '../../src/toolsets/engine.ts';
import { toolsets } from '../../src/toolsets/index.ts';
import type { ToolResult } from '../../src/toolsets/tool.ts';
import { readingThreads } from './reading-threads.ts';
import { createMovableClock } from './movable-clock.ts';

/** The toolsets over the whole engine and the simulated upstreams. Waits take no time and are recorded in `waits`. */
export interface ToolsetWorld {
  clock: Clock & { advance(ms: number): void; slept: number[] };
  waits: number[];
  call(toolset: string, tool: string, input: unknown, options?: { caller?: Caller }): Promise<ToolResult>;
  close(): Promise<void>;
}

/**
 * DuckDuckGo and our own reader are set up; `tavily` is the key of a Tavily beside them, or several. Our own reader needs `createRealTime`,
 * because a page is watched by the clock.
 */
export function openToolsets(
  sim: Sim,
  {
    tavily,
    flags = {},
    clock = createTestClock(Date.now()),
  }: { tavily?: string | string[]; flags?: Record<string, unknown>; clock?: ToolsetWorld['clock'] } = {},
): ToolsetWorld {
  const { config } = loadConfig({
    flags: {
      'providers.duckduckgo.base_url': `${sim.url}/duckduckgo`,
      'providers.duckduckgo.answer_base_url': `${sim.url}/duckduckgo-answer`,
      'providers.duckduckgo.pace_ms': 0,
      'providers.tavily.base_url': `${sim.url}/tavily`,
      ...(tavily === undefined ? {} : { 'providers.tavily.api_key': [tavily].flat() }),
      'guard.allow': ['127.0.0.1'],
      'guard.ports': [Number(new URL(sim.url).port)],
      'cache.enabled': false,
      ...flags,
    },
  });
  const home = mkdtempSync(join(tmpdir(), 'toolsets-'));
  const { services, close } = createEngine(config, {
    clock,
    random: () => 1,
    log: silentLogger,
    home,
    pool: readingThreads,
  });
  const engine = engineOf(services);
  return {
    clock,
    waits: clock.slept,
    call: async (id, name, input, { caller = {} } = {}) => {
      const tool = toolsets.find((one) => one.id === id)?.tools.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`There is no tool ${name} in ${id}.`);
      const call = createCall(services, { caller });
      return tool.run(input, call, engine).finally(() => call.end());
    },
    close,
  };
}

/** A clock that runs as the machine's does and can be moved on between calls. */
export function createRealTime(): ToolsetWorld['clock'] {
  const { move, ...clock } = createMovableClock();
  return { ...clock, slept: [], advance: move };
}
