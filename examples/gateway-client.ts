// A gateway from any JavaScript that has `fetch`: typed calls, retries, and an error that says why.
import assert from 'node:assert/strict';
import { createClient, HeadgateError } from 'headgate/client';
import { startWorld } from './world.ts';

const world = await startWorld();
try {
  const web = createClient({ baseUrl: await world.startGateway(), retries: 0 });
  const { results, outcome } = await web.search({ query: 'rust programming', max_results: 2 });
  console.log(results.map((hit) => hit.url).join('\n'));
  assert.equal(outcome, 'ok');

  const thrown = await web.search({ query: 'x'.repeat(2_000) }).catch((error: unknown) => error);
  assert.ok(thrown instanceof HeadgateError);
  console.log(`${thrown.status} ${thrown.code}: ${thrown.explanation}`);
  assert.equal(thrown.status, 400);
  assert.equal(thrown.retryable, false);
} finally {
  await world.end();
}
