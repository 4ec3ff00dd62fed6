import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Call } from '../core/call.ts';
import { createTestClock } from '../../tests/support/clock.ts';
import { HeadgateError, type FailureCode } from '../core/errors.ts';
import { own, named } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { silentLogger } from '../core/log.ts';
import type { Provider } from '../providers/provider.ts';
import { loadConfig } from '../config/load.ts';
import { createRetryBudget } from '../net/retry-budget.ts';
import { createKeyRing, type Candidate } from './key-ring.ts';
import { createHealthBook } from './provider-health.ts';
import { route, type Answered } from './route.ts';
import type { ReadyProvider } from './ready-provider.ts';
import type { RoutingServices } from './services.ts';

const ready = (id: string, keys: string[] = []): ReadyProvider => ({
  provider: { id, title: id } as Provider,
  settings: {},
  keys,
  paceMs: 0,
});

function world(config: Record<string, unknown> = {}) {
  const clock = createTestClock();
  const services = {
    config: loadConfig({ flags: config }).config,
    clock,
    random: () => 1,
    log: silentLogger,
    keyRing: createKeyRing({ clock }),
    health: createHealthBook({ clock }),
    retryBudget: createRetryBudget({ clock }),
  } as unknown as RoutingServices;
  const call: Call = {
    requestId: 'r',
    caller: {},
    signal: new AbortController().signal,
    deadline: clock.now() + 60_000,
  };
  return { clock, services, call };
}

/** Plays one scripted step per attempt and records who was asked when. */
function script(clock: { now(): number }, steps: (FailureCode | Answered | HeadgateError)[]) {
  const asked: { id: string; at: number }[] = [];
  const ask = async (candidate: Candidate): Promise<Answered> => {
    asked.push({ id: candidate.id, at: clock.now() });
    const step = steps[asked.length - 1] ?? { outcome: 'ok' };
    if (typeof step === 'string')
      throw new HeadgateError(step, own`${named(candidate.id)} says ${step}`, {
        provider: candidate.ready.provider.id,
      });
    if (step instanceof HeadgateError) throw step;
    return step;
  };
  return { asked, ask };
}

