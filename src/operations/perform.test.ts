import { expect, test } from 'vitest';
import { z } from 'zod';
import { createTestClock } from '../../tests/support/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { silentLogger } from '../core/log.ts';
import { defineOperation } from './operation.ts';
import { createCall, perform } from './perform.ts';
import type { Services } from './services.ts';

const services = {
  clock: createTestClock(),
  log: silentLogger,
  config: { search: { timeout_ms: 60_000 }, providers: {} },
  rulesFor: async () => undefined,
} as unknown as Services;

/** A meter that writes down what it is told, and books when the test says so. */
function world(commit: () => Promise<unknown>) {
  const told: string[] = [];
  const meter = {
    open: async () => ({ id: 'u', kept: null }),
    hold: async () => (told.push('hold'), { id: 'h', metered: true, isPriced: true }),
    commit: async () => {
      told.push('commit');
      await commit();
      return { receipt: { credits: 1, charged: 8_000, free: false, balanceAfter: 2_000, callsLeft: 0 } };
    },
    hearing: { signal: new AbortController().signal },
  };
  return { told, services: { ...services, meter } as unknown as Services };
}

const operation = defineOperation({
  contract: { name: 'paid', title: '', description: '', input: z.object({}), output: z.unknown() },
  scope: 'search',
  webTools: [],
  run: async (_input, { call }) => {
    const asked = await call.unit?.ask({ category: 'search', provider: 'tavily', credits: 2 });
    void asked?.answered(7);
    return { text: 'answer', credits: 7 };
  },
});

test('an answer leaves when it is paid for, and says what was booked', async () => {
  let pay = () => {};
  const { told, services: metered } = world(() => new Promise<void>((resolve) => (pay = resolve)));
  const delivered = perform(operation, {}, { call: createCall(services), services: metered }).then(
    (output) => {
      told.push('delivered');
      return output;
    },
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual(['hold', 'commit']);
  pay();
  expect(await delivered).toEqual({
    text: 'answer',
    credits: 1,
    cost: { credits: 1, charged: 8_000, free: false, balance_after: 2_000, calls_left: 0 },
  });
});

test('F17: an answer whose payment could not be booked is not delivered', async () => {
  const lost = new HeadgateError('storage_unavailable', 'The disk is full.');
  const asked = perform(
    operation,
    {},
    { call: createCall(services), services: world(() => Promise.reject(lost)).services },
  );
  await expect(asked).rejects.toMatchObject({ code: 'storage_unavailable' });
});

test('a run inside another one is booked with that one', async () => {
  const { told, services: metered } = world(async () => undefined);
  const outer = defineOperation({
    contract: operation.contract,
    scope: 'search',
    webTools: [],
    run: async (_input, { call }) => perform(operation, {}, { call, services: metered }),
  });
  await perform(outer, {}, { call: createCall(services), services: metered });
  expect(told).toEqual(['hold', 'commit']);
});

test('a call that fails after something was charged says what it cost', async () => {
  const failing = defineOperation({
    contract: operation.contract,
    scope: 'search',
    webTools: [],
    run: async (input, { call }) => {
      await operation.run(input as never, { call, services });
      throw new HeadgateError('upstream_unavailable', 'The second page failed.');
    },
  });
  const asked = perform(
    failing,
    {},
    { call: createCall(services), services: world(async () => undefined).services },
  );
  await expect(asked).rejects.toMatchObject({
    code: 'upstream_unavailable',
    data: { cost: { charged: 8_000 } },
  });
});

test('a call follows its caller until it is ended', () => {
  const caller = new AbortController();
  const [open, ended] = [1, 2].map(() => createCall(services, { signal: caller.signal }));
  ended?.end();
  caller.abort(new HeadgateError('cancelled', 'gone'));
  expect([open?.signal.aborted, ended?.signal.aborted]).toEqual([true, false]);
  open?.end();
});
