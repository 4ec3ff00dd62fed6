import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { runHeadgate } from '../support/cli.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { sized } from '../support/sized.ts';

// Processes that record are killed at any moment; what they had written down is packed and whole.

const home = mkdtempSync(join(tmpdir(), 'kills-'));
let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
afterAll(async () => {
  await sim.close();
  rmSync(home, { recursive: true, force: true });
});

const library = pathToFileURL(join(import.meta.dirname, '../../dist/index.js')).href;

/** Searches until it is killed, and prints a dot for each answer. */
const program = (file: string): string => `
  import { createHeadgate } from '${library}';
  const headgate = createHeadgate({ home: ${JSON.stringify(home)}, config: {
    'web.mode': 'record', 'web.snapshot': ${JSON.stringify(file)}, 'web.pack': false, 'cache.enabled': false,
    'providers.tavily.api_key': 'tvly-any', 'providers.tavily.base_url': '${sim.url}/tavily', 'search.provider': 'tavily' } });
  for (let at = 0; ; at += 1) { await headgate.search({ query: 'mills ' + at }); process.stdout.write('.'); }`;

test('a recording that is killed keeps every exchange whose answer a caller had got', async () => {
  const random = seededRandom(3);
  const kills = sized('kills of a recording', { small: 2, large: 20, full: 20 });
  for (let round = 0; round < kills; round += 1) {
    const file = join(home, `${round}.wacz`);
    const child = spawn(process.execPath, ['--input-type=module', '-e', program(file)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let answers = 0;
    child.stdout.on('data', (chunk: Buffer) => (answers += chunk.length));
    await once(child.stdout, 'data');
    await new Promise((resolve) => setTimeout(resolve, random() * 300));
    child.kill('SIGKILL');
    await once(child, 'close');
    const repaired = await runHeadgate(['snapshot', 'repair', file, '--json'], { home });
    const { exchanges } = JSON.parse(repaired.out) as { exchanges: number };
    expect(answers).toBeGreaterThan(0);
    expect(exchanges).toBeGreaterThanOrEqual(answers);
    expect((await runHeadgate(['snapshot', 'verify', file], { home })).out).toBe('No problems found.\n');
  }
}, 120_000);
