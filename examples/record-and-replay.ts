// A test of an agent against a frozen web: record once, replay for ever, without a network.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { bin, startWorld } from './world.ts';

const world = await startWorld();
const snapshot = join(world.home, 'web.wacz');
/** Your agent. Every process that uses Headgate (a command, the SDK, an MCP server) is recorded. */
const agent = (question: string): string[] => ['--', process.execPath, bin, 'search', question, '--json'];
const headgate = (...args: string[]): string =>
  execFileSync(process.execPath, [bin, ...args], {
    env: { ...process.env, ...world.env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
const urls = (printed: string): string[] =>
  (JSON.parse(printed) as { results: { url: string }[] }).results.map(({ url }) => url);
try {
  const recorded = urls(headgate('record', snapshot, ...agent('tidal mills')));
  await world.endWeb();
  // In your test suite only this part runs; the snapshot is committed beside it.
  const replayed = urls(headgate('replay', snapshot, ...agent('tidal mills')));
  console.log(replayed.join('\n'));
  assert.deepEqual(replayed, recorded);
  assert.ok(replayed.length > 0);
  // A question that the recording cannot answer fails loudly, with status 3.
  assert.throws(
    () => headgate('replay', snapshot, ...agent('violin strings')),
    (thrown: { status: number }) => thrown.status === 3,
  );
} finally {
  await world.end();
}
