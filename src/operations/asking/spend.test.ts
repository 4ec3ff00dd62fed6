import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../config/load.ts';
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
const { config } = loadConfig({});
const call = {
  requestId: 'r',
  caller: { workspace: 'w' },
  signal: new AbortController().signal,
  deadline: clock.now() + 1_000,
};

/** Records what the meter is told; the real meter has its own suite. */
function world(durable: Promise<void> = Promise.resolve(), solvent = false) {
  const told: unknown[][] = [];
  const meter = {
    isSolvent: () => solvent,
    begin: async (request: unknown) => (told.push(['hold', request]), { id: 'h', metered: true, durable }),
    settle: async (_hold: unknown, credits: unknown) => void told.push(['settle', credits]),
    release: async () => void told.push(['release']),
  };
  return { told, services: { meter, clock, config } as unknown as Services };
}

function resolvers<Value>() {
  let resolve: (value: Value) => void = () => {};
  let reject: (cause: Error) => void = () => {};
  const promise = new Promise<Value>((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
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
    expect(await stepsAround(written, told, services)).toEqual(ASKED_EARLY);
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

  describe('an account that had plenty a moment ago', () => {
    /** A hold that is decided when the test says so. */
    function undecided() {
      const { told, services } = world(Promise.resolve(), true);
      const decision = resolvers<{ id: string; metered: boolean; durable: Promise<void> }>();
      const begin = (request: unknown) => (told.push(['hold', request]), decision.promise);
      const meter = { ...services.meter, begin };
      return { told, decision, services: { ...services, meter } as unknown as Services };
    }

    test('has its provider asked while the hold is being decided, and gets nothing before it is', async () => {
      const { told, decision, services } = undecided();
      const decide = () => decision.resolve({ id: 'h', metered: true, durable: Promise.resolve() });
      expect(await stepsAround(decide, told, services)).toEqual(ASKED_EARLY);
    });

    test('is refused all the same: the provider is stopped, nothing is delivered and nothing charged', async () => {
      const { told, decision, services } = undecided();
      const refusal = new HeadgateError('insufficient_credits', 'Nothing is left.');
      let stopped: unknown;
      const asked = spend(
        candidate,
        { category: 'search', credits: 1 },
        call,
        services,
        (paid) =>
          new Promise<{ credits: number }>((_, reject) => {
            paid.signal.addEventListener('abort', () => reject((stopped = paid.signal.reason) as Error));
            setImmediate(() => decision.reject(refusal));
          }),
      );
      await expect(asked).rejects.toBe(refusal);
      expect(stopped).toBe(refusal);
      expect(told.map(([what]) => what)).toEqual(['hold']);
    });

    test('is refused even when the answer was there first', async () => {
      const { told, decision, services } = undecided();
      const refusal = new HeadgateError('insufficient_credits', 'Nothing is left.');
      const asked = spend(candidate, { category: 'search', credits: 1 }, call, services, async () => {
        setImmediate(() => decision.reject(refusal));
        return { credits: 1 };
      });
      await expect(asked).rejects.toBe(refusal);
      expect(told.map(([what]) => what)).toEqual(['hold']);
    });
  });

  test('the answer may be worked on while it is paid for: what must be written is handed to the call', async () => {
    const { services } = world();
    const settling = resolvers<void>();
    const meter = { ...services.meter, settle: () => settling.promise };
    const written: Promise<unknown>[] = [];
    const beforeDelivery = (one: Promise<unknown>) => void written.push(one);
    const answer = await spend(
      candidate,
      { category: 'search', credits: 1 },
      { ...call, beforeDelivery },
      { ...services, meter } as unknown as Services,
      async () => ({ credits: 1 }),
    );
    expect({ answer, count: written.length }).toEqual({ answer: { credits: 1 }, count: 1 });
    settling.reject(new HeadgateError('internal', 'The store answered another question.'));
    await expect(written[0]).rejects.toMatchObject({ code: 'internal' });
  });
});

/** The steps before `go`, whether the answer was handed on by then, and the steps after it. */
async function stepsAround(go: () => void, told: unknown[][], services: Services) {
  const steps = () => told.map(([what]) => what);
  let delivered = false;
  const asked = spend(candidate, { category: 'search', credits: 1 }, call, services, async () => {
    told.push(['ask']);
    return { credits: 1 };
  }).then(() => (delivered = true));
  await new Promise((resolve) => setImmediate(resolve));
  const before = { steps: steps(), delivered };
  go();
  await asked;
  return { before, after: steps() };
}

const ASKED_EARLY = {
  before: { steps: ['hold', 'ask'], delivered: false },
  after: ['hold', 'ask', 'settle'],
};
