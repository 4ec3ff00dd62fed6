import { HeadgateError } from '../../../src/core/errors.ts';
import { WINDOW_MS } from '../../../src/core/window.ts';
import { createCall, perform } from '../../../src/operations/perform.ts';
// What a search loads when it needs it: no file is read while a history is played.
import '../../../src/operations/answer/answered.ts';
import '../../../src/operations/search/read-result-pages.ts';
import { DEFAULT_TIERS } from '../../../src/meter/tiers.ts';
import type { Tiers } from '../../../src/store/ledger/types.ts';
import { seededRandom } from '../seeded-random.ts';
import { callerOf, createReplies, CREDIT, inputOf, nameOf, tierOf, workspaceOf } from './asking.ts';
import { type CallRecord, createGate, type Gate } from './check.ts';
import { type Belief, createBelief } from './belief.ts';
import { createDisk, type Commit, type Disk, openEngine } from './disk.ts';
import { type Gateway, PRICES, startGateway, triesMax } from './gateway.ts';
import type { AccountPlan, CallStep, History, Step } from './history.ts';
import { simulatedUpstream } from './network.ts';
import { budgetRows, changeBudget, grant, resolveDoubts } from './operator.ts';
import { put, type Table } from './sql.ts';
import type { StoreFaults } from './store-thread.ts';
import { afterTicks, createTime, type Life, type Time } from './time.ts';

const SECOND = 1_000;
const START = Date.UTC(2026, 0, 1);
/** Excuses that are not a process: the store was slow, or failed. */
const SLOW = -1;
const FAILED = -2;
const FOREVER: Life = { isAlive: true };

/** What came of a history. */
export interface Played {
  violations: string[];
  calls: number;
  requests: number;
  /** How often something happened, so that a run can show that it happened at all. */
  counts: Record<string, number>;
  disk: Disk;
  /** The accounts that were there from the beginning. */
  accounts: { id: string; tier: string; created: number }[];
  budgets: ReturnType<typeof budgetRows>;
  commits: Commit[];
}

export interface World {
  history: History;
  time: Time;
  disk: Disk;
  gate: Gate;
  belief: Belief;
  faults: StoreFaults & { isOver: boolean };
  /** The process that serves at each place; undefined while it is down. */
  serving: (Gateway | undefined)[];
  start(place: number): void;
  /** Ends a process at once. */
  kill(gateway: Gateway, downMs: number): void;
  excuse(gateway: number): void;
  counts: Record<string, number>;
  flying: Set<{ gateway: number; abort(reason: unknown): void }>;
  hasSetBack: boolean;
}

/** Plays a history from its first call until everything has ended, and a window of time longer. */
export async function play(history: History): Promise<Played> {
  const world = createWorld(history);
  const { gate, disk } = world;
  await playOut(world).catch((thrown: unknown) => gate.violations.push(String(thrown)));
  return {
    violations: gate.violations,
    calls: gate.calls.length,
    requests: gate.requests.length,
    counts: world.counts,
    disk,
    accounts: history.accounts.flatMap((plan, index) =>
      plan.isLocal ? [] : [{ id: nameOf(plan, index), tier: tierOf(plan, index), created: START }],
    ),
    budgets: budgetRows(history),
    commits: disk.commits,
  };
}

async function playOut(world: World): Promise<void> {
  const { history, time, gate } = world;
  for (let place = 0; place < history.gateways; place += 1) world.start(place);
  for (const step of history.steps) time.at(step.at, FOREVER, () => act(step, world));
  await time.runTo((history.steps.at(-1)?.at ?? 0) + 40 * SECOND);
  // From here on nothing goes wrong any more.
  world.faults.isOver = true;
  world.faults.isGone = false;
  world.faults.isFull = false;
  await wait(world, 600 * SECOND);
  for (let place = 0; place < history.gateways; place += 1)
    if (world.serving[place] === undefined) world.start(place);
  await wait(world, 31 * SECOND);
  // Behind a clock that was set back, what is held ends at the latest when that clock is where it was.
  if (world.hasSetBack) for (const ms of [WINDOW_MS, WINDOW_MS, WINDOW_MS]) await wait(world, ms);
  gate.finish();
  if (gate.violations.length === 0 && (world.hasSetBack || history.seed % 4 === 0)) await probe(world);
}

/** Time passes, and processes do what they do by themselves. */
async function wait({ time }: World, ms: number): Promise<void> {
  time.at(ms, FOREVER, () => undefined);
  await time.runTo(time.passed + ms + 2 * SECOND);
}

