import { expect, test } from 'vitest';
import { createSingleFlight } from './single-flight.ts';

const never = new AbortController().signal;

/** Work that a test ends. */
function createWork() {
  const runs: { signal: AbortSignal; finish(value: string): void; fail(reason: Error): void }[] = [];
  const run = (signal: AbortSignal) =>
    new Promise<string>((finish, fail) => {
      runs.push({ signal, finish, fail });
      signal.addEventListener('abort', () => fail(signal.reason as Error));
    });
  return { run, runs };
}

test('F37: 100 equal calls at once are one piece of work', async () => {
  const flight = createSingleFlight();
  const work = createWork();
  const calls = Array.from({ length: 100 }, () => flight.run('key', work.run, never));
  expect(work.runs).toHaveLength(1);
  work.runs[0]?.finish('answer');
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['answer']));
});

test('F38: other keys are other work, and what is over is not shared', async () => {
  const flight = createSingleFlight();
  const work = createWork();
  const calls = [flight.run('a', work.run, never), flight.run('b', work.run, never)];
  work.runs[0]?.finish('one');
  work.runs[1]?.finish('two');
  expect(await Promise.all(calls)).toEqual(['one', 'two']);
  const third = flight.run('a', work.run, never);
  work.runs[2]?.finish('three');
  expect(await third).toBe('three');
});

test('a failure reaches everybody and is not kept', async () => {
  const flight = createSingleFlight();
  const work = createWork();
  const calls = [flight.run('a', work.run, never), flight.run('a', work.run, never)];
  work.runs[0]?.fail(new Error('down'));
  for (const outcome of await Promise.allSettled(calls))
    expect(outcome).toMatchObject({ reason: { message: 'down' } });
  void flight.run('a', work.run, never);
  expect(work.runs).toHaveLength(2);
});

test('one who cancels leaves alone; the others get their answer', async () => {
  const flight = createSingleFlight();
  const work = createWork();
  const controller = new AbortController();
  const leaving = flight.run('a', work.run, controller.signal);
  const staying = flight.run('a', work.run, never);
  controller.abort();
  await expect(leaving).rejects.toMatchObject({ code: 'cancelled' });
  expect(work.runs[0]?.signal.aborted).toBe(false);
  work.runs[0]?.finish('answer');
  expect(await staying).toBe('answer');
});

test('when the last one cancels, the work is aborted, and a newcomer starts afresh', async () => {
  const flight = createSingleFlight();
  const work = createWork();
  const controllers = [new AbortController(), new AbortController()];
  const calls = controllers.map((controller) => flight.run('a', work.run, controller.signal));
  controllers.forEach((controller) => controller.abort());
  expect(work.runs[0]?.signal.aborted).toBe(true);
  const newcomer = flight.run('a', work.run, never);
  work.runs[1]?.finish('fresh');
  expect(await newcomer).toBe('fresh');
  for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'cancelled' });
});

test('a signal that is already aborted starts nothing', async () => {
  const work = createWork();
  await expect(createSingleFlight().run('a', work.run, AbortSignal.abort())).rejects.toMatchObject({
    code: 'cancelled',
  });
  expect(work.runs).toHaveLength(0);
});
