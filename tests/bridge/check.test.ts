import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createMeter } from '../../src/meter/meter.ts';
import { createStore } from '../../src/store/store.ts';
import { createGovernor } from '../../src/mcp/govern.ts';
import type { ToolCall } from '../../src/bridge/call.ts';
import { runHeadgate } from '../support/cli.ts';

const home = mkdtempSync(join(tmpdir(), 'headgate-bridge-check-'));
const inputSchema = `{ type: 'object', additionalProperties: false,
  properties: { city: { type: 'string', description: 'A city.' } }, required: ['city'] }`;

/** Checks a module with these tools. */
async function check(
  tools: string,
  { env = {}, argv = [] }: { env?: Record<string, string>; argv?: string[] } = {},
) {
  const path = join(home, `tools-${Math.random().toString(36).slice(2)}.mjs`);
  writeFileSync(path, tools);
  return runHeadgate(['bridge', path, '--check', ...argv], { home, env });
}

const SOUND = `export const tools = { weather: { description: 'The weather.', inputSchema: ${inputSchema}, execute: () => 1 } };`;

describe('headgate bridge --check', () => {
  test('prints names, schemas, prices and limits, and runs nothing', async () => {
    const env = {
      HEADGATE_BRIDGE__WORKSPACE: '*',
      HEADGATE_BRIDGE__CREDITS: 'weather=3',
      HEADGATE_BRIDGE__LIMITS: 'weather=100',
      HEADGATE_BRIDGE__CREDIT_PRICE: '2000',
    };
    const { code, out } = await check(SOUND, { env });
    expect(out).toMatch(
      /^weather\n {2}3 credits, \$0\.006 a call, at most 100 in a rolling day\n {2}The weather\.\n {2}input {2}\{"type":"object".+\n\n1 tool, 0 problems, 0 warnings\.\n$/,
    );
    expect(code).toBe(0);
    const { tools } = JSON.parse((await check(SOUND, { env, argv: ['--json'] })).out) as { tools: unknown[] };
    expect(tools).toMatchObject([{ name: 'weather', credits: 3, price: 6_000, limit: 100, warnings: [] }]);
  });

  test('warns of what a model would stumble over', async () => {
    const { code, out } = await check(`export const tools = {
      silent: { inputSchema: ${inputSchema}, execute: () => 1 },
      open: { description: 'x', inputSchema: { type: 'object' }, execute: () => 1 },
      vague: { description: 'x'.repeat(2000), inputSchema: { type: 'object', properties: { a: {}, b: { type: 'string' } } }, execute: () => 1 },
    };`);
    expect(code).toBe(0);
    for (const warning of [
      /silent\n.+\n {2}! has no description/,
      /! takes any arguments/,
      /! has a description of 2000 characters/,
      /! takes anything as a\./,
      /! does not describe b\./,
    ])
      expect(out).toMatch(warning);
    expect(out).toContain('3 tools, 0 problems, 5 warnings.');
  });

  const problems: Record<string, [tools: string, said: RegExp, env?: Record<string, string>]> = {
    'a tool without a function': [
      `export const tools = { a: { name: 'a', inputSchema: ${inputSchema} } };`,
      /no function registered/,
    ],
    'a name that no host takes': [
      `export const tools = { 'a b': { inputSchema: ${inputSchema}, execute: () => 1 } };`,
      /may only have letters/,
    ],
    'two tools of one name': [
      `const a = { name: 'a', inputSchema: ${inputSchema}, execute: () => 1 }; export const tools = [a, { ...a }];`,
      /Two tools are named 'a'/,
    ],
    'a schema that is no object': [
      `export const tools = { a: { inputSchema: { type: 'string' }, execute: () => 1 } };`,
      /inputSchema/,
    ],
    'no tools': ['export const tools = [];', /There are no tools/],
    'a tool that needs dependencies': [
      `export const tools = { a: { takesContext: true, inputSchema: ${inputSchema}, execute: () => 1 } };`,
      /needs dependencies/,
    ],
    'a price of a tool that is not served': [
      SOUND,
      /credits names wether, which is not served/,
      { HEADGATE_BRIDGE__CREDITS: 'wether=2' },
    ],
    'a limit of a tool that is not served': [
      SOUND,
      /limits names wether/,
      { HEADGATE_BRIDGE__LIMITS: 'wether=2' },
    ],
  };
  test.each(Object.entries(problems))(
    '%s is a problem, and the exit status says so',
    async (_, [tools, said, env = {}]) => {
      const { code, out } = await check(tools, { env });
      expect(out).toMatch(said);
      expect(code).toBe(1);
    },
  );

  test('one bad tool does not hide the others; a module that cannot be loaded is an error', async () => {
    const mixed = SOUND.replace('= {', "= { bad: { name: 'bad' },");
    const { code, out } = await check(mixed);
    expect(out).toMatch(/^weather\n[\s\S]+✗ .*'bad'[\s\S]+1 tool, 1 problem, /);
    expect(code).toBe(1);
    const broken = await check('export const tools = ;');
    expect([broken.code, broken.err]).toEqual([1, expect.stringContaining('Cannot load')]);
  });
});

describe('bridged tools and budgets', () => {
  const clock = systemClock;
  const store = createStore({
    location: join(home, 'budgets.db'),
    clock,
    log: silentLogger,
    exclusive: false,
  });
  const meter = createMeter({
    database: store.database,
    clock,
    log: silentLogger,
    prices: { bridge: 1_000 },
    tiers: { pro: { callsFree: 0, beyond: 'charge', creditsMax: null } },
  });
  afterAll(() => store.close());

  /** Ten callers at once, with a tool of two credits; how many were let through. */
  async function served(caller: { workspace: string; key: string; person: string }): Promise<number> {
    const free = { reports: store.reports, clock, limitOf: () => undefined };
    const governor = createGovernor({ ...free, meter, creditsOf: () => 2 });
    const tool = { name: 'weigh' };
    const calls = Array.from(
      { length: 10 },
      () => ({ tool, input: {}, context: { auth: caller } }) as ToolCall,
    );
    const begun = await Promise.allSettled(calls.map(async (call) => governor.beforeCall(call)));
    const served = calls.filter((_, index) => begun[index]?.status === 'fulfilled');
    for (const call of served) await governor.afterCall(call, { content: [] });
    return served.length;
  }

  test.each([
    ['workspace', 'credits', 6, 3],
    ['key', 'credits', 5, 2],
    ['person', 'credits', 8, 4],
    ['key', 'money', 4_000, 2],
  ] as const)(
    'a budget of the %s in %s of %i lets %i calls of two credits through',
    async (level, unit, amount, expected) => {
      const { id: workspace, subscription } = await store.accounts.createWorkspace({
        name: 'Team',
        tier: 'pro',
      });
      const { record } = await store.keys.create({ workspace, label: 'test' });
      await store.accounts.topUp({ subscription, amount: 1_000_000 });
      const caller = { workspace, key: record.id, person: 'ann' };
      const budget = await store.budgets.set({
        workspace,
        level,
        subject: caller[level],
        unit,
        amount,
        period: 'day',
      });
      expect(await served(caller)).toBe(expected);
      const { used } = await store.budgets.get(budget.id);
      expect(used).toBe(unit === 'money' ? expected * 2_000 : expected * 2);
      expect((await store.accounts.subscription(subscription)).balance).toBe(1_000_000 - expected * 2_000);
    },
  );
});
