import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { silentLogger } from '../../core/log.ts';
import { createFileSessions } from './files.ts';
import type { SessionEntry, SessionRecord } from './session.ts';

test('whoever looks while the owner ends never writes an older state over the last one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-keep-'));
  const store = createFileSessions({ folder, clock: systemClock, log: silentLogger });
  try {
    for (let round = 0; round < 60; round += 1) {
      const id = `deepres-${round.toString(16).padStart(12, '0')}`;
      const record = {
        id,
        workspace: '',
        status: 'running',
        statusChecks: 0,
        createdAt: round,
      } as SessionRecord;
      const lease = await store.create(record, {});
      const ending = lease.save({ ...record, status: 'cancelled' }).then(() => lease.release(false));
      const looking = (async () => {
        for (let look = 0; look < 3; look += 1) await store.check((await store.find('', id)) as SessionEntry);
      })();
      await Promise.all([ending, looking]);
      expect((await store.find('', id))?.record.status).toBe('cancelled');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a check by a gateway that lost the session leaves the state of the new owner', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-keep-'));
  const store = createFileSessions({ folder, clock: systemClock, log: silentLogger });
  try {
    const record = {
      id: 'deepres-0123456789ab',
      workspace: '',
      status: 'running',
      statusChecks: 0,
    } as SessionRecord;
    const lease = await store.create(record, {});
    await lease.save({ ...record, status: 'completed' });
    await lease.release(false);
    await store.check({ record: { ...record, status: 'interrupted' }, isHeld: false });
    expect((await store.find('', record.id))?.record).toMatchObject({ status: 'completed', statusChecks: 1 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
