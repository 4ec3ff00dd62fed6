import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import type { LogFields } from '../core/log.ts';
import { silentLogger } from '../core/log.ts';
import { createEngine } from '../engine/engine.ts';
import { simUpstreams } from '../sim/index.ts';
import { startSim, type Sim } from '../sim/server.ts';
import { healthCheck } from './health.ts';

let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
afterAll(() => sim.close());
beforeEach(() => sim.reset());

/** Checks Tavily with a key whose behaviour the simulator knows, and collects the warnings. */
async function check(
  key: string,
  capability: 'search' | 'extract',
): Promise<{ healthy: boolean; warnings: LogFields[] }> {
  const warnings: LogFields[] = [];
  const log = {
    ...silentLogger,
    warn: (_event: string, fields: LogFields = {}) => void warnings.push(fields),
  };
  const { config } = loadConfig({
    flags: {
      'providers.tavily.base_url': `${sim.url}/tavily`,
      'providers.tavily.api_key': key,
      'providers.tavily.pace_ms': 0,
    },
  });
  const engine = createEngine(config, { log });
  const healthy = await healthCheck('tavily', capability, engine.services);
  await engine.close();
  return { healthy, warnings };
}

describe('research spec 8.3: health check', () => {
  test.each(['search', 'extract'] as const)(
    '%s: true when the API answers, after one minimal call',
    async (capability) => {
      expect(await check('tvly-good', capability)).toEqual({ healthy: true, warnings: [] });
      expect(sim.requests.filter((request) => request.url.pathname === `/tavily/${capability}`)).toHaveLength(
        1,
      );
    },
  );

  test.each(['search', 'extract'] as const)(
    '%s: false and a logged warning when the key is refused',
    async (capability) => {
      const { healthy, warnings } = await check('tvly-bad', capability);
      expect(healthy).toBe(false);
      expect(warnings).toContainEqual(
        expect.objectContaining({ provider: 'tavily', code: 'upstream_authentication' }),
      );
    },
  );

  test('false, never a throw, when the network is broken or nobody is set up', async () => {
    sim.script('/tavily', [{ kind: 'reset' }]);
    expect((await check('tvly-good', 'search')).healthy).toBe(false);
    expect((await check('', 'search')).healthy).toBe(false);
  });
});
