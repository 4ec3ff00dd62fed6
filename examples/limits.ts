// A budget holds with any number of calls at once: the check and the count are one step, so the sixth call of five is refused.
import assert from 'node:assert/strict';
import { createClient, HeadgateError } from 'headgate/client';
import { startWorld } from './world.ts';

const world = await startWorld();
try {
  const gateway = await world.startGateway({
    HEADGATE_LIMITS__CALLS_PER_DAY: '5',
    HEADGATE_CACHE__ENABLED: 'false',
  });
  const web = createClient({ baseUrl: gateway, retries: 0 });
  const calls = Array.from({ length: 20 }, (_, at) => web.search({ query: `tides ${at}`, max_results: 1 }));
  const ended = await Promise.allSettled(calls);
  const answered = ended.filter((call) => call.status === 'fulfilled');
  const refused = ended.flatMap((call) => (call.status === 'rejected' ? [call.reason as unknown] : []));
  console.log(`${answered.length} answered, ${refused.length} refused`);
  assert.equal(
    answered.filter((call) =>
      call.value.attempts.some(({ provider, outcome }) => provider === 'tavily' && outcome === 'ok'),
    ).length,
    5,
  );
  for (const reason of refused) assert.ok(reason instanceof HeadgateError && reason.status === 432);
} finally {
  await world.end();
}