function createWorld(history: History): World {
  const setBack = history.steps.flatMap((step) => (step.kind === 'clock' ? Math.max(0, -step.ms) : []));
  const isSetFarBack = setBack.reduce((sum, ms) => sum + ms, 0) > WINDOW_MS;
  const time = createTime(START + history.minute * 60 * SECOND);
  const belief = createBelief(time, isSetFarBack);
  const disk = createDisk();
  const tiers: Tiers = { ...DEFAULT_TIERS };
  const local = history.accounts.find((plan) => plan.isLocal);
  const plans = new Map(history.accounts.map((plan, index) => [nameOf(plan, index), planOf(plan)]));
  for (const [index, plan] of history.accounts.entries()) {
    tiers[tierOf(plan, index)] = plan.tier;
    open(disk, plan, index, time);
  }
  for (const row of budgetRows(history)) put(disk.tables['budgets'] as Table, { ...row }, () => undefined);
  const excused = new Set<number>();
  const counts: Record<string, number> = {};
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  let writes = 0;
  let processes = 0;
  const random = seededRandom(history.seed + 1);
  const faults: World['faults'] = {
    isGone: false,
    isFull: false,
    isOver: false,
    next: () => {
      const fate = faults.isOver ? undefined : history.fates.find(({ write }) => write === writes)?.fate;
      writes += 1;
      if (fate !== undefined) count(fate);
      return fate;
    },
    crash: (life) => world.kill(life as Gateway, 2 * SECOND),
    // What the store does to one process it may do to all that use it.
    noted: (isSlow) => world.excuse(isSlow ? SLOW : FAILED),
    refused: (message) => void gate.violations.push(`the tables refused a change: ${message}`),
  };
  const gate = createGate({
    time,
    disk,
    belief,
    plans,
    triesMax,
    priceOf: (provider) => PRICES[provider] ?? 0,
    hasProviderFaults: history.steps.some(
      (step) =>
        step.kind === 'call' && [...step.replies, step.freeReply].some((reply) => reply.kind !== 'answer'),
    ),
    // Who did not see the clock ahead cannot tell how long ago something was booked then: another process, or a later one.
    countsForMs: () => (world.hasSetBack && processes > 1 ? Infinity : WINDOW_MS),
    hasExcuse: (gateway) => [gateway, SLOW, FAILED].some((one) => excused.has(one)),
    mayForget: (gateway) => excused.has(gateway) || excused.has(FAILED),
    isSkewed: history.gateways > 1 && setBack.some((ms) => ms > 0),
    hasClockSteps: history.steps.some((step) => step.kind === 'clock'),
  });
  const world: World = {
    history,
    time,
    disk,
    gate,
    belief,
    faults,
    counts,
    serving: [],
    flying: new Set(),
    hasSetBack: false,
    excuse: (gateway) => void excused.add(gateway),
    start: (place) => {
      belief.started();
      const { callsFree = null, creditsMax = null } = local?.tier ?? {};
      world.serving[place] = startGateway(processes++, {
        time,
        disk,
        faults,
        random,
        tiers,
        personal: { callsPerDay: callsFree, creditsPerDay: creditsMax },
      });
    },
    kill: (gateway, downMs) => {
      if (!gateway.isAlive) return;
      gateway.isAlive = false;
      excused.add(gateway.number);
      const place = world.serving.indexOf(gateway);
      if (place === -1) return;
      world.serving[place] = undefined;
      time.at(downMs, FOREVER, () => {
        if (world.serving[place] === undefined) world.start(place);
      });
    },
  };
  return world;
}

/** What a person sets for this machine blocks, whatever it is called. */
const planOf = (plan: AccountPlan): AccountPlan =>
  plan.isLocal ? { ...plan, tier: { ...plan.tier, beyond: 'block' } } : plan;

function open(disk: Disk, plan: AccountPlan, index: number, time: Time): void {
  if (plan.isLocal) return;
  const id = nameOf(plan, index);
  const table = (name: string) => disk.tables[name] as NonNullable<(typeof disk.tables)[string]>;
  const created = time.wall;
  const made = { id, name: id, tier: tierOf(plan, index), created, ...table('subscriptions').defaults };
  put(table('subscriptions'), made, () => undefined);
  for (const workspace of [0, 1])
    put(
      table('workspaces'),
      { id: workspaceOf(index, workspace), name: id, subscription: id, created },
      () => undefined,
    );
  if (plan.credits === 0) return;
  const grant = { subscription: id, reference: 'start', amount: plan.credits * CREDIT, note: null };
  openEngine(disk, -1).write([{ kind: 'book', operation: { kind: 'grant', ...grant } }], time.wall, 0);
}

function act(step: Step, world: World): void {
  const { time, faults } = world;
  switch (step.kind) {
    case 'call':
      return void ask(step, world);
    case 'clock':
      if (step.ms < 0) world.hasSetBack = true;
      time.step(step.ms);
      return world.belief.stepped(step.ms);
    case 'crash':
      return afterTicks(step.ticks, () => {
        const gateway = world.serving[step.gateway];
        if (gateway !== undefined) world.kill(gateway, step.downMs);
      });
    case 'stop':
      return stop(step, world);
    case 'operator':
      return void resolveDoubts(step.verdict, world).catch(() => undefined);
    case 'grant':
      return void grant(step, world).catch(() => undefined);
    case 'budget':
      return void changeBudget(step, world).catch(() => undefined);
    case 'store': {
      const field = step.problem === 'gone' ? 'isGone' : 'isFull';
      if (faults.isOver) return undefined;
      faults[field] = true;
      time.at(step.forMs, FOREVER, () => {
        faults[field] = false;
      });
    }
  }
}

