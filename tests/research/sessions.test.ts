import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createManualClock } from '../support/clock.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import type { ResearchEvent } from '../../src/contract/research-event.ts';
import { research, researchSession } from '../../src/research/research.ts';
import { createFileSessions } from '../../src/research/session/files.ts';
import { createResearchSessions } from '../../src/research/session/sessions.ts';
import type { Services } from '../../src/operations/services.ts';
import { createResearchWorld, QUESTION, type ResearchWorld } from '../support/research/world.ts';
import { ownMsUntil } from '../support/until.ts';

let world: ResearchWorld;
beforeEach(async () => {
  world = await createResearchWorld();
});
afterEach(() => world.close());

const manage = (
  input: Record<string, unknown>,
  services: Services = world.engine.services,
  workspace?: string,
) =>
  perform(researchSession, input, {
    call: createCall(services, workspace === undefined ? {} : { caller: { workspace } }),
    services,
  });
const start = async (input: Record<string, unknown> = {}, workspace?: string) => {
  const call = world.call(workspace === undefined ? {} : { caller: { workspace } });
  const { session } = await perform(
    research,
    { query: QUESTION, background: true, ...input },
    { call, services: world.engine.services },
  );
  return session.research_id;
};
const ended = (id: string, services: Services = world.engine.services) =>
  vi.waitFor(
    async () => {
      const { session } = await manage({ action: 'status', research_id: id }, services);
      expect(session?.status).not.toBe('running');
      return session;
    },
    { timeout: 20_000, interval: 20 },
  );

