// What N gateways serve, by a simulation of one call at a time through processors, the row of an account and an upstream:
// `npm run simulate:scale` (flags: --gateways 4 --cores 8 --accounts 64 --upstream 400 --callers 64). The costs are those that
// benchmarks/results hold; the first lines compare what the model says with what was measured.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../tests/support/seeded-random.ts';

interface Plant {
  gateways: number;
  /** Processors for gateways, and for PostgreSQL and everything else. */
  cores: number;
  databaseCores: number;
  /** Subscriptions among which calls are spread; one is the hot row. */
  accounts: number;
  /** Calls in flight per gateway. */
  callers: number;
  upstreamMs: number;
  /** Processor time of a call in the gateway and in the database, and of a commit that an account's row is locked for. */
  gatewayMs: number;
  databaseMs: number;
  commitMs: number;
}

/** Two bookings of a call are two commits of its account; a batch shares one commit among at most this many. */
const BATCH_MAX = 256;
const CALLS = 20_000;

/** Plays calls until enough are answered; calls per second, and what was busiest. */
function play(plant: Plant): { rps: number; p50: number; busiest: string } {
  const random = seededRandom(1);
  const draw = (mean: number): number => mean * (0.75 + random() / 2);
  const free = {
    gateway: Array.from({ length: plant.gateways }, () => 0),
    core: Array.from({ length: plant.cores }, () => 0),
    database: Array.from({ length: plant.databaseCores }, () => 0),
    account: Array.from({ length: plant.accounts }, () => ({ at: 0, joinBefore: -1, size: 0 })),
  };
  const busy = { gateway: 0, core: 0, database: 0, account: 0 };
  const soonest = (list: number[]): number => list.indexOf(Math.min(...list));
  /** A gateway has one thread, and needs a processor. */
  const compute = (gateway: number, at: number): number => {
    const core = soonest(free.core);
    const from = Math.max(at, free.gateway[gateway] ?? 0, free.core[core] ?? 0);
    const ms = draw(plant.gatewayMs / 2);
    free.gateway[gateway] = from + ms;
    free.core[core] = from + ms;
    busy.gateway += ms;
    busy.core += ms;
    return from + ms;
  };
  const book = (account: number, at: number): number => {
    const server = soonest(free.database);
    const from = Math.max(at, free.database[server] ?? 0);
    const ms = draw(plant.databaseMs / 2);
    free.database[server] = from + ms;
    busy.database += ms;
    const row = free.account[account] as { at: number; joinBefore: number; size: number };
    // Whoever comes while the row is busy joins the next batch.
    if (from + ms <= row.joinBefore && row.size < BATCH_MAX) {
      row.size += 1;
      return row.at;
    }
    const begin = Math.max(from + ms, row.at);
    const commit = draw(plant.commitMs);
    busy.account += commit;
    free.account[account] = { at: begin + commit, joinBefore: begin, size: 1 };
    return begin + commit;
  };
  type Step = { at: number; gateway: number; account: number; started: number; stage: 0 | 1 | 2 };
  const queue: Step[] = [];
  const push = (step: Step): void => {
    let index = queue.length;
    while (index > 0 && (queue[index - 1]?.at ?? 0) < step.at) index -= 1;
    queue.splice(index, 0, step);
  };
  const begin = (gateway: number, at: number): void =>
    push({ at, gateway, account: Math.floor(random() * plant.accounts), started: at, stage: 0 });
  for (let gateway = 0; gateway < plant.gateways; gateway += 1)
    for (let caller = 0; caller < plant.callers; caller += 1) begin(gateway, random() * 10);
  const times: number[] = [];
  let now = 0;
  while (times.length < CALLS) {
    const step = queue.pop();
    if (step === undefined) break;
    now = step.at;
    if (step.stage === 0) push({ ...step, at: book(step.account, compute(step.gateway, step.at)), stage: 1 });
    else if (step.stage === 1) push({ ...step, at: step.at + draw(plant.upstreamMs), stage: 2 });
    else {
      const done = book(step.account, compute(step.gateway, step.at));
      times.push(done - step.started);
      begin(step.gateway, done);
    }
  }
  const shares = {
    'gateway thread': busy.gateway / now / plant.gateways,
    'gateway processors': busy.core / now / plant.cores,
    'PostgreSQL processors': busy.database / now / plant.databaseCores,
    'row of an account': busy.account / now / plant.accounts,
  };
  const [busiest = ''] = Object.entries(shares)
    .sort(([, a], [, b]) => b - a)
    .map(([name, share]) => `${name} ${Math.round(share * 100)} %`);
  times.sort((a, b) => a - b);
  return {
    rps: Math.round((times.length / now) * 1_000),
    p50: Math.round(times[times.length >> 1] ?? 0),
    busiest,
  };
}

const flag = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? otherwise : Number(process.argv[at + 1]);
};

/** The costs that were measured on one machine, per call. */
interface Measured {
  one: { rps: number; cpu_ms_per_call: number };
  two: { rps: number; cpu_ms_per_call: number };
}
const file = join(import.meta.dirname, '../results/scale.json');
const figures = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as { figures: Record<string, Measured> }).figures
  : {};
const [slow, fast] = ['upstream takes 60 ms', 'upstream answers at once'].map(
  (name) => Object.entries(figures).find(([about]) => about.startsWith(name))?.[1],
);
if (slow === undefined || fast === undefined)
  throw new Error('Run `npm run benchmark -- scale` first: the model takes its costs from there.');

const gatewayMs = fast.one.cpu_ms_per_call;
const base = {
  accounts: 1,
  gatewayMs,
  /** Of the two processors of that machine, what the gateway did not use went to PostgreSQL, the upstream and the load. */
  databaseMs: Math.max(0.2, 2_000 / fast.one.rps - gatewayMs) / 2,
  commitMs: 2,
};
const here = { ...base, callers: 8, cores: 1, databaseCores: 1 };
console.log('the model beside what was measured on this machine (calls per second)');
for (const [name, upstreamMs, measured] of [
  ['upstream of 60 ms', 60, slow],
  ['upstream that answers at once', 0, fast],
] as const)
  for (const [gateways, { rps }] of [
    [1, measured.one],
    [2, measured.two],
  ] as const) {
    const said = play({ ...here, gateways, upstreamMs, accounts: gateways }).rps;
    const error = Math.round((said / rps - 1) * 100);
    console.log(
      `  ${name}, ${gateways} gateway(s): model ${said}, measured ${Math.round(rps)}, error ${error} %`,
    );
  }
const plant = {
  ...base,
  cores: flag('cores', 8),
  databaseCores: flag('database-cores', 4),
  callers: flag('callers', 512),
  upstreamMs: flag('upstream', 400),
  accounts: flag('accounts', 64),
  commitMs: flag('commit', 2),
};
console.log(
  `\ngateways on ${plant.cores} processors, PostgreSQL on ${plant.databaseCores}; upstream of ${plant.upstreamMs} ms`,
);
for (const accounts of [plant.accounts, 1])
  for (const gateways of process.argv.includes('--gateways') ? [flag('gateways', 4)] : [1, 2, 4, 8]) {
    const { rps, p50, busiest } = play({ ...plant, gateways, accounts });
    console.log(
      `  ${gateways} gateway(s), ${accounts} account(s): ${rps} per second, p50 ${p50} ms, busiest: ${busiest}`,
    );
  }
const hours = (plant.gatewayMs + plant.databaseMs) / 3.6;
console.log(
  `\na million calls: ${hours.toFixed(2)} processor hours; at $0.04 per hour $${(hours * 0.04).toFixed(2)}`,
);
