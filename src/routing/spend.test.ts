import { describe, expect, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import type { Call } from '../core/call.ts';
import { createTestClock } from '../../tests/support/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import type { UnitOfWork } from '../core/unit-of-work.ts';
import { createHearing } from '../meter/hearing.ts';
import type { Provider } from '../providers/provider.ts';
import type { Candidate } from './key-ring.ts';
import type { RoutingServices } from './services.ts';
import { spend } from './spend.ts';

const candidate = {
  id: 'tavily#0',
  ready: { provider: { id: 'tavily', title: 'Tavily', creditPrice: 8_000 } as Provider },
} as Candidate;
const clock = createTestClock();
const { config } = loadConfig({});
const ESTIMATE = { category: 'search', credits: 2 } as const;

/** Records what the books are told; the real meter has its own suite. */
function world(options: { isPriced?: boolean; keepsAnswer?: boolean } = {}) {
  const told: unknown[][] = [];
  const hearing = createHearing();
  const unit: UnitOfWork = {
    keepsAnswer: options.keepsAnswer ?? false,
    ask: async (request) => {
      told.push(['ask', request]);
      return {
        heard: options.isPriced === false ? undefined : hearing.signal,
        answered: async (credits) => void told.push(['answered', credits]),
        release: async () => void told.push(['release']),
        doubt: async (reason) => void told.push(['doubt', reason]),
      };
    },
    waitFor: () => undefined,
    commit: () => expect.fail('not asked'),
    fail: () => expect.fail('not asked'),
  };
  const caller = new AbortController();
  const call: Call = {
    requestId: 'r',
    caller: { workspace: 'w' },
    signal: caller.signal,
    deadline: clock.now() + 1_000,
    unit,
  };
  const services = { meter: { hearing }, clock, config } as unknown as RoutingServices;
  return { told, steps: () => told.map(([what]) => what), services, call, caller, hearing };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A request that is sent and ends when the test says so, or when its signal does. */
function sent() {
  let answer: (value: { credits: number }) => void = () => {};
  const ask = (call: Call) =>
    new Promise<{ credits: number }>((resolve, reject) => {
      if (call.paid !== undefined) call.paid.isSent = true;
      const { signal } = call.paid ?? call;
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      answer = resolve;
    });
  return { ask, answer: (credits: number) => answer({ credits }) };
}

const failing = (error: HeadgateError, isSent: boolean) => async (call: Call) => {
  if (call.paid !== undefined) call.paid.isSent = isSent;
  throw error;
};

describe('spend', () => {
  test('a provider is asked when that is on the disk, for the most it can cost, and charged what it used', async () => {
    const { told, services, call } = world();
    await spend(candidate, ESTIMATE, { call, services }, async () => {
      told.push(['send']);
      return { credits: 1 };
    });
    expect(told).toEqual([
      ['ask', expect.objectContaining({ provider: 'tavily', category: 'search', credits: 2 })],
      ['send'],
      ['answered', 1],
    ]);
  });

  test('an answer without content is neither charged nor counted', async () => {
    const { steps, services, call } = world();
    const estimate = { ...ESTIMATE, isVoid: () => true };
    await spend(candidate, estimate, { call, services }, async () => ({ credits: 1 }));
    expect(steps()).toEqual(['ask', 'release']);
  });

  test.each([
    ['refuses', new HeadgateError('upstream_invalid', 'no'), true, 'release'],
    ['fails', new HeadgateError('upstream_unavailable', 'HTTP 503'), true, 'release'],
    ['sends what cannot be read', new HeadgateError('upstream_bad_answer', 'cut'), true, 'release'],
    ['does not answer in time', new HeadgateError('upstream_timeout', 'slow'), true, 'doubt'],
    ['breaks the connection', new HeadgateError('network_error', 'reset'), true, 'doubt'],
    ['cannot be reached', refused('ECONNREFUSED'), true, 'release'],
    ['has no address', refused('ENOTFOUND'), true, 'release'],
    [
      'is known to be down',
      new HeadgateError('upstream_timeout', 'open', { isUnasked: true }),
      false,
      'release',
    ],
    ['is not asked in time', new HeadgateError('deadline_exceeded', 'late'), false, 'release'],
  ] as const)('a provider that %s', async (_name, error, isSent, end) => {
    const { steps, services, call } = world();
    const asked = spend(candidate, ESTIMATE, { call, services }, failing(error, isSent));
    await expect(asked).rejects.toBe(error);
    expect(steps()).toEqual(['ask', end]);
  });

  test('a call that may cost more than the caller allows is refused before anything is held', async () => {
    const { told, services, call } = world();
    const asked = spend(
      candidate,
      ESTIMATE,
      { call: { ...call, creditsMax: 1 }, services },
      async () => ({}),
    );
    await expect(asked).rejects.toMatchObject({ code: 'over_budget', data: { required: 2, limit: 1 } });
    expect(told).toEqual([]);
  });
});

describe('a caller that hangs up', () => {
  const gone = new HeadgateError('cancelled', 'gone');

  test('is let go at once; what the provider answers is charged', async () => {
    const { steps, told, services, call, caller } = world();
    const { ask, answer } = sent();
    const asked = spend(candidate, ESTIMATE, { call, services }, ask);
    await turn();
    caller.abort(gone);
    await expect(asked).rejects.toBe(gone);
    expect(steps()).toEqual(['ask']);
    answer(1);
    await turn();
    expect(told.at(-1)).toEqual(['answered', 1]);
  });

  test('is waited for by its key: the answer is kept', async () => {
    const { services, call, caller } = world({ keepsAnswer: true });
    const { ask, answer } = sent();
    const asked = spend(candidate, ESTIMATE, { call, services }, ask);
    await turn();
    caller.abort(gone);
    answer(1);
    expect(await asked).toEqual({ credits: 1 });
  });

  test('ends a request to a provider without a price', async () => {
    const { steps, services, call, caller } = world({ isPriced: false });
    const { ask } = sent();
    const asked = spend(candidate, ESTIMATE, { call, services }, ask);
    await turn();
    caller.abort(gone);
    await expect(asked).rejects.toBe(gone);
    expect(steps()).toEqual(['ask', 'release']);
  });

  test('and a process that ends before the answer leaves the request in doubt', async () => {
    const { steps, services, call, caller, hearing } = world();
    const asked = spend(candidate, ESTIMATE, { call, services }, sent().ask);
    await turn();
    caller.abort(gone);
    await expect(asked).rejects.toBe(gone);
    await hearing.close();
    expect(steps()).toEqual(['ask', 'doubt']);
  });
});

function refused(code: 'ECONNREFUSED' | 'ENOTFOUND'): HeadgateError {
  return new HeadgateError('network_error', code, { cause: Object.assign(new Error(code), { code }) });
}