describe('sessions', () => {
  test('start returns an id at once; status tells how far it is and what to do next', async () => {
    world.sim.script('/topics/search', [{ kind: 'hang' }]);
    const id = await start();
    expect(id).toMatch(/^deepres-[0-9a-f]{12}$/);
    const { session } = await manage({ action: 'status', research_id: id });
    expect(session).toMatchObject({
      status: 'running',
      phase: 'planning',
      status_check_count: 1,
      is_complete: false,
    });
    expect(session?.next_action).toContain('4 checks remaining');
    for (let check = 0; check < 4; check += 1) await manage({ action: 'status', research_id: id });
    const last = await manage({ action: 'status', research_id: id });
    expect(last.session?.next_action).toContain('Max checks reached');
  });

  test('a report that is not there yet is not found', async () => {
    world.sim.script('/topics/search', [{ kind: 'hang' }]);
    const id = await start();
    await expect(manage({ action: 'report', research_id: id })).rejects.toMatchObject({
      code: 'not_found',
      message: 'Research report not yet generated',
    });
  });

  test('the list goes on with its cursor', async () => {
    const ids = [];
    for (let index = 0; index < 3; index += 1) {
      ids.push(await start({ max_iterations: 1, max_sub_queries: 1 }));
      await ended(ids[index] ?? '');
    }
    const first = await manage({ action: 'list', limit: 2 });
    const second = await manage({ action: 'list', limit: 2, cursor: first.next_cursor });
    const listed = [...(first.sessions ?? []), ...(second.sessions ?? [])].map((one) => one.research_id);
    expect(listed.sort()).toEqual(ids.sort());
    expect(second.next_cursor).toBeUndefined();
  });

  test('one workspace sees nothing of another', async () => {
    const id = await start({ max_iterations: 1, max_sub_queries: 1 }, 'ws-a');
    for (const action of ['status', 'report', 'resume', 'cancel', 'delete']) {
      await expect(manage({ action, research_id: id }, world.engine.services, 'ws-b')).rejects.toMatchObject({
        code: 'not_found',
      });
    }
    expect((await manage({ action: 'list' }, world.engine.services, 'ws-b')).sessions).toEqual([]);
    expect((await manage({ action: 'list' }, world.engine.services, 'ws-a')).sessions).toHaveLength(1);
  });

  test.each(['../../etc/passwd', 'deepres-', 'deepres-00000000000g', 'deepres-000000000000'])(
    'an id that names nothing is not found: %s',
    async (id) => {
      await expect(manage({ action: 'status', research_id: id })).rejects.toMatchObject({
        code: 'not_found',
      });
    },
  );

  test('cancel ends it within 200 ms, also in the middle of an upstream’s silence', async () => {
    world.sim.script({ path: '/topics/search', contains: 'facts statistics' }, [{ kind: 'hang' }]);
    const id = await start();
    await vi.waitFor(() => expect(world.sent('/topics/search').length).toBe(5), { timeout: 20_000 });
    const cancelling = manage({ action: 'cancel', research_id: id });
    let isOver = false;
    void cancelling.finally(() => (isOver = true));
    expect(await ownMsUntil(() => isOver)).toBeLessThan(200);
    const { session } = await cancelling;
    expect(session).toMatchObject({ status: 'cancelled', cancelled: true });
    await vi.waitFor(() => expect(world.sim.load.active).toBe(0), { timeout: 20_000 });
    const { report } = await manage({ action: 'report', research_id: id });
    expect(report?.research_id).toBe(id);
  });

  test('who waits and goes away cancels', async () => {
    world.sim.script('/topics/search', [{ kind: 'hang' }]);
    const gone = new AbortController();
    const waiting = perform(
      research,
      { query: QUESTION },
      { call: world.call({ signal: gone.signal }), services: world.engine.services },
    );
    await vi.waitFor(() => expect(world.sent('/topics/search').length).toBe(1), { timeout: 20_000 });
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    expect((await manage({ action: 'list' })).sessions?.[0]?.status).toBe('cancelled');
  });

  test('delete leaves nothing behind', async () => {
    const id = await start({ max_iterations: 1 });
    await ended(id);
    await manage({ action: 'delete', research_id: id });
    expect(readdirSync(join(world.home, 'research', 'local'))).toEqual([]);
  });

  test('the audit says what happened, one event per line', async () => {
    const id = await start({ max_iterations: 1 });
    await ended(id);
    const lines = await vi.waitFor(
      () => {
        const text = readFileSync(join(world.home, 'research', 'local', id, 'audit.jsonl'), 'utf8');
        const parsed = text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Record<string, unknown>);
        expect(parsed.at(-1)?.['event_type']).toBe('done');
        return parsed;
      },
      { timeout: 20_000 },
    );
    expect(lines.filter((line) => line['event_type'] === 'search')).toHaveLength(5);
    expect(lines[0]).toMatchObject({ event_type: 'phase', research_id: id, phase: 'planning', iteration: 1 });
  });

  test('events come as an iterator, also to who comes late', async () => {
    const id = await start({ max_iterations: 1 });
    const types: ResearchEvent['type'][] = [];
    for await (const event of world.engine.services.research.watch(id, world.call())) types.push(event.type);
    expect(types[0]).toBe('phase');
    expect(types.at(-1)).toBe('done');
    expect(types.filter((type) => type === 'search')).toHaveLength(5);
  });

  test('progress is told to who waits', async () => {
    const messages: string[] = [];
    const call = {
      ...world.call(),
      progress: ({ message }: { message?: string }) => void messages.push(message ?? ''),
    };
    await perform(
      research,
      { query: QUESTION, max_iterations: 1 },
      { call, services: world.engine.services },
    );
    expect(messages).toEqual(
      expect.arrayContaining(['Planning', 'Searching', 'Reading pages', 'Writing the report']),
    );
  });

  test('after its time a session is gone', async () => {
    const id = await start({ max_iterations: 1, max_sub_queries: 1 });
    await ended(id);
    const clock = createManualClock(Date.now() + LIMITS.researchTtlMs + 1_000);
    const keep = createFileSessions({ folder: join(world.home, 'research'), clock, log: silentLogger });
    const later = createResearchSessions({ store: keep, clock });
    await expect(later.status(id, world.call())).rejects.toMatchObject({ code: 'not_found' });
    expect((await later.list({ limit: 10 }, world.call())).sessions).toEqual([]);
    await keep.prune('');
    expect(readdirSync(join(world.home, 'research', 'local'))).toEqual([]);
  });

  test('resume goes further than before with more iterations, without asking again what is known', async () => {
    const id = await start({ max_iterations: 1 });
    await ended(id);
    const before = world.sent('/topics/search').length;
    await manage({ action: 'resume', research_id: id, max_iterations: 2 });
    const session = await ended(id);
    expect(session?.iteration).toBe(2);
    const queries = world.sent('/topics/search').map((body) => body['query']);
    expect(queries.length).toBeGreaterThan(before);
    expect(new Set(queries).size).toBe(queries.length);
  });

  test('resume tries again what failed, and only that', async () => {
    world.sim.script({ path: '/topics/search', contains: 'facts statistics' }, [
      { kind: 'status', status: 500 },
    ]);
    const id = await start({ max_iterations: 1 });
    await ended(id);
    expect((await manage({ action: 'report', research_id: id })).report?.outcome).toBe('partial');
    world.sim.reset();
    await manage({ action: 'resume', research_id: id });
    await ended(id);
    expect(world.sent('/topics/search')).toHaveLength(1);
    expect((await manage({ action: 'report', research_id: id })).report?.outcome).toBe('ok');
  });

  test('an engine that closes leaves its sessions to be resumed', async () => {
    world.sim.script({ path: '/topics/search', contains: 'facts statistics' }, [{ kind: 'hang' }]);
    const id = await start();
    await vi.waitFor(() => expect(world.sent('/topics/search').length).toBe(5), { timeout: 20_000 });
    await world.engine.services.research.close();
    const other = world.open();
    expect((await manage({ action: 'status', research_id: id }, other.services)).session?.status).toBe(
      'interrupted',
    );
    await manage({ action: 'resume', research_id: id }, other.services);
    expect(await ended(id, other.services)).toMatchObject({ status: 'completed' });
  });
});
