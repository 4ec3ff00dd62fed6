import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HeadgateError } from '../../../src/core/errors.ts';
import { createAgents } from '../../../src/store/agents.ts';
import { createCrawlStore } from '../../../src/store/crawl-sessions.ts';
import { createKeys } from '../../../src/store/keys.ts';
import type { LedgerEntry, LedgerQuery } from '../../../src/store/ledger-pages.ts';
import { createReports } from '../../../src/store/reports.ts';
import { HOUR_MS } from '../../../src/core/window.ts';
import { codeOf, createWorld, type Engine, search, type World } from './world.ts';

const CREDIT = 8_000;

/** What every database must do. A driver is done when this passes. */
export function storeContract(engine: Engine): void {
  describe(`${engine.name}: entities`, () => {
    let world: World;
    beforeAll(async () => {
      world = await createWorld(engine);
    });
    afterAll(() => world.dispose());

    test('a workspace has a subscription, and agents and keys of its own', async () => {
      const { id, subscription } = await world.workspace('starter', 5 * CREDIT);
      expect(await world.accounts.workspace(id)).toMatchObject({ name: 'Acme', subscription });
      expect(await world.accounts.subscription(subscription)).toMatchObject({
        tier: 'starter',
        balance: 5 * CREDIT,
        reserved: 0,
        available: 5 * CREDIT,
      });
      const agents = createAgents(world.database, world.clock);
      const agent = await agents.create({
        workspace: id,
        name: 'Scout',
        settings: { enableTavilySearch: true },
      });
      expect(agent.settings).toEqual({ searchWebProvider: 'tavily', fetchWebProvider: null });
      expect(await agents.list(id)).toEqual([agent]);
      expect(await agents.list('other')).toEqual([]);
    });

    test('agent spec 1.2: choosing no provider clears the legacy flag for good', async () => {
      const { id } = await world.workspace('free');
      const agents = createAgents(world.database, world.clock);
      const agent = await agents.create({
        workspace: id,
        name: 'Old',
        settings: { enableTavilySearch: true },
      });
      await agents.update(agent.id, { settings: { searchWebProvider: null } });
      expect((await agents.update(agent.id, { name: 'Older' })).settings.searchWebProvider).toBeNull();
    });

    test('what does not exist is not found, and what contradicts itself is refused', async () => {
      expect(await codeOf(world.accounts.workspace('nobody'))).toBe('not_found');
      expect(await codeOf(world.accounts.topUp({ subscription: 'nobody', amount: 1 }))).toBe('not_found');
      const agents = createAgents(world.database, world.clock);
      expect(await codeOf(agents.create({ workspace: 'nobody', name: 'X' }))).toBe('not_found');
      const { id } = await world.workspace('free');
      expect(await codeOf(world.accounts.createWorkspace({ name: 'Twice', id }))).toBe('conflict');
    });

    test('a failed write leaves nothing of itself, and its neighbours in the batch pass', async () => {
      const insert = (id: string) => ({
        sql: 'INSERT INTO subscriptions (id, name, tier, created) VALUES (?, ?, ?, ?)',
        values: [id, 'x', 'free', 0],
      });
      const results = await Promise.all([
        codeOf(world.database.write([insert('n1')])),
        codeOf(world.database.write([insert('n2'), insert('n2')])),
        codeOf(world.database.write([insert('n3')])),
      ]);
      expect(results.toSorted()).toEqual(['conflict', 'fulfilled', 'fulfilled']);
      const rows = await world.database.read("SELECT id FROM subscriptions WHERE id IN ('n1', 'n2', 'n3')");
      expect(rows).toHaveLength(2);
    });

    test('a walk that stopped is given out once, to who began it, and not after its time', async () => {
      const crawls = createCrawlStore(world.database);
      const keep = (id: string, expires: number) =>
        crawls.insert(
          { id, workspace: 'ws_walk', state: `state of ${id}`, expires },
          { now: 100, keepMax: 3 },
        );
      await keep('w1', 200);
      expect(await crawls.take('ws_other', 'w1', 150)).toBeUndefined();
      expect(await crawls.take('ws_walk', 'w1', 150)).toBe('state of w1');
      expect(await crawls.take('ws_walk', 'w1', 150)).toBeUndefined();
      await keep('w2', 120);
      expect(await crawls.take('ws_walk', 'w2', 150)).toBeUndefined();
      for (const [index, id] of ['w3', 'w4', 'w5', 'w6'].entries()) await keep(id, 200 + index);
      expect(await crawls.take('ws_walk', 'w3', 150)).toBeUndefined();
      expect(await crawls.take('ws_walk', 'w4', 150)).toBe('state of w4');
    });

    test('F62: a key opens its workspace until it expires or is revoked; others are all refused alike', async () => {
      const { id, subscription } = await world.workspace('pro');
      const keys = createKeys(world.database, world.clock, 'pepper');
      const { key, record } = await keys.create({
        workspace: id,
        label: 'CI',
        expires: world.clock.now() + HOUR_MS,
      });
      expect(key).toMatch(/^hg_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
      expect(await keys.authenticate(key)).toMatchObject({
        id: record.id,
        workspace: id,
        subscription,
        tier: 'pro',
      });
      const stored = JSON.stringify(await world.database.read('SELECT * FROM api_keys'));
      expect(stored).not.toContain(key.split('_')[3]);

      const wrong = `${key.slice(0, -7)}x${key.slice(-6)}`;
      const others = [
        wrong,
        '',
        'hg_live_',
        'x'.repeat(100),
        (await import('../../../src/store/key-format.ts')).newApiKey().key,
      ];
      const messages = await Promise.all(
        others.map((other) =>
          keys.authenticate(other).catch((thrown: unknown) => HeadgateError.from(thrown).message),
        ),
      );
      expect(new Set(messages).size).toBe(1);
      world.clock.advance(HOUR_MS);
      expect(await codeOf(keys.authenticate(key))).toBe('unauthenticated');

      const second = await keys.create({ workspace: id, label: 'Laptop' });
      expect((await keys.authenticate(second.key)).lastUsed).toBeNull();
      await expect.poll(async () => (await keys.get(second.record.id)).lastUsed).not.toBeNull();
      await keys.revoke(second.record.id);
      expect(await codeOf(keys.authenticate(second.key))).toBe('unauthenticated');
      expect((await keys.list(id)).map((each) => each.label)).toEqual(['CI', 'Laptop']);
    });

    test('usage, ledger and open holds tell the same story', async () => {
      const { id, subscription } = await world.workspace('starter', 100 * CREDIT);
      for (let call = 0; call < 12; call += 1) {
        const hold = await world.meter.hold(search(id, { agent: call % 2 === 0 ? 'a' : 'b', credits: 2 }));
        if (call === 11) continue;
        await world.meter.settle(hold, 1);
      }
      const reports = createReports(world.database);
      const [total] = await reports.usage({ subscription }, []);
      expect(total).toMatchObject({
        calls: 12,
        counted: 12,
        free: 10,
        credits: 13,
        charged: CREDIT,
        returned: 0,
      });
      const byAgent = await reports.usage({ subscription }, ['agent', 'provider']);
      expect(byAgent.map((row) => [row.group.agent, row.group.provider, row.calls])).toEqual([
        ['a', 'tavily', 6],
        ['b', 'tavily', 6],
      ]);
      const [hour] = await reports.usage({ subscription, from: world.clock.now() }, ['hour']);
      expect(hour?.group.hour).toBe(Math.floor(world.clock.now() / HOUR_MS) * HOUR_MS);
      expect(await reports.openHolds({ subscription })).toMatchObject([{ credits: 2, amount: 2 * CREDIT }]);
      const first = await reports.ledger({ subscription, limit: 1 });
      expect(first.entries).toMatchObject([{ kind: 'charge', amount: -CREDIT, balance: 99 * CREDIT }]);
      const rest = await reports.ledger({ subscription, limit: 1, before: first.next ?? 0 });
      expect(rest.entries).toMatchObject([{ kind: 'grant', amount: 100 * CREDIT, balance: 100 * CREDIT }]);
      expect(rest.next).toBeUndefined();
      const exported: LedgerEntry[] = [];
      for await (const entry of reports.exportLedger({ subscription })) exported.push(entry);
      expect(exported.map((entry) => entry.kind)).toEqual(['grant', 'charge']);
      const kinds = async (query: LedgerQuery) =>
        (await reports.ledger({ subscription, ...query })).entries.map((entry) => entry.kind);
      expect(await kinds({ kind: 'charge' })).toEqual(['charge']);
      expect(await kinds({ text: 'TAV' })).toEqual(['charge']);
      expect(await kinds({ text: '%' })).toEqual([]);
      expect(await kinds({ sort: 'largest' })).toEqual(['grant', 'charge']);
      expect(await kinds({ sort: 'smallest' })).toEqual(['charge', 'grant']);
      const [grant] = exported;
      expect(await kinds({ sort: 'largest', before: grant?.seq ?? 0 })).toEqual(['charge']);
      expect(await kinds({ from: (grant?.at ?? 0) + 1, to: grant?.at ?? 0 })).toEqual([]);
      expect(await world.database.check()).toEqual([]);
    });
  });
}
