import { describe, expect, test } from 'vitest';
import { operations } from '../../src/gateway/operations.ts';
import { providers } from '../../src/providers/index.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { toolsets } from '../../src/toolsets/index.ts';
import { loadToolset } from '../../src/toolsets/load-toolset.ts';
import { load } from '../../src/toolsets/load.ts';

/** A first call loads only what it uses, so some lists exist twice: whole, and as loaders. Here they are compared. */
describe('lists that exist twice', () => {
  test('every toolset has a loader of the same name', async () => {
    expect(Object.keys(loadToolset)).toEqual(toolsets.map(({ id }) => id));
    for (const toolset of toolsets) expect(await loadToolset[toolset.id]?.()).toBe(toolset);
  });

  test('every operation has a loader', async () => {
    const loaded = await Promise.all(Object.values(load).map((one) => one()));
    expect(new Set<unknown>(loaded)).toEqual(new Set<unknown>(operations));
  });

  test('every provider with an API has a simulated upstream', () => {
    const simulated = simUpstreams.map(({ id }) => id);
    const missing = providers.filter(({ id, builtIn }) => builtIn === undefined && !simulated.includes(id));
    expect(missing.map(({ id }) => id)).toEqual([]);
  });
});
