import { expect, test } from 'vitest';
import { createTestClock } from '../../../tests/support/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Services } from '../../operations/services.ts';
import { createIssuer } from './issuer.ts';

/** An issuer whose own origin answers with a status, and other origins as the guard lets them. */
function issuerWith(status: () => number) {
  const clock = createTestClock();
  const sent: string[] = [];
  const upstream = {
    send: async ({ url }: { url: string }) => {
      sent.push(`direct ${url}`);
      return { status: status(), headers: { 'content-type': 'application/json' }, body: '{}', url };
    },
  };
  const fetch = async (url: string) => {
    sent.push(`guarded ${url}`);
    throw new HeadgateError('page_status', 'The site answered.', { data: { status: status() } });
  };
  const services = { clock, upstream, fetch } as unknown as Services;
  return { clock, sent, issuer: createIssuer(services, 'https://login.example/tenant') };
}
const KEYS = 'https://login.example/keys';

test('keys that many want at once are fetched once, and a failure is not repeated for a moment', async () => {
  let status = 500;
  const { issuer, sent, clock } = issuerWith(() => status);
  const many = () => Promise.allSettled(Array.from({ length: 20 }, () => issuer.ask(KEYS, {})));
  expect((await many()).every((one) => one.status === 'rejected')).toBe(true);
  clock.advance(LIMITS.issuerFailedMs - 1);
  await many();
  expect(sent).toEqual([`direct ${KEYS}`]);
  clock.advance(1);
  status = 200;
  const answers = await many();
  expect(sent.length).toBe(2);
  for (const one of answers)
    expect(one.status === 'fulfilled' ? await one.value.text() : undefined).toBe('{}');
});

test('another origin is asked through the guard, and its refusal of a token is one', async () => {
  let status = 400;
  const { issuer, sent } = issuerWith(() => status);
  const post = () =>
    issuer.ask('https://elsewhere.example/token', { method: 'POST', body: new URLSearchParams() });
  expect(await (await post()).json()).toEqual({ error: 'invalid_grant' });
  status = 503;
  expect(await (await post()).json()).toEqual({ error: 'server_error' });
  expect(new Set(sent)).toEqual(new Set(['guarded https://elsewhere.example/token']));
});

test('an https issuer is not left for http', async () => {
  const { issuer, sent } = issuerWith(() => 200);
  await expect(issuer.ask('http://login.example/keys', { method: 'POST' })).rejects.toThrow(
    /only asked over/,
  );
  expect(sent).toEqual([]);
});
