import { expect, test } from 'vitest';
import { shareRoom } from './room.ts';

test.each([
  [[10, 20, 30], 100, [10, 20, 30]],
  [[100, 10, 100], 90, [40, 10, 40]],
  [[100, 100], 0, [0, 0]],
  [[100, 100], -5, [0, 0]],
  [[], 10, []],
])('%j in %i is %j', (needs, room, shares) => {
  expect(shareRoom(needs, room)).toEqual(shares);
});
