// Search and read in your own process.
import assert from 'node:assert/strict';
import { createHeadgate, HeadgateError } from 'headgate';
import { startWorld } from './world.ts';

const world = await startWorld();
const web = createHeadgate({ env: world.env });
try {
  const found = await web.search({ query: 'rust programming', max_results: 3 });
  for (const hit of found.results) console.log(`${hit.title}\n  ${hit.url} (${hit.provider})`);
  assert.equal(found.outcome, 'ok');
  assert.equal(found.results.length, 3);
  assert.equal(found.attempts[0]?.provider, 'tavily');

  const { results, failed_results: failed } = await web.extract({
    urls: [`${world.url}/web/river/gate`, 'http://169.254.169.254/latest/meta-data/'],
    query: 'When was the headgate built?',
    provider: 'headgate',
  });
  console.log(results[0]?.raw_content);
  assert.match(results[0]?.raw_content ?? '', /built in 1911/);
  // What must not be fetched is not fetched, and the rest goes on.
  assert.equal(failed[0]?.code, 'BLOCKED_HOST');

  const refused = await web.search({ query: ' ' }).catch((thrown: unknown) => thrown);
  assert.ok(refused instanceof HeadgateError);
  console.log(`${refused.code}: ${refused.message}`);
} finally {
  await web.close();
  await world.end();
}
