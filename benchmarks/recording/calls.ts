// What a whole call costs the processor: a page that is fetched, read in a thread of its own and turned into Markdown. Live or recorded, in a
// process of its own, because two engines in one process disturb each other.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHeadgate } from '../../src/index.ts';
import { startSite } from './site.ts';

const WARM_UP = 100;
const CALLS = 300;
const home = mkdtempSync(join(tmpdir(), 'snapshot-calls-'));
const site = await startSite();
const recording = { 'web.mode': 'record', 'web.snapshot': join(home, 'calls.wacz'), 'web.pack': false };
const engine = createHeadgate({
  home,
  config: {
    'guard.allow': ['127.0.0.1'],
    'guard.ports': [site.port],
    'cache.enabled': false,
    ...(process.argv[2] === 'recorded' ? recording : {}),
  },
});
const call = (count: number) => engine.extract({ urls: [`${site.base}/${count}`], provider: 'headgate' });
for (let count = 0; count < WARM_UP; count += 1) await call(count);
const before = process.cpuUsage();
for (let count = 0; count < CALLS; count += 1) await call(WARM_UP + count);
const { user, system } = process.cpuUsage(before);
await engine.close();
site.close();
rmSync(home, { recursive: true, force: true });
console.log((user + system) / CALLS);