describe('route', () => {
  test.each([
    'upstream_quota',
    'upstream_authentication',
    'upstream_rate_limit',
    'upstream_blocked',
    'upstream_timeout',
    'upstream_unavailable',
    'network_error',
    'upstream_bad_answer',
  ] as const)('%s moves the call to the next provider without waiting', async (code) => {
    const { clock, services, call } = world();
    const { asked, ask } = script(clock, [code]);
    const routed = await route([ready('a'), ready('b')], ask, { call, services });
    expect(routed.provider).toBe('b');
    expect(routed.attempts.map((attempt) => attempt.provider)).toEqual(['a', 'b']);
    expect(routed.attempts[0]?.reason).toContain(code);
    expect(asked.map((one) => one.id)).toEqual(['a#0', 'b#0']);
    expect(clock.slept).toEqual([]);
  });

  test('a validation error stops the walk: nobody else would understand it better', async () => {
    const { clock, services, call } = world();
    const { asked, ask } = script(clock, ['upstream_invalid']);
    await expect(route([ready('a'), ready('b')], ask, { call, services })).rejects.toMatchObject({
      code: 'upstream_invalid',
    });
    expect(asked).toHaveLength(1);
  });

  test('F28: 500 twice, then an answer: three requests, waits of at most 1 and 2 s', async () => {
    const { clock, services, call } = world();
    const { asked, ask } = script(clock, ['upstream_unavailable', 'upstream_unavailable']);
    const routed = await route([ready('a')], ask, { call, services });
    expect(routed.attempts.map((attempt) => attempt.outcome)).toEqual(['failed', 'failed', 'ok']);
    expect(asked).toHaveLength(3);
    expect(clock.slept).toEqual([1_000, 2_000]);
  });

  test('F29: a constant 503 costs at most 4 requests', async () => {
    const { clock, services, call } = world();
    const { asked, ask } = script(
      clock,
      Array.from({ length: 20 }, () => 'upstream_unavailable' as const),
    );
    await expect(route([ready('a')], ask, { call, services })).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
    expect(asked).toHaveLength(4);
    expect(clock.slept).toEqual([1_000, 2_000, 4_000]);
  });

  test('F36: a thousand calls into an outage make at most a tenth more requests than calls', async () => {
    const { clock, services } = world();
    const { asked, ask } = script(
      clock,
      Array.from({ length: 9_000 }, () => 'upstream_unavailable' as const),
    );
    const still = {
      ...services,
      clock: { now: () => 0, monotonic: () => 0, sleep: async () => {}, after: () => () => {} },
    };
    const call: Call = { requestId: 'r', caller: {}, signal: new AbortController().signal, deadline: 60_000 };
    const quiet = { ...still, retryBudget: createRetryBudget({ clock: still.clock }) };
    for (let index = 0; index < 1_000; index += 1)
      await route([ready('a')], ask, { call, services: quiet }).catch(() => undefined);
    expect(asked.length).toBeLessThanOrEqual(1_100 + 3 * LIMITS.retryQuietCallsMax);
  });

  test('F27: a Retry-After is waited for exactly, and one beyond the deadline is returned instead', async () => {
    const limited = (retryAfterMs: number) =>
      new HeadgateError('upstream_rate_limit', 'slow down', { retryAfterMs, provider: 'a' });
    const { clock, services, call } = world();
    const first = script(clock, [limited(2_000)]);
    await route([ready('a')], first.ask, { call, services });
    expect(clock.slept).toEqual([2_000]);

    const other = world();
    const second = script(other.clock, [limited(86_400_000)]);
    await expect(
      route([ready('a')], second.ask, { call: other.call, services: other.services }),
    ).rejects.toMatchObject({
      code: 'upstream_rate_limit',
      retryAfterMs: 86_400_000,
    });
    expect(second.asked).toHaveLength(1);
  });

  test.each([
    ['upstream_authentication', 10 * 60_000],
    ['upstream_quota', 60 * 60_000],
  ] as const)(
    'F30: a key refused with %s rests and the next key answers, now and next time',
    async (code, restMs) => {
      const { clock, services, call } = world();
      const provider = ready('a', ['k1', 'k2']);
      const first = script(clock, [code]);
      const routed = await route([provider], first.ask, { call, services });
      expect(routed.attempts.map((attempt) => attempt.key)).toEqual(['key 1', 'key 2']);
      const second = script(clock, []);
      await route([provider], second.ask, { call, services });
      expect(second.asked.map((one) => one.id)).toEqual(['a#1']);
      clock.advance(restMs);
      const third = script(clock, []);
      await route([provider], third.ask, { call, services });
      expect(third.asked.map((one) => one.id)).toEqual(['a#0']);
    },
  );

  test('a degraded answer is kept only if nobody gives a better one', async () => {
    const { clock, services, call } = world();
    const degraded: Answered = { outcome: 'degraded', reason: own`engines down` };
    const better = script(clock, [degraded]);
    expect((await route([ready('a'), ready('b')], better.ask, { call, services })).provider).toBe('b');
    const worse = script(clock, [degraded, 'upstream_blocked']);
    const routed = await route([ready('a'), ready('b')], worse.ask, { call, services });
    expect(routed).toMatchObject({ provider: 'a', answer: { outcome: 'degraded' } });
    expect(routed.attempts).toHaveLength(2);
  });

  test('F35: when everybody fails the error lists who and why, with the attempts', async () => {
    const { clock, services, call } = world({ 'search.retries': 0 });
    const { ask } = script(clock, ['upstream_blocked', 'upstream_quota']);
    const error = await route([ready('a'), ready('b')], ask, { call, services }).catch(
      (thrown: HeadgateError) => thrown,
    );
    expect(error).toMatchObject({ code: 'upstream_unavailable', status: 503 });
    expect((error as HeadgateError).message).toContain(
      'a: a#0 says upstream_blocked · b: b#0 says upstream_quota',
    );
    expect((error as HeadgateError).data['attempts']).toHaveLength(2);
  });

  test('without any provider the caller learns what to do', async () => {
    const { services, call } = world();
    await expect(
      route([], async () => ({ outcome: 'ok' as const }), { call, services }),
    ).rejects.toMatchObject({
      code: 'not_configured',
      remediation: expect.stringContaining('headgate doctor'),
    });
  });

  test('a cancelled call stops at once and asks nobody else', async () => {
    const { clock, services, call } = world();
    const abort = new AbortController();
    const asked: string[] = [];
    const ask = async (candidate: Candidate): Promise<Answered> => {
      asked.push(candidate.id);
      abort.abort();
      throw new HeadgateError('network_error', 'cut');
    };
    await expect(
      route([ready('a'), ready('b')], ask, { call: { ...call, signal: abort.signal }, services }),
    ).rejects.toThrow('abort');
    expect(asked).toEqual(['a#0']);
    expect(clock.slept).toEqual([]);
  });

  const failure = fc.constantFrom<FailureCode>(
    'upstream_quota',
    'upstream_authentication',
    'upstream_rate_limit',
    'upstream_blocked',
    'upstream_timeout',
    'upstream_unavailable',
    'network_error',
  );
  const step = fc.oneof(
    failure,
    fc.constant<Answered>({ outcome: 'ok' }),
    fc.constant<Answered>({ outcome: 'degraded' }),
  );

  test('whatever happens, requests never exceed candidates plus retries, and a resting key is never used', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
        async (keyCounts, calls) => {
          const { clock, services, call } = world();
          const chain = keyCounts.map((count, index) =>
            ready(
              `p${index}`,
              Array.from({ length: count }, (_, key) => `k${key}`),
            ),
          );
          const candidates = keyCounts.reduce((sum, count) => sum + Math.max(1, count), 0);
          for (const steps of calls) {
            const { asked, ask } = script(clock, steps);
            const guarded = async (candidate: Candidate) => {
              expect(services.keyRing.candidates(candidate.ready).map((one) => one.id)).toContain(
                candidate.id,
              );
              return ask(candidate);
            };
            await route(chain, guarded, {
              call: { ...call, deadline: clock.now() + 60_000 },
              services,
            }).catch((thrown: unknown) => {
              if (!(thrown instanceof HeadgateError)) throw thrown;
            });
            expect(asked.length).toBeLessThanOrEqual(candidates + 3);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
