// What happens in one history, as plain data made from a seed: it can be printed, played again and made smaller.
import type { Tier, Verdict } from '../../../src/store/ledger/types.ts';
import { seededRandom } from '../seeded-random.ts';
import { FATES, type Fate } from './store-thread.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How a provider takes one request. */
export interface Reply {
  /** `odd` has no web pages in it, `nothing` no results. */
  kind: 'answer' | 'refuse' | 'garbage' | 'odd' | 'reset' | 'silence' | 'unreachable' | 'nothing';
  delayMs: number;
  status: number;
  /** What it says that it used. */
  credits: unknown;
}

export interface CallStep {
  kind: 'call';
  at: number;
  gateway: number;
  account: number;
  /** Which workspace of the account. */
  workspace: number;
  /** Which API key and agent of the workspace. */
  who: number;
  /** Equal questions of one workspace are equal requests. */
  question: number;
  operation: 'search' | 'extract';
  depth: 'basic' | 'advanced';
  chain: 'priced' | 'free-last' | 'fastest' | 'merge';
  /** An idempotency key, or none. */
  key: number | null;
  /** The most credits that the call may cost. */
  creditsMax: number | null;
  timeoutMs: number;
  /** When the caller goes away: after so many milliseconds, and then so many steps of promises later. */
  cancel: { afterMs: number; ticks: number } | null;
  replies: Reply[];
  freeReply: Reply;
}

export type Step =
  | CallStep
  | { kind: 'clock'; at: number; ms: number }
  | { kind: 'crash'; at: number; gateway: number; ticks: number; downMs: number }
  | { kind: 'stop'; at: number; gateway: number; downMs: number }
  /** The operator looks at what is in doubt and says what became of it. */
  | { kind: 'operator'; at: number; verdict: Verdict }
  /** The operator books credits; the same reference is booked once. */
  | { kind: 'grant'; at: number; account: number; credits: number; reference: number }
  /** The operator changes the amount of a budget, or removes it. */
  | { kind: 'budget'; at: number; budget: number; amount: number | null }
  | { kind: 'store'; at: number; problem: 'gone' | 'full'; forMs: number };

export interface AccountPlan {
  tier: Tier;
  /** Credits to begin with. */
  credits: number;
  /** The person at this machine instead of a workspace. */
  isLocal: boolean;
}

export interface BudgetPlan {
  account: number;
  workspace: number;
  /** One of the callers of `CallStep.who`: its API key or agent. Undefined for the whole workspace. */
  who?: 'key-0' | 'key-1' | 'agent';
  isMoney: boolean;
  /** In credits. */
  amount: number;
  period: string;
  hard: boolean;
}

export interface History {
  seed: number;
  /** How far into its hour it begins. */
  minute: number;
  gateways: number;
  accounts: AccountPlan[];
  budgets?: BudgetPlan[];
  steps: Step[];
  /** What becomes of the n-th transaction. */
  fates: { write: number; fate: Fate }[];
}

/** What operators set the bound of an overcharge to. */
export const OVERAGE_MAX = 4;

/** What a history is made with. */
interface Dice {
  theme: (typeof THEMES)[number];
  pick<Value>(list: readonly Value[]): Value;
  /** A whole number from 0 to `max`. */
  upTo(max: number): number;
  chance(share: number): boolean;
}

export function makeHistory(seed: number): History {
  const random = seededRandom(seed);
  // The first numbers of neighbouring seeds are alike.
  for (let skipped = 0; skipped < 4; skipped += 1) random();
  const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(random() * list.length)] as Value;
  const upTo = (max: number): number => Math.floor(random() * (max + 1));
  const chance = (share: number): boolean => random() < share;
  const theme = pick(THEMES);
  const dice: Dice = { theme, pick, upTo, chance };

  const accounts: AccountPlan[] = Array.from({ length: chance(0.25) ? 2 : 1 }, (_, index) => ({
    isLocal: index === 0 && chance(0.12),
    tier: {
      callsFree: chance(0.05) ? null : upTo(3),
      beyond: chance(0.5) ? 'block' : 'charge',
      creditsMax: chance(0.1) ? 1 + upTo(5) : null,
    },
    credits: pick(theme === 'retries' ? [3, 5, 20] : [0, 1, 2, 3, 5, 20]),
  }));
  const gateways = chance(0.25) ? 2 : 1;
  const hasGaps = theme === 'limits' || theme === 'clock' || chance(0.3);
  const steps: Step[] = [];
  let at = 0;
  const calls = (theme === 'retries' ? 2 : 1) + upTo(chance(0.75) ? 2 : 6);
  for (let call = 0; call < calls; call += 1) {
    at += chance(0.75) || !hasGaps ? pick(theme === 'retries' ? RETRIES : PAUSES) : pick(GAPS);
    const made = makeCall(at, gateways, accounts.length, dice);
    steps.push(theme === 'retries' ? { ...made, ...pickSame(steps[0], dice) } : made);
  }
  steps.push(...makeTroubles(at, gateways, dice));
  if (chance(0.12)) steps.push(...makeGrants(at, accounts.length, dice));
  const fates: History['fates'] = [];
  const isRetried = theme === 'retries';
  if (isRetried || chance(theme === 'limits' || theme === 'clock' ? 0.2 : 0.6)) {
    for (let each = 0; each <= upTo(1); each += 1)
      fates.push({ write: isRetried ? 1 + upTo(4) : upTo(4 * calls), fate: pick(FATES) });
  }
  const minute = pick([0, 30, 58, 59]);
  const budgets = makeBudgets(seed, accounts.length, at);
  steps.push(...budgets.steps);
  steps.sort((one, other) => one.at - other.at);
  return { seed, minute, gateways, accounts, budgets: budgets.plans, steps, fates };
}

