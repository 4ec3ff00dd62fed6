import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { tavilySim } from '../../../src/sim/tavily.ts';
import { startSim, type Sim } from '../../../src/sim/server.ts';
import type { Database } from '../../../src/store/database.ts';
import { until } from '../until.ts';
import { startGateway, type GatewayProcess } from './processes.ts';

const ADMIN = 'admin-token-of-the-kills';
const MONEY = 8_000_000_000;
const PATIENCE_MS = 60_000;

/** What the provider does with a request, by a word in its query; how such a request may end, once the provider has it. */
const MANNERS = {
  answers: ['settled', 'doubt'],
  leaves: ['settled', 'doubt'],
  lies: ['settled', 'doubt'],
  mumbles: ['settled', 'doubt'],
  refuses: ['released', 'doubt'],
  resets: ['doubt'],
  hangs: ['doubt'],
} as const;
type Manner = keyof typeof MANNERS;
const manners = Object.keys(MANNERS) as Manner[];

/** Charged at most, as a multiple of the credit that was reserved. */
const OVERAGE_MAX = 4;

const answerOf = (usage: object): string =>
  JSON.stringify({
    query: 'q',
    results: [{ title: 'Mill', url: 'https://mill.example/', content: 'A mill.', score: 0.9 }],
    response_time: 0.1,
    ...usage,
  });

function script(sim: Sim): void {
  const path = '/tavily/search';
  const times = 'always';
  const said = (usage: object) =>
    ({
      kind: 'status',
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: answerOf(usage),
      times,
    }) as const;
  // Long enough for the gateway to notice that the caller has gone.
  sim.script({ path, contains: 'leaves' }, [{ kind: 'delay', ms: 200, times }]);
  sim.script({ path, contains: 'lies' }, [said({ usage: { credits: 1_000_000 } })]);
  sim.script({ path, contains: 'mumbles' }, [said({ usage: { credits: -3 } })]);
  sim.script({ path, contains: 'refuses' }, [{ kind: 'status', status: 400, times }]);
  sim.script({ path, contains: 'resets' }, [{ kind: 'reset', times }]);
  sim.script({ path, contains: 'hangs' }, [{ kind: 'hang', times }]);
  sim.script(path, [{ kind: 'delay', ms: 25, times }]);
}

/** A call under an idempotency key, with an API key of its own, so that the books show what became of this one. */
interface KeyedCall {
  query: string;
  apiKey: string;
  apiKeyId: string;
  /** The ids of the answers that were delivered. */
  answers: Set<string>;
}

export interface SpendKills {
  kills: number;
  /** Where the gateway finds its store. */
  env: Record<string, string>;
  /** The same store, seen from outside. Asked between the lives of gateways only. */
  database: Database;
  /** Takes the store away from the running gateway, and returns what gives it back. */
  loseStore(): Promise<() => Promise<void>>;
}

/**
 * Kills `headgate serve` again and again while callers spend: some hang up, some have keys and come back, some ask a provider that lies,
 * refuses, breaks off or never answers; every second gateway loses its store for a while. The provider counts what it was asked.
 * Returns how often each kind was asked, how its requests ended, and what of that may not be.
 */
export async function killWhileSpending({ kills, env, database, loseStore }: SpendKills) {
  const sim = await startSim({ upstreams: [tavilySim] });
  let gateway: GatewayProcess | undefined;
  try {
    script(sim);
    const start = async (): Promise<GatewayProcess> => {
      gateway = await startGateway({
        HEADGATE_SERVER__ADMIN_TOKEN: ADMIN,
        HEADGATE_SERVER__REQUESTS_PER_MINUTE: '1000000',
        HEADGATE_LIBRARY__INDEX_PROJECT: 'false',
        HEADGATE_TIERS__PRO__CALLS_FREE: '0',
        HEADGATE_SEARCH__PROVIDER: 'tavily',
        HEADGATE_SEARCH__RETRIES: '0',
        HEADGATE_CACHE__ENABLED: 'false',
        HEADGATE_PROVIDERS__TAVILY__BASE_URL: `${sim.url}/tavily`,
        TAVILY_API_KEY: 'tvly-works',
        ...env,
      });
      return gateway;
    };
    const world = await openWorld(await start());
    const keyed: KeyedCall[] = [];
    const received: string[] = [];
    // The simulator remembers the last thousand only.
    const note = () => received.push(...sim.requests.splice(0).map(({ body }) => body));
    const delivered = Object.fromEntries(manners.map((manner) => [manner, 0])) as Record<Manner, number>;
    for (let round = 0; round < kills; round += 1) {
      const live = gateway ?? (await start());
      await oneLife(live, { round, world, keyed, delivered, sim, ...(round % 2 === 1 ? { loseStore } : {}) });
      gateway = undefined;
      note();
      await letTimePass(database);
    }
    // The last one ends what the others left.
    const last = await start();
    await until(async () => (await openHolds(database)) === 0, PATIENCE_MS);
    last.process.kill('SIGKILL');
    await once(last.process, 'exit');
    gateway = undefined;
    note();
    return await readBooks({ world, keyed, delivered, received, database });
  } finally {
    gateway?.process.kill('SIGKILL');
    await sim.close();
  }
}

