import { expect, test } from 'vitest';
import { createManualClock, createTestClock } from '../../../tests/support/clock.ts';
import { LIMITS } from '../../core/limits.ts';
import { createGuessDelay } from './guess-delay.ts';

test('refusals come later and later, up to a bound; a right one starts again', async () => {
  const clock = createTestClock();
  const guesses = createGuessDelay(clock);
  for (let guess = 0; guess < 12; guess += 1) await guesses.wrong(['address a', 'name n']);
  expect(clock.slept).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
  guesses.right(['address a', 'name n']);
  await guesses.wrong(['address a', 'name n']);
  expect(clock.slept).toHaveLength(8);
});

test('many addresses that guess one name are slowed down together, and old guesses are forgotten', async () => {
  const clock = createTestClock();
  const guesses = createGuessDelay(clock);
  for (let guess = 0; guess < 6; guess += 1) await guesses.wrong([`address ${guess}`, 'name n']);
  expect(clock.slept).toEqual([250, 500]);
  clock.advance(LIMITS.guessMemoryMs);
  await guesses.wrong(['address 1', 'name n']);
  expect(clock.slept).toHaveLength(2);
});

test('guesses are remembered for as long as usual when the clock of the machine is set back', async () => {
  const clock = createTestClock();
  const guesses = createGuessDelay(clock);
  for (let guess = 0; guess < 5; guess += 1) await guesses.wrong(['name n']);
  clock.step(-10 * LIMITS.guessMemoryMs);
  clock.advance(LIMITS.guessMemoryMs);
  await guesses.wrong(['name n']);
  expect(clock.slept).toEqual([250]);
});

test('neither names nor waiting refusals can fill the memory', async () => {
  const clock = createManualClock();
  const guesses = createGuessDelay(clock);
  for (let name = 0; name < LIMITS.clientsMax + 10; name += 1) await guesses.wrong([`name ${name}`]);
  expect(guesses.size).toBe(LIMITS.clientsMax);
  const refusals = Array.from({ length: LIMITS.guessesWaitingMax + 10 }, () =>
    guesses.wrong(['name n']).then(
      () => 'waited',
      () => 'refused',
    ),
  );
  expect(clock.sleepers).toBe(LIMITS.guessesWaitingMax);
  await clock.advance(LIMITS.guessDelayMsMax);
  expect((await Promise.all(refusals)).filter((refusal) => refusal === 'refused')).toHaveLength(6);
});