/** Every third history has budgets. They have dice of their own, so that a seed is the same history without them. */
function makeBudgets(seed: number, accounts: number, end: number): { plans: BudgetPlan[]; steps: Step[] } {
  if (seed % 3 !== 0) return { plans: [], steps: [] };
  const random = seededRandom(seed + 0x5eed);
  for (let skipped = 0; skipped < 4; skipped += 1) random();
  const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(random() * list.length)] as Value;
  const made = Array.from({ length: 1 + Math.floor(random() * 4) }, (): BudgetPlan => {
    const who = pick([undefined, undefined, 'key-0', 'key-1', 'agent'] as const);
    return {
      account: Math.floor(random() * accounts),
      workspace: random() < 0.85 ? 0 : 1,
      ...(who === undefined ? {} : { who }),
      isMoney: random() < 0.3,
      amount: pick([1, 2, 2, 3, 5, 8]),
      period: pick(['day', 'month', '5h', '24h', '72h']),
      hard: random() < 0.7,
    };
  });
  // One of each kind, as the table has it.
  const plans = made.filter((plan, index) => made.findIndex((one) => isSameBudget(one, plan)) === index);
  const steps = plans.flatMap((_, budget): Step[] =>
    random() < 0.4
      ? [
          {
            kind: 'budget',
            at: Math.floor(random() * (end + SECOND)),
            budget,
            amount: pick([1, 2, 4, 8, null]),
          },
        ]
      : [],
  );
  return { plans, steps };
}

const isSameBudget = (one: BudgetPlan, other: BudgetPlan): boolean =>
  (['account', 'workspace', 'who', 'isMoney', 'period'] as const).every(
    (field) => one[field] === other[field],
  );

function makeCall(at: number, gateways: number, accounts: number, dice: Dice): CallStep {
  const { theme, pick, upTo, chance } = dice;
  const isKeyed = theme === 'keys' || chance(theme === 'retries' ? 0.6 : 0.25);
  const key = isKeyed ? (theme === 'keys' ? 0 : upTo(1)) : null;
  // A key belongs to one request: the same key with another is refused.
  const isPlain = (): boolean => theme === 'keys' && chance(0.95);
  return {
    kind: 'call',
    at,
    gateway: upTo(gateways - 1),
    account: theme === 'keys' && chance(0.9) ? 0 : upTo(accounts - 1),
    workspace: chance(0.15) ? 1 : 0,
    who: chance(0.15) ? 1 + upTo(1) : 0,
    question: key === null || chance(0.1) ? upTo(1) : 4 + key,
    operation: isPlain() || chance(0.85) ? 'search' : 'extract',
    depth: isPlain() || chance(0.7) ? 'basic' : 'advanced',
    chain: isPlain() || chance(0.75) ? 'priced' : pick(['free-last', 'fastest', 'merge'] as const),
    key,
    creditsMax: chance(0.04) ? upTo(2) : null,
    timeoutMs: chance(0.7) ? 60 * SECOND : pick([1, 50, 400, 3_000, 10_000]),
    cancel: chance(0.3) ? { afterMs: pick([0, 0, 1, 3, 6, 50, 350, 2_100]), ticks: upTo(60) } : null,
    replies: Array.from({ length: theme === 'retries' ? 1 : 1 + upTo(4) }, () => makeReply(dice)),
    freeReply: makeReply(dice),
  };
}

