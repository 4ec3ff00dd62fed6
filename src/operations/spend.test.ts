import { describe, expect, test } from 'vitest';
import { createTestClock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import type { Provider } from '../providers/provider.ts';
import type { Candidate } from './key-ring.ts';
import type { Services } from './services.ts';
import { spend } from './spend.ts';

const candidate = {
  id: 'tavily#0',
  ready: { provider: { id: 'tavily', title: 'Tavily', priced: true } as Provider },
} as Candidate;
const clock = createTestClock();
const call = {
  requestId: 'r',
  caller: { workspace: 'w' },
  signal: new AbortController().signal,
  deadline: clock.now() + 1_000,
};

/** Records what the meter is told; the real meter has its own suite. */
function world() {
  const told: unknown[][] = [];
  const meter = {
    hold: async (request: unknown) => (told.push(['hold', request]), { id: 'h' }),
    settle: async (_hold: unknown, credits: unknown) => void told.push(['settle', credits]),
    release: async () => void told.push(['release']),
  };
  return { told, services: { meter, clock } as unknown as Services };
}

describe('spend', () => {
  test('holds the most a call can cost and settles what the provider says it used', async () => {
    const { told, services } = world();
    await spend(candidate, { category: 'search', credits: 2 }, call, services, async () => ({ credits: 1 }));
    expect(told).toEqual([
      [
        'hold',
        expect.objectContaining({ workspace: 'w', provider: 'tavily', category: 'search', credits: 2 }),
      ],
      ['settle', 1],
    ]);
  });

  test('a failed call gives its credits back and fails as it failed', async () => {
    const { told, services } = world();
    const asked = spend(candidate, { category: 'fetch', credits: 1 }, call, services, async () => {
      throw new HeadgateError('upstream_timeout', 'slow');
    });
    await expect(asked).rejects.toMatchObject({ code: 'upstream_timeout' });
    expect(told.map(([what]) => what)).toEqual(['hold', 'release']);
  });

  test('a call that may cost more than the caller allows is refused before anything is held', async () => {
    const { told, services } = world();
    const asked = spend(
      candidate,
      { category: 'search', credits: 2 },
      { ...call, creditsMax: 1 },
      services,
      async () => ({}),
    );
    await expect(asked).rejects.toMatchObject({ code: 'over_budget', data: { required: 2, limit: 1 } });
    expect(told).toEqual([]);
  });
});
