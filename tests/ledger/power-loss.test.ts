import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { createAccounts } from '../../src/store/accounts.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import { expectNothingLost, listen, nothingSaid } from '../support/ledger/crash.ts';
import { buildGateway } from '../support/ledger/processes.ts';
import { temporaryFolder } from '../support/ledger/world.ts';
import { sayNotRun } from '../support/not-run.ts';
import { sized } from '../support/sized.ts';

const LOSSES = sized('power losses', { small: 2, large: 12, full: 100 });
const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;
if (!hasCompiler) sayNotRun('power losses', 'Linux and a C compiler');

describe.skipIf(!hasCompiler)('F3, L7: power loss', () => {
  const folder = temporaryFolder();
  const library = join(folder, 'power-loss.so');
  let gateways: Awaited<ReturnType<typeof buildGateway>>;
  beforeAll(async () => {
    execFileSync('cc', [
      '-shared',
      '-fPIC',
      '-O1',
      '-o',
      library,
      join(import.meta.dirname, '../support/ledger/power-loss.c'),
      '-ldl',
    ]);
    gateways = await buildGateway();
  });
  afterAll(() => {
    gateways.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  test(
    `${LOSSES} losses of everything that was not synced: nothing acknowledged is lost`,
    async () => {
      const path = join(folder, 'headgate.db');
      const open = () => openSqlite({ path, clock: systemClock, exclusive: false, deadlineMs: 20_000 });
      const first = open();
      const accounts = createAccounts(first, systemClock);
      const { subscription } = await accounts.createWorkspace({ name: 'Acme', tier: 'pro' });
      await accounts.topUp({ subscription, amount: 8_000_000_000 });
      await first.close();

      const said = nothingSaid();
      let replaced = 0;
      for (let round = 0; round < LOSSES; round += 1) {
        const env = { ...process.env, LD_PRELOAD: library, HEADGATE_LOSSY: folder };
        const gateway = gateways.start(
          { task: 'load', location: path, subscription, name: `r${round}` },
          { env },
        );
        await gateway.line(
          () => gateway.lines.filter((line) => line.startsWith('S')).length > 60 + 40 * (round % 10),
        );
        await gateway.kill();
        listen(said, gateway);
        // The mark stays: it is never ahead of what was synced.
        for (const end of ['', '-wal']) {
          if (!existsSync(`${path}${end}.synced`)) continue;
          renameSync(`${path}${end}.synced`, path + end);
          replaced += 1;
        }
        rmSync(`${path}-shm`, { force: true });
        const after = open();
        await expectNothingLost(after, subscription, said);
        await after.close();
      }
      expect(replaced).toBeGreaterThanOrEqual(LOSSES);
      expect(said.settled.size).toBeGreaterThan(LOSSES * 50);
    },
    60_000 + LOSSES * 15_000,
  );
});