/** What a caller that tries again repeats. */
function pickSame(first: Step | undefined, { chance }: Dice): Partial<CallStep> {
  if (first?.kind !== 'call') return { cancel: null };
  const { account, workspace, who, question, operation, depth, chain, key } = first;
  return { account, workspace, who, question, operation, depth, chain, key: chance(0.95) ? key : null };
}

const PAUSES = [0, 0, 1, 10, 200, 2_500, 2_500];
const RETRIES = [0, 1, 3, 10, 350, 2_500, 31 * SECOND, 6 * MINUTE];

const makeReply = ({ theme, pick, chance }: Dice): Reply => ({
  kind: chance(theme === 'mixed' ? 0.5 : 0.8) ? 'answer' : theme === 'retries' ? 'odd' : pick(TROUBLED),
  delayMs: theme === 'doubts' && chance(0.7) ? 29_000 : pick([1, 5, 40, 300, 300, 2_000, 29_000]),
  status: pick([400, 401, 429, 432, 500, 503]),
  credits: chance(0.6) ? 1 : pick([0, 2, 3, 5, 8, 9, 1_000_000, -1, 1.5, '2', null, undefined]),
});

const TROUBLED = [
  'refuse',
  'refuse',
  'garbage',
  'odd',
  'reset',
  'silence',
  'unreachable',
  'nothing',
] as const;

/** What else happens while the calls are made, the last of them at `end`. */
function makeTroubles(end: number, gateways: number, { theme, pick, upTo, chance }: Dice): Step[] {
  const steps: Step[] = [];
  const when = (): number => upTo(end + 3 * SECOND);
  const crashAt = (at: number): Step => ({
    kind: 'crash',
    at,
    gateway: upTo(gateways - 1),
    ticks: upTo(60),
    downMs: pick(DOWN),
  });
  if (theme === 'clock') {
    // A clock that is wrong for a while, and a process that does not know it.
    const [from, to] = [when(), when()].sort((one, other) => one - other) as [number, number];
    const ms = pick(JUMPS);
    steps.push({ kind: 'clock', at: from, ms }, { kind: 'clock', at: to, ms: -ms });
    if (chance(0.7)) steps.push(crashAt(from + 1));
    if (chance(0.3)) steps.push(crashAt(to + 1));
  } else if (theme === 'doubts') {
    // What is being heard is swept because the clock is ahead, and the operator resolves it before the answer comes.
    steps.push({ kind: 'clock', at: upTo(28 * SECOND), ms: pick(JUMPS) });
    for (const at of [30, 32, 36])
      steps.push({ kind: 'operator', at: at * SECOND + upTo(2 * SECOND), verdict: pick(VERDICTS) });
  } else if (chance(0.2)) steps.push({ kind: 'clock', at: when(), ms: pick(JUMPS) });
  if (chance(0.2)) steps.push(crashAt(when()));
  if (chance(0.08)) steps.push({ kind: 'stop', at: when(), gateway: upTo(gateways - 1), downMs: pick(DOWN) });
  if (chance(0.1)) steps.push({ kind: 'operator', at: when(), verdict: pick(VERDICTS) });
  if (chance(0.15))
    steps.push({
      kind: 'store',
      at: when(),
      problem: chance(0.5) ? 'gone' : 'full',
      forMs: pick([5, 100, 3_000, 40_000]),
    });
  return steps;
}

/** The operator books credits, sometimes twice under one reference, and takes some back. */
function makeGrants(end: number, accounts: number, { pick, upTo }: Dice): Step[] {
  const account = upTo(accounts - 1);
  return Array.from({ length: 1 + upTo(1) }, () => ({
    kind: 'grant',
    at: upTo(end + SECOND),
    account,
    credits: pick([1, 1, 3, -1]),
    reference: upTo(1),
  }));
}

/** What a history is mostly about. */
const THEMES = [
  'mixed',
  'mixed',
  'mixed',
  'keys',
  'keys',
  'retries',
  'retries',
  'limits',
  'limits',
  'clock',
  'doubts',
] as const;

const VERDICTS = ['billed', 'not_billed'] as const;

const GAPS = [
  31 * SECOND,
  6 * MINUTE,
  59 * MINUTE,
  HOUR,
  22 * HOUR,
  23 * HOUR,
  23.5 * HOUR,
  24 * HOUR,
  25 * HOUR,
  26 * HOUR,
];
const JUMPS = [
  -5 * MINUTE,
  5 * MINUTE,
  -2 * HOUR,
  2 * HOUR,
  23.5 * HOUR,
  -23.5 * HOUR,
  -26 * HOUR,
  26 * HOUR,
  3_652 * 24 * HOUR,
  -3_652 * 24 * HOUR,
];
const DOWN = [10, 2 * SECOND, 40 * SECOND, 10 * MINUTE];