/** A process is told to end: it serves nobody any more, and writes down what it can. */
function stop(step: Extract<Step, { kind: 'stop' }>, world: World): void {
  const gateway = world.serving[step.gateway];
  if (gateway === undefined || gateway.isStopping) return;
  world.excuse(gateway.number);
  for (const flight of world.flying)
    if (flight.gateway === gateway.number)
      flight.abort(new HeadgateError('cancelled', 'The client disconnected.'));
  void gateway.stop().catch(() => undefined);
  world.time.at(step.downMs, FOREVER, () => world.kill(gateway, 0));
}

/** Somebody calls. What they are told, and when they go away, is all they know. */
function ask(planned: CallStep, world: World): CallRecord | undefined {
  const { time, history, counts, gate } = world;
  const gateway = world.serving[planned.gateway];
  const plan = history.accounts[planned.account];
  const step = plan?.isLocal === true ? { ...planned, workspace: 0, who: 0 } : planned;
  if (gateway === undefined || gateway.isStopping || plan === undefined) return undefined;
  const call: CallRecord = {
    number: gate.calls.length,
    step,
    subscription: nameOf(plan, step.account),
    caller: plan.isLocal ? {} : callerOf(step),
    gateway: gateway.number,
    started: time.passed,
    hasLeft: false,
  };
  gate.calls.push(call);
  const upstream = simulatedUpstream({
    time,
    life: gateway,
    sent: (provider, timeoutMs) => gate.sent(call, provider, timeoutMs),
    cut: (request) => gate.cut(request),
    reply: createReplies(step),
  });
  const services = gateway.servicesFor(upstream, (hold) => void gate.heldBy.set(hold, call.number));
  const caller = new AbortController();
  const leave = (reason: unknown): void => {
    call.hasLeft = true;
    caller.abort(reason);
  };
  const flight = { gateway: gateway.number, abort: leave };
  world.flying.add(flight);
  const made = createCall(services, {
    signal: caller.signal,
    timeoutMs: step.timeoutMs,
    caller: plan.isLocal ? {} : { ...call.caller, grant: 'all' },
    ...(step.creditsMax === null ? {} : { creditsMax: step.creditsMax }),
    ...(step.key === null ? {} : { idempotencyKey: `key-${step.key}` }),
  });
  const over = (): void => {
    made.end();
    world.flying.delete(flight);
  };
  const told = (how: string): void => {
    counts[how] = (counts[how] ?? 0) + 1;
  };
  time.at(step.timeoutMs, gateway, () => {
    call.hasLeft = true;
  });
  const { operation, input } = inputOf(step);
  perform(operation, input, { call: made, services }).then(
    (output) => {
      if (!gateway.isAlive) return;
      over();
      told('delivered');
      gate.delivered(call, output);
    },
    (thrown: unknown) => {
      if (!gateway.isAlive) return;
      over();
      const error = HeadgateError.from(thrown);
      told(error.code);
      gate.failed(call, error);
    },
  );
  const { cancel } = step;
  if (cancel !== null)
    time.at(cancel.afterMs, gateway, () =>
      afterTicks(cancel.ticks, () => leave(new HeadgateError('cancelled', 'The client disconnected.'))),
    );
  return call;
}

/** A window after the last call, nobody is refused for what was before. Where the clock was set back, a window after a refusal. */
async function probe(world: World): Promise<void> {
  const { history, gate } = world;
  await wait(world, WINDOW_MS);
  for (const [account, plan] of history.accounts.entries()) {
    const { callsFree, creditsMax } = plan.tier;
    const isLimited = history.budgets?.some((budget) => budget.account === account && budget.hard) === true;
    if (callsFree === 0 || creditsMax === 0 || isLimited) continue;
    let refusal = await probeOnce(account, world);
    if (refusal !== undefined && world.hasSetBack) {
      await wait(world, WINDOW_MS);
      refusal = await probeOnce(account, world);
    }
    if (refusal !== undefined)
      gate.violations.push(`a window after everything, account ${account} is told: ${refusal}`);
  }
}

/** Why somebody is refused, or nothing. */
async function probeOnce(account: number, world: World): Promise<string | undefined> {
  const call = ask({ ...PROBE, account }, world);
  await wait(world, 5 * SECOND);
  if (call?.told === undefined) return 'nothing';
  return 'output' in call.told ? undefined : call.told.error.message;
}

const PROBE: CallStep = {
  kind: 'call',
  at: 0,
  gateway: 0,
  account: 0,
  workspace: 0,
  who: 0,
  question: 99,
  operation: 'search',
  depth: 'basic',
  chain: 'priced',
  key: null,
  creditsMax: null,
  timeoutMs: 60 * SECOND,
  cancel: null,
  replies: [{ kind: 'answer', delayMs: 5, status: 200, credits: 1 }],
  freeReply: { kind: 'answer', delayMs: 5, status: 200, credits: 0 },
};
