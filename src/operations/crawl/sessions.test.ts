import { expect, test } from 'vitest';
import { createTestClock } from '../../../tests/support/clock.ts';
import { LIMITS } from '../../core/limits.ts';
import { createCrawlSessions } from './sessions.ts';

const state = (path: string) => ({
  queue: [{ url: `https://a.example/${path}`, depth: 2 }],
  found: ['https://a.example/', `https://a.example/${path}?utm_source=x`],
  seen: new Set(['a.example', `a.example/${path}`]),
});

test('a walk goes on where it stopped, once, and for who began it', async () => {
  const clock = createTestClock(0);
  const sessions = createCrawlSessions({ clock });
  const cursor = await sessions.keep('ws_1', state('one'));
  await expect(sessions.take('ws_2', cursor)).rejects.toMatchObject({ code: 'not_found' });
  expect(await sessions.take('ws_1', cursor)).toEqual(state('one'));
  await expect(sessions.take('ws_1', cursor)).rejects.toMatchObject({ code: 'not_found' });
});

test('walks are forgotten after a quarter of an hour, and the oldest when there are too many', async () => {
  const clock = createTestClock(0);
  const sessions = createCrawlSessions({ clock });
  const first = await sessions.keep('ws_1', state('one'));
  for (let index = 0; index < LIMITS.crawlSessionsMax; index += 1)
    await sessions.keep('ws_1', state(String(index)));
  await expect(sessions.take('ws_1', first)).rejects.toMatchObject({ code: 'not_found' });
  const late = await sessions.keep('ws_1', state('late'));
  clock.advance(LIMITS.crawlSessionMs + 1);
  await expect(sessions.take('ws_1', late)).rejects.toMatchObject({ code: 'not_found' });
});
