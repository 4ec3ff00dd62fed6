// What it costs to check who calls: processor time of a check of an API key and of a client's access token, from the cache and from the
// store. The token is one that an MCP client gets by signing in.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { systemClock } from '../../src/core/clock.ts';
import { createMemoryShared } from '../../src/core/shared.ts';
import { createIdentify } from '../../src/gateway/door/identify.ts';
import {
  createClientMemory,
  createSignInWorld,
  type SignInWorld,
} from '../../tests/support/gateway/sign-in.ts';

const ROUNDS = 7;
const CHECKS = { cached: 100_000, read: 2_000 };

async function tokenOf(world: SignInWorld): Promise<string> {
  const memory = createClientMemory('configured');
  const transport = new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), {
    authProvider: memory.provider,
  });
  await new Client({ name: 'benchmark', version: '1' }).connect(transport).catch(() => undefined);
  const browser = await world.browser();
  const begun = await browser.begin(memory.sentTo());
  if ('refused' in begun) throw new Error(await begun.refused.text());
  const back = await browser.decide(begun.id, { allow: true, workspace: world.workspace });
  await transport.finishAuth(back.searchParams);
  return memory.tokens().access_token;
}

/** Microseconds of processor time per check. */
async function cost(check: () => Promise<unknown>, count: number): Promise<number> {
  const before = process.cpuUsage();
  for (let at = 0; at < count; at += 1) await check();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function main(): Promise<void> {
  const world = await createSignInWorld();
  try {
    const { keys } = world.gateway.store;
    const { key } = await keys.create({ workspace: world.workspace, label: 'benchmark' });
    const token = await tokenOf(world);
    const options = {
      keys,
      clock: systemClock,
      shared: createMemoryShared({ clock: systemClock }),
      requests: { requests: 1e9, perMs: 60_000 },
      keyless: 'never' as const,
      publicUrl: world.url,
    };
    const cached = createIdentify({ ...options, knownMs: 3_600_000 });
    const read = createIdentify({ ...options, knownMs: 0 });
    const place = '/mcp';
    const cases = [
      { name: 'API key, cached', check: () => cached(key, '127.0.0.1'), count: CHECKS.cached },
      { name: 'access token, cached', check: () => cached(token, '127.0.0.1', place), count: CHECKS.cached },
      { name: 'API key, read from SQLite', check: () => read(key, '127.0.0.1'), count: CHECKS.read },
      {
        name: 'access token, read from SQLite',
        check: () => read(token, '127.0.0.1', place),
        count: CHECKS.read,
      },
    ].map((one) => ({ ...one, us: [] as number[] }));
    for (const { check, count } of cases) await cost(check, count / 10);
    for (let round = 0; round < ROUNDS; round += 1)
      for (const one of cases) one.us.push(await cost(one.check, one.count));
    const checks = cases.map(({ name, us }) => ({ name, median_us: median(us), most_us: Math.max(...us) }));
    console.log(JSON.stringify({ rounds: ROUNDS, checks }, null, 2));
  } finally {
    await world.close();
  }
}

await main();
