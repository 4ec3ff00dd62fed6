import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createManualClock } from '../support/clock.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { silentLogger } from '../../src/core/log.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { research, researchSession } from '../../src/research/research.ts';
import { createDatabaseSessions } from '../../src/research/session/database.ts';
import { createFileSessions } from '../../src/research/session/files.ts';
import { createResearchSessions } from '../../src/research/session/sessions.ts';
import { sized } from '../support/sized.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { checkReport } from '../support/research/check-report.ts';
import { createResearchWorld, QUESTION, type ResearchWorld } from '../support/research/world.ts';

/** One contract for every place where sessions are kept, seen from two gateways that share it. */
const postgres = await startPostgres();
afterAll(() => postgres?.stop());

const RACES = sized('races of two gateways for a session', { small: 1, large: 10, full: 10 });
const small = { query: QUESTION, max_iterations: 1, max_sub_queries: 2, max_sources_per_query: 3 };

const PLACES = [...(postgres === undefined ? [] : ['postgres']), 'folder', 'sqlite'];
const places = sized('places where sessions are kept', { small: 2, large: 3, full: 3 });

describe.each(PLACES.slice(0, places))('sessions kept in: %s', (where) => {
  let world: ResearchWorld;
  let other: Engine;
  beforeEach(async () => {
    const keep = where === 'postgres' ? await (postgres as TestPostgres).migratedUrl() : where;
    world = await createResearchWorld({ keep });
    other = world.open();
  });
  afterEach(() => world?.close());

  const manage = (engine: Engine, input: Record<string, unknown>, workspace?: string) =>
    perform(researchSession, input, {
      call: createCall(engine.services, workspace === undefined ? {} : { caller: { workspace } }),
      services: engine.services,
    });
  const begin = async (input: Record<string, unknown> = {}, workspace?: string): Promise<string> => {
    const call = world.call(workspace === undefined ? {} : { caller: { workspace } });
    const request = { ...small, ...input, background: true };
    return (await perform(research, request, { call, services: world.engine.services })).session.research_id;
  };
  const statusAt = async (engine: Engine, id: string): Promise<string | undefined> =>
    (await manage(engine, { action: 'status', research_id: id })).session?.status;
  const until = (engine: Engine, id: string, status: string) =>
    vi.waitFor(async () => expect(await statusAt(engine, id)).toBe(status), { timeout: 15_000 });
  /** Begins a session that waits for an upstream that says nothing. */
  const beginAndHang = async (): Promise<string> => {
    world.sim.script('/topics/search', [{ kind: 'hang' }]);
    const id = await begin();
    await vi.waitFor(() => expect(world.sent('/topics/search')).toHaveLength(1), { timeout: 20_000 });
    return id;
  };
  /** As if the owner had not been heard of for a whole lease. */
  const endLease = async (id: string): Promise<void> => {
    const { store } = world.engine;
    if (store !== undefined)
      // The owner lives on here, and would renew a lease that is still its own.
      return void (await store.database.write([
        { sql: "UPDATE research_sessions SET owner = 'dead', lease = 0" },
      ]));
    const folder = join(world.home, 'research', 'local', id);
    for (const name of readdirSync(folder).filter((one) => one.startsWith('lease-')))
      utimesSync(join(folder, name), 0, 0);
  };

  /** As if every gateway had died, and its leases had ended. */
  const die = async (): Promise<void> =>
    void (await world.engine.store?.database.write([
      { sql: "UPDATE research_sessions SET owner = 'dead', lease = 2" },
    ]));
  /** While the other gateway looks for what was left. */
  const whileWorking = async (run: () => Promise<void>): Promise<void> => {
    const stop = new AbortController();
    const working = other.services.research.workUntil(stop.signal, other.services);
    await run().finally(() => stop.abort());
    await working;
  };

  test('any gateway lists, shows and checks what another one found', async () => {
    const { session, report } = await world.research(small);
    const id = session.research_id;
    const listed = await manage(other, { action: 'list' });
    expect(listed.sessions?.map((one) => one.research_id)).toEqual([id]);
    const shown = await manage(other, { action: 'report', research_id: id });
    expect(shown.report).toEqual(report);
    await checkReport(shown.report as NonNullable<typeof report>, other.services);
  });

  test('any gateway goes on with what another one left', async () => {
    const id = await beginAndHang();
    await world.engine.services.research.close();
    // Another gateway takes over what was left in PostgreSQL; here none looks for it.
    expect(await statusAt(other, id)).toBe(where === 'postgres' ? 'running' : 'interrupted');
    await manage(other, { action: 'resume', research_id: id });
    await until(other, id, 'completed');
    expect(await statusAt(world.engine, id)).toBe('completed');
  });

  test('a gateway that is asked for a session without a process goes on with it by itself', async () => {
    const id = await beginAndHang();
    await world.engine.services.research.close();
    await endLease(id);
    const revived = await other.services.research.revive(id, {
      call: world.call(),
      services: other.services,
    });
    expect(revived.status).toBe('running');
    await until(other, id, 'completed');
  });

  test('a session that ends its process again and again is left alone', async (context) => {
    if (where === 'postgres') return context.skip();
    const id = await beginAndHang();
    for (let time = 0; time <= LIMITS.researchTakeoversMax; time += 1) {
      await world.engine.services.research.close();
      world.sim.script('/topics/search', [{ kind: 'hang' }]);
      await world.engine.services.research.revive(id, {
        call: world.call(),
        services: world.engine.services,
      });
    }
    expect(await statusAt(world.engine, id)).toBe('interrupted');
  });

  test('what a gateway leaves is taken over by another that nobody asked, and nothing is asked for again', async (context) => {
    if (where !== 'postgres') return context.skip();
    world.sim.script('/topics/extract', [{ kind: 'hang' }]);
    const id = await begin();
    await vi.waitFor(() => expect(world.sent('/topics/extract')).toHaveLength(1), { timeout: 20_000 });
    const searches = world.sent('/topics/search').length;
    const types: string[] = [];
    const watching = (async () => {
      for await (const event of other.services.research.watch(id, world.call())) types.push(event.type);
    })();
    await die();
    expect(await statusAt(other, id)).toBe('running');
    await whileWorking(async () => {
      await until(other, id, 'completed');
      await watching;
    });
    expect(world.sent('/topics/search')).toHaveLength(searches);
    expect(world.sent('/topics/extract')).toHaveLength(2);
    expect(types.filter((type) => type === 'done')).toHaveLength(1);
    expect(types.at(-1)).toBe('done');
  });

  test('of what was left, nobody goes on with what was cancelled, kills its gateways, or has no caller any more', async (context) => {
    if (where !== 'postgres') return context.skip();
    world.sim.script('/topics/search', [{ kind: 'hang', times: 4 }]);
    const waited = world.research(small).catch(() => undefined);
    const [cancelled, deadly, revoked] = [
      await begin({ query: 'Aldana canal leakage' }),
      await begin({ query: 'Aldana canal headgate' }),
      await begin({ query: 'Aldana canal lining' }),
    ];
    await vi.waitFor(() => expect(world.sent('/topics/search')).toHaveLength(4), { timeout: 20_000 });
    const { store } = world.engine;
    const write = async (sql: string, id: string) => store?.database.write([{ sql, values: [id] }]);
    await write('UPDATE research_sessions SET takeovers = 3 WHERE id = ?', deadly);
    await write("UPDATE research_sessions SET api_key = 'gone' WHERE id = ?", revoked);
    await die();
    await manage(other, { action: 'cancel', research_id: cancelled });
    await whileWorking(async () => {
      await until(other, cancelled, 'cancelled');
      await until(other, deadly, 'failed');
      await until(other, revoked, 'failed');
    });
    const errorOf = async (id: string) =>
      (await manage(other, { action: 'status', research_id: id })).session?.failure_error;
    expect(await errorOf(deadly)).toBe(
      '4 gateways died while they ran this research, so it is not continued.',
    );
    expect(await errorOf(revoked)).toBe('The key that started the research is no longer valid.');
    const listed = (await manage(other, { action: 'list' })).sessions ?? [];
    expect(listed.map(({ status }) => status).toSorted()).toEqual([
      'cancelled',
      'failed',
      'failed',
      'interrupted',
    ]);
    expect(world.sent('/topics/search')).toHaveLength(4);
    await waited;
  });

  test('what runs is not run twice: resume elsewhere is refused', async () => {
    const id = await beginAndHang();
    expect(await statusAt(other, id)).toBe('running');
    await expect(manage(other, { action: 'resume', research_id: id })).rejects.toMatchObject({
      code: 'in_progress',
    });
    expect(
      (await other.services.research.revive(id, { call: world.call(), services: other.services })).status,
    ).toBe('running');
  });

  test('of two gateways that take over at once, one does', async () => {
    const id = await beginAndHang();
    await world.engine.services.research.close();
    for (let round = 0; round < RACES; round += 1) {
      world.sim.script('/topics/search', [{ kind: 'hang' }]);
      const tries = await Promise.allSettled(
        [world.engine, other, world.engine, other].map((engine) =>
          engine.services.research.resume(id, {}, { call: world.call(), services: engine.services }),
        ),
      );
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      await Promise.all([world.engine, other].map((engine) => engine.services.research.close()));
    }
  });

  test('an owner that was silent for a lease is taken over, stops, and writes nothing more', async () => {
    const id = await beginAndHang();
    await endLease(id);
    expect(await statusAt(other, id)).toBe('interrupted');
    await manage(other, { action: 'resume', research_id: id });
    await until(other, id, 'completed');
    const { report } = await manage(other, { action: 'report', research_id: id });
    expect(report?.outcome).toBe('ok');
    // The first owner notices at its next beat.
    await until(world.engine, id, 'completed');
    expect((await manage(other, { action: 'report', research_id: id })).report).toEqual(report);
  });

  test('another gateway cancels, within a beat', async () => {
    const id = await beginAndHang();
    await manage(other, { action: 'cancel', research_id: id });
    await until(other, id, 'cancelled');
    expect(await statusAt(world.engine, id)).toBe('cancelled');
  });

  test('another gateway deletes, also what runs, and nothing is left', async () => {
    const id = await beginAndHang();
    await manage(other, { action: 'delete', research_id: id });
    await vi.waitFor(async () => expect(await leftovers(world)).toEqual([]), { timeout: 20_000 });
  });

  test('another gateway hears what happens, as it happens', async () => {
    world.sim.script('/topics/extract', [{ kind: 'delay', ms: 1_500 }]);
    const id = await begin();
    const types: string[] = [];
    for await (const event of other.services.research.watch(id, world.call())) types.push(event.type);
    expect(types.at(-1)).toBe('done');
    expect(types.filter((type) => type === 'search')).toHaveLength(2);
    expect(types.filter((type) => type === 'done')).toHaveLength(1);
  });

  test('a workspace sees its own sessions only, on every gateway', async () => {
    const mine = await workspaceOf(world.engine);
    const theirs = await workspaceOf(world.engine);
    const id = await begin({ max_sub_queries: 1, follow_links: false }, mine);
    await vi.waitFor(
      async () =>
        expect((await manage(other, { action: 'status', research_id: id }, mine)).session?.is_complete).toBe(
          true,
        ),
      { timeout: 20_000 },
    );
    for (const action of ['status', 'report', 'resume', 'cancel', 'delete'])
      await expect(manage(other, { action, research_id: id }, theirs)).rejects.toMatchObject({
        code: 'not_found',
      });
    expect((await manage(other, { action: 'list' }, theirs)).sessions).toEqual([]);
    expect((await manage(other, { action: 'list', cursor: undefined }, mine)).sessions).toHaveLength(1);
  });

  test('the list goes on with its cursor, the latest first', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      ids.unshift(await begin({ max_sub_queries: 1, follow_links: false }));
      await until(world.engine, ids[0] ?? '', 'completed');
    }
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await manage(other, { action: 'list', limit: 2, cursor });
      listed.push(...(page.sessions ?? []).map((one) => one.research_id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(listed).toEqual(ids);
  });

  test('after its time a session is gone, with all that belongs to it', async () => {
    const { session } = await world.research(small);
    const clock = createManualClock(Date.now() + LIMITS.researchTtlMs + 1_000);
    const { store } = other;
    const keep =
      store === undefined
        ? createFileSessions({ folder: join(world.home, 'research'), clock, log: silentLogger })
        : createDatabaseSessions({ store: store.research, clock, log: silentLogger });
    const later = createResearchSessions({ store: keep, clock });
    const call = world.call();
    await expect(later.status(session.research_id, call)).rejects.toMatchObject({ code: 'not_found' });
    expect((await later.list({ limit: 10 }, call)).sessions).toEqual([]);
    // Its runner gives the lease back after it has answered, and what is leased is not removed.
    await expect.poll(async () => (await keep.find('', session.research_id))?.isHeld ?? false).toBe(false);
    await keep.prune('');
    expect(await keep.find('', session.research_id)).toBeUndefined();
    expect(await keep.read('', session.research_id, 'report')).toBeUndefined();
  });

  test('checks of the status are counted, whoever asks', async () => {
    const { session } = await world.research(small);
    const asked = { action: 'status', research_id: session.research_id };
    await manage(world.engine, asked);
    await manage(other, asked);
    expect((await manage(world.engine, asked)).session?.status_check_count).toBe(3);
  });

  test('the audit says what happened', async () => {
    const { session } = await world.research(small);
    const { store } = world.engine;
    const keep =
      store === undefined
        ? createFileSessions({
            folder: join(world.home, 'research'),
            clock: other.services.clock,
            log: silentLogger,
          })
        : createDatabaseSessions({ store: store.research, clock: other.services.clock, log: silentLogger });
    const lines = await vi.waitFor(
      async () => {
        const found = await keep.audit('', session.research_id, 0);
        expect(found.at(-1)?.line).toMatchObject({ event_type: 'done' });
        return found;
      },
      { timeout: 20_000 },
    );
    expect(lines[0]?.line).toMatchObject({ event_type: 'phase', phase: 'planning', iteration: 1 });
    expect(await keep.audit('', session.research_id, lines.at(-2)?.seq ?? 0)).toHaveLength(1);
  });
});

/** Everything that is still kept of sessions. */
async function leftovers({ engine, home }: ResearchWorld): Promise<unknown[]> {
  const { store } = engine;
  if (store === undefined) return readdirSync(join(home, 'research', 'local'));
  const tables = ['sessions', 'documents', 'lines'].map((name) =>
    store.database.read(`SELECT * FROM research_${name}`),
  );
  return (await Promise.all(tables)).flat();
}

/** A workspace; where there are accounts it must exist. */
async function workspaceOf({ store }: Engine): Promise<string> {
  if (store === undefined) return `ws-${Math.random()}`;
  return (await store.accounts.createWorkspace({ name: 'Acme', tier: 'free' })).id;
}
