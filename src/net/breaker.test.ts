import { expect, test } from 'vitest';
import { createTestClock } from '../../tests/support/clock.ts';
import { HeadgateError, type FailureCode } from '../core/errors.ts';
import { createBreaker, type Breaker } from './breaker.ts';

const setup = () => {
  const clock = createTestClock(0);
  return { clock, breaker: createBreaker({ clock, random: () => 0.5 }) };
};

const fail = (breaker: Breaker, code: FailureCode = 'upstream_unavailable') =>
  breaker
    .run('key', async () => {
      throw new HeadgateError(code, 'HTTP 503.');
    })
    .then(
      () => 'ok',
      (thrown: HeadgateError) => thrown.code,
    );
const succeed = (breaker: Breaker) =>
  breaker
    .run('key', async () => 'ok')
    .catch((thrown: HeadgateError) => (thrown.isUnasked ? `not asked: ${thrown.code}` : thrown.code));

test('F29: five failures in a row open it, then calls fail at once, and a probe closes it again', async () => {
  const { clock, breaker } = setup();
  for (let call = 0; call < 5; call += 1) expect(await fail(breaker)).toBe('upstream_unavailable');
  let reached = 0;
  await expect(breaker.run('key', async () => (reached += 1))).rejects.toMatchObject({
    code: 'upstream_unavailable',
    isUnasked: true,
    retryable: false,
    retryAfterMs: 15_000,
    message: 'Not tried, because it failed repeatedly just now: HTTP 503.',
  });
  expect(reached).toBe(0);
  expect(breaker.state('key')).toEqual({ state: 'open', reason: 'HTTP 503.', retryAt: 15_000 });
  clock.advance(15_000);
  expect(breaker.state('key').state).toBe('half-open');
  expect(await succeed(breaker)).toBe('ok');
  expect(breaker.state('key')).toEqual({ state: 'closed' });
});

test('the retries of one call count once, and a call whose circuit opens may finish them', async () => {
  const { breaker } = setup();
  const down = async (): Promise<never> => {
    throw new HeadgateError('upstream_unavailable', 'HTTP 503.');
  };
  const first = {};
  for (let request = 0; request < 8; request += 1)
    await expect(breaker.run('key', down, first)).rejects.toThrow('503');
  expect(breaker.state('key').state).toBe('closed');
  for (let call = 0; call < 4; call += 1) await fail(breaker);
  expect(breaker.state('key').state).toBe('open');
  expect(await succeed(breaker)).toBe('not asked: upstream_unavailable');
  await expect(breaker.run('key', down, first)).rejects.toThrow('503');
  expect(await breaker.run('key', async () => 'ok', first)).toBe('ok');
  expect(breaker.state('key').state).toBe('closed');
});

test('while a probe runs, nobody else gets through; a failed probe opens it again', async () => {
  const { clock, breaker } = setup();
  for (let call = 0; call < 5; call += 1) await fail(breaker);
  clock.advance(15_000);
  let end = (_thrown: Error) => {};
  const probe = breaker.run('key', () => new Promise((_resolve, reject) => (end = reject)));
  expect(await succeed(breaker)).toBe('not asked: upstream_unavailable');
  end(new HeadgateError('upstream_timeout', 'Too slow.'));
  await expect(probe).rejects.toMatchObject({ code: 'upstream_timeout' });
  expect(breaker.state('key')).toEqual({ state: 'open', reason: 'Too slow.', retryAt: 30_000 });
});

test('a probe that is cancelled proves nothing, so the next call is the probe', async () => {
  const { clock, breaker } = setup();
  for (let call = 0; call < 5; call += 1) await fail(breaker);
  clock.advance(15_000);
  expect(await fail(breaker, 'cancelled')).toBe('cancelled');
  expect(await succeed(breaker)).toBe('ok');
  expect(breaker.state('key').state).toBe('closed');
});

test('half of twenty calls within 30 seconds open it', async () => {
  const { breaker } = setup();
  for (let pair = 0; pair < 9; pair += 1) {
    await fail(breaker);
    await succeed(breaker);
  }
  await succeed(breaker);
  expect(breaker.state('key').state).toBe('closed');
  await fail(breaker);
  expect(breaker.state('key').state).toBe('open');
});

test('failures that are older than 30 seconds are forgotten', async () => {
  const { clock, breaker } = setup();
  for (let pair = 0; pair < 9; pair += 1) {
    await fail(breaker);
    await succeed(breaker);
  }
  clock.advance(31_000);
  await succeed(breaker);
  await fail(breaker);
  expect(breaker.state('key').state).toBe('closed');
});

test('keys, limits, bad requests, challenges and cancellations do not open it', async () => {
  const { breaker } = setup();
  const codes = [
    'upstream_authentication',
    'upstream_quota',
    'upstream_rate_limit',
    'upstream_invalid',
    'upstream_blocked',
    'upstream_bad_answer',
    'cancelled',
    'deadline_exceeded',
    'internal',
  ] as const;
  for (const code of codes)
    for (let call = 0; call < 25; call += 1) expect(await fail(breaker, code)).toBe(code);
  expect(breaker.state('key').state).toBe('closed');
});

test('keys are separate, and their number is bounded', async () => {
  const { breaker } = setup();
  for (let call = 0; call < 5; call += 1) await fail(breaker);
  expect(await breaker.run('other', async () => 'ok')).toBe('ok');
  for (let index = 0; index < 1_500; index += 1) await breaker.run(`k${index}`, async () => 'ok');
  // An open circuit is not forgotten to make room.
  expect(breaker.state('key').state).toBe('open');
});
