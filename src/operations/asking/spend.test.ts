import { describe, expect, test } from 'vitest';
import { createTestClock } from '../../core/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Provider } from '../../providers/provider.ts';
import type { Candidate } from './key-ring.ts';
import type { Services } from '../services.ts';
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
function world(durable: Promise<void> = Promise.resolve()) {
  const told: unknown[][] = [];
  const meter = {
    begin: async (request: unknown) => (told.push(['hold', request]), { id: 'h', metered: true, durable }),
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

  test('the provider is asked while the hold is being written, and its answer waits for that', async () => {
    let written = () => {};
    const { told, services } = world(new Promise((resolve) => (written = resolve)));
    let delivered = false;
    const asked = spend(candidate, { category: 'search', credits: 1 }, call, services, async () => {
      told.push(['ask']);
      return { credits: 1 };
    }).then(() => (delivered = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect({ steps: told.map(([what]) => what), delivered }).toEqual({
      steps: ['hold', 'ask'],
      delivered: false,
    });
    written();
    await asked;
    expect(told.map(([what]) => what)).toEqual(['hold', 'ask', 'settle']);
  });

  test('F17: a hold that cannot be written stops the provider, delivers nothing and charges nothing', async () => {
    const lost = new HeadgateError('storage_unavailable', 'The disk is full.');
    let fail: (cause: Error) => void = () => {};
    const { told, services } = world(new Promise((_, reject) => (fail = reject)));
    const asked = spend(
      candidate,
      { category: 'search', credits: 1 },
      call,
      services,
      (paid) =>
        new Promise<{ credits: number }>((_, reject) => {
          paid.signal.addEventListener('abort', () => reject(paid.signal.reason as Error));
          setImmediate(() => fail(lost));
        }),
    );
    await expect(asked).rejects.toBe(lost);
    expect(told.map(([what]) => what)).toEqual(['hold']);
  });

  test('F17: an answer that came before the hold failed is thrown away', async () => {
    const lost = new HeadgateError('storage_unavailable', 'The disk is full.');
    let fail: (cause: Error) => void = () => {};
    const { told, services } = world(new Promise((_, reject) => (fail = reject)));
    const asked = spend(candidate, { category: 'search', credits: 1 }, call, services, async () => {
      setImmediate(() => fail(lost));
      return { credits: 1 };
    });
    await expect(asked).rejects.toBe(lost);
    expect(told.map(([what]) => what)).toEqual(['hold']);
  });

  test('F6: the caller who hangs up reaches the provider, and the hold is given back', async () => {
    const { told, services } = world();
    const caller = new AbortController();
    const asked = spend(
      candidate,
      { category: 'search', credits: 1 },
      { ...call, signal: caller.signal },
      services,
      (paid) =>
        new Promise<{ credits: number }>((_, reject) => {
          paid.signal.addEventListener('abort', () => reject(paid.signal.reason as Error));
          setImmediate(() => caller.abort(new HeadgateError('cancelled', 'gone')));
        }),
    );
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
    expect(told.map(([what]) => what)).toEqual(['hold', 'release']);
  });
});