interface World {
  workspace: string;
  subscription: string;
  /** The API key of the callers of a kind. */
  keys: Record<Manner, { key: string; id: string }>;
}

async function admin(url: string, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/admin${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function newKey(url: string, workspace: string, label: string): Promise<{ key: string; id: string }> {
  const { key, record } = await admin(url, '/keys', { workspace, label });
  return { key: String(key), id: (record as { id: string }).id };
}

async function openWorld({ url }: GatewayProcess): Promise<World> {
  const made = await admin(url, '/workspaces', { name: 'Team', tier: 'pro' });
  const workspace = String(made['id']);
  const subscription = String(made['subscription']);
  await admin(url, `/subscriptions/${subscription}/top-up`, { amount: MONEY });
  const keys = {} as World['keys'];
  for (const manner of manners) keys[manner] = await newKey(url, workspace, manner);
  return { workspace, subscription, keys };
}

interface Life {
  round: number;
  world: World;
  keyed: KeyedCall[];
  delivered: Record<Manner, number>;
  sim: Sim;
  loseStore?: SpendKills['loseStore'];
}

const KEYED_CALLS = 4;

/** Callers of every kind on one gateway, until it is killed. */
async function oneLife(live: GatewayProcess, life: Life): Promise<void> {
  const { round, world, keyed, delivered, sim, loseStore } = life;
  const { url, process: child } = live;
  const over = new AbortController();
  const search = async (
    query: string,
    apiKey: string,
    more: { headers?: object; signal?: AbortSignal } = {},
  ) => {
    const response = await fetch(`${url}/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, ...more.headers },
      body: JSON.stringify({ query }),
      signal: more.signal ?? null,
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const asked = (): number => sim.requests.length;
  const gone = (): undefined => undefined;
  let answers = 0;

  const caller = async (manner: Manner): Promise<void> => {
    // Few broken connections in a row: otherwise the provider's breaker opens, and nobody is asked for a while.
    const turnsMax = manner === 'resets' ? 2 : Infinity;
    for (let turn = 0; turn < turnsMax && !over.signal.aborted; turn += 1) {
      const query = `${manner} r${round} t${turn}`;
      const leaving = new AbortController();
      const call = search(query, world.keys[manner].key, { signal: leaving.signal }).catch(gone);
      if (manner === 'leaves') {
        const isAsked = () => sim.requests.some((request) => request.body.includes(query));
        await Promise.race([call, until(() => over.signal.aborted || isAsked(), PATIENCE_MS)]);
        leaving.abort();
      }
      const answer = await call;
      answers += 1;
      if (answer?.status === 200) delivered[manner] += 1;
      // Who is refused, or finds nobody, comes back a little later.
      else await wait(5);
    }
  };
  const comeBack = async (call: KeyedCall): Promise<void> => {
    while (!over.signal.aborted) {
      const answer = await search(call.query, call.apiKey, {
        headers: { 'idempotency-key': call.query.replaceAll(' ', '-') },
      }).catch(gone);
      if (answer?.status === 200) {
        call.answers.add(String(answer.body['request_id']));
        return;
      }
      await wait(20);
    }
  };
  for (let index = 0; index < KEYED_CALLS; index += 1) {
    const query = `answers keyed r${round} k${index}`;
    const { key: apiKey, id: apiKeyId } = await newKey(url, world.workspace, query);
    keyed.push({ query, apiKey, apiKeyId, answers: new Set() });
  }
  // Those of the last gateways, too: whoever got an answer gets the same one again.
  const callers = [...manners.map(caller), ...keyed.slice(-3 * KEYED_CALLS).map(comeBack)];
  const before = asked();
  const enough = 6 + 5 * (round % 5);
  // A short life may end before anybody who comes back has an answer; every fifth does not.
  const isLongEnough = (): boolean => round % 5 !== 4 || keyed.some((call) => call.answers.size > 0);
  await until(() => asked() - before >= enough && answers > 4 && isLongEnough(), PATIENCE_MS);
  if (loseStore !== undefined) {
    const giveBack = await loseStore();
    const lost = answers;
    await until(() => answers > lost + 4, PATIENCE_MS);
    await giveBack();
    const back = asked();
    await until(() => asked() > back + 2, PATIENCE_MS);
  }
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  over.abort();
  await Promise.all(callers);
}

/** What a killed gateway left is as old as if nobody had started the next one for hours. */
async function letTimePass(database: Database): Promise<void> {
  await database.write([
    { sql: "UPDATE holds SET expires = created WHERE state = 'open'" },
    { sql: 'UPDATE idempotency SET expires = 1 WHERE done = 0' },
  ]);
}

const openHolds = async (database: Database): Promise<number> =>
  Number((await database.read("SELECT count(*) AS holds FROM holds WHERE state = 'open'"))[0]?.holds);

/** Compares what the provider counted and what callers got with what is in the books. */
async function readBooks(parts: {
  world: World;
  keyed: KeyedCall[];
  delivered: Record<Manner, number>;
  /** What the provider was asked. */
  received: string[];
  database: Database;
}) {
  const { world, keyed, delivered, received, database } = parts;
  const violations = await database.check();
  const rows = await database.read(
    'SELECT key, state, credits, estimate, charged FROM holds WHERE subscription = ?',
    world.subscription,
  );
  const countOf = (key: string, ...states: readonly string[]): number =>
    rows.filter((row) => row.key === key && states.includes(String(row.state))).length;
  const askedFor = (text: string): number => received.filter((body) => body.includes(text)).length;

  const counted = manners.map((manner) => {
    const { id } = world.keys[manner];
    const asked = askedFor(`${manner} r`);
    const [settled, doubt] = [countOf(id, 'settled'), countOf(id, 'doubt')];
    const released = countOf(id, 'released', 'expired');
    if (countOf(id, ...MANNERS[manner]) < asked) violations.push(`${manner}: asked and not booked`);
    if (settled < delivered[manner]) violations.push(`${manner}: delivered and not charged`);
    return { manner, asked, delivered: delivered[manner], settled, released, doubt };
  });
  for (const { query, apiKeyId, answers } of keyed) {
    const charges = countOf(apiKeyId, 'settled');
    if (answers.size > 1) violations.push(`${query}: two answers under one key`);
    if (charges > 1) violations.push(`${query}: charged twice`);
    if (charges < answers.size) violations.push(`${query}: delivered and not charged`);
    if (countOf(apiKeyId, 'settled', 'doubt') < askedFor(`"${query}"`))
      violations.push(`${query}: asked and not booked`);
  }
  if (rows.some((row) => Number(row.credits ?? 0) > OVERAGE_MAX * Number(row.estimate)))
    violations.push('charged more than the bound');
  const [account] = await database.read(
    'SELECT balance, reserved FROM subscriptions WHERE id = ?',
    world.subscription,
  );
  const charged = rows.reduce((sum, row) => sum + Number(row.charged), 0);
  if (Number(account?.balance) !== MONEY - charged || Number(account?.reserved) !== 0)
    violations.push(`the account has ${account?.balance}, ${account?.reserved} reserved; ${charged} charged`);
  // Every charge is in the row of a call, and no row charges what is not booked.
  const logged = await database.read(
    'SELECT key, sum(credits) AS credits, sum(charged) AS charged FROM calls WHERE credits > 0 GROUP BY key',
  );
  for (const key of new Set(rows.map((row) => row.key))) {
    const settled = rows.filter((row) => row.key === key && row.state === 'settled');
    const row = logged.find((one) => one.key === key);
    for (const column of ['credits', 'charged']) {
      const booked = settled.reduce((sum, one) => sum + Number(one[column]), 0);
      if (Number(row?.[column] ?? 0) !== booked)
        violations.push(`key ${key}: ${column} ${booked} booked, ${row?.[column] ?? 0} in the call log`);
    }
  }
  const answered = keyed.filter((call) => call.answers.size === 1).length;
  return { violations, counted, keyed: { calls: keyed.length, answered } };
}
