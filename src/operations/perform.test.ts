import { expect, test } from 'vitest';
import { z } from 'zod';
import { createTestClock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { silentLogger } from '../core/log.ts';
import { defineOperation } from './operation.ts';
import { createCall, perform, performAs } from './perform.ts';
import type { Services } from './services.ts';

const services = {
  clock: createTestClock(),
  log: silentLogger,
  config: { search: { timeout_ms: 60_000 } },
} as unknown as Services;

/** An operation that answers at once and is paid for when the test says so. */
function paidLater() {
  let end: (cause?: Error) => void = () => {};
  const payment = new Promise<void>((resolve, reject) => {
    end = (cause) => (cause === undefined ? resolve() : reject(cause));
  });
  const contract = { name: 'paid', title: '', description: '', input: z.object({}), output: z.string() };
  const operation = defineOperation({
    contract,
    scope: 'search',
    webTools: [],
    run: async (_input, call) => {
      call.beforeDelivery?.(payment);
      return 'answer';
    },
  });
  return { operation, end };
}

test('an answer is encoded while it is paid for, and leaves when it is', async () => {
  const { operation, end } = paidLater();
  const steps: string[] = [];
  const delivered = performAs(operation, {}, createCall(services), services, (output) => {
    steps.push('encoded');
    return output.toUpperCase();
  }).then((answer) => steps.push(answer));
  await new Promise((resolve) => setImmediate(resolve));
  expect(steps).toEqual(['encoded']);
  end();
  await delivered;
  expect(steps).toEqual(['encoded', 'ANSWER']);
});

test('F17: an answer whose payment could not be booked is not delivered', async () => {
  const { operation, end } = paidLater();
  const asked = perform(operation, {}, createCall(services), services);
  end(new HeadgateError('storage_unavailable', 'The disk is full.'));
  await expect(asked).rejects.toMatchObject({ code: 'storage_unavailable' });
});

test('a call follows its caller until it is ended', () => {
  const caller = new AbortController();
  const [open, ended] = [1, 2].map(() => createCall(services, { signal: caller.signal }));
  ended?.end();
  caller.abort(new HeadgateError('cancelled', 'gone'));
  expect([open?.signal.aborted, ended?.signal.aborted]).toEqual([true, false]);
  open?.end();
});
