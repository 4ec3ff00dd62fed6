import { mapContract } from '../contract/crawl.ts';
import { parseInput } from '../contract/parse.ts';
import type { Call, Caller } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import type { Admission, Decision, Gate, PolicyLevel } from '../core/gate.ts';
import { LEAK_LIMITS } from '../core/leak-limits.ts';
import { LIMITS } from '../core/limits.ts';
import { named, own } from '../core/own-text.ts';
import type { OwnText } from '../core/text.ts';
import { distinctPages } from '../core/url.ts';
import type { LevelRules } from '../policy/decide.ts';
import { decisionName } from '../policy/gate.ts';
import {
  addressesIn,
  chosenAddress,
  addWithoutFragment,
  choiceCost,
  type LeakDemand,
  type LeakRules,
  MILLIBITS,
  registrableDomain,
  steeringCost,
} from '../policy/leak.ts';
import type { Ctx } from '../routing/services.ts';
import type { LeakOwner, ShownIn } from '../store/leaks.ts';
import type { Services } from './services.ts';

/** Callers that are a person, who may choose any address. */
const PEOPLE: ReadonlySet<Call['surface']> = new Set(['cli', 'console'] as const);

/**
 * Decides about the addresses that a caller chose, before anything is looked up, and books what the choice tells.
 * Undefined for a person. Where one address is all that was asked for, its refusal is thrown.
 */
export async function admissionOf(
  operation: string,
  input: unknown,
  rules: LeakRules,
  ctx: Ctx<Services>,
): Promise<Admission | undefined> {
  const { call } = ctx;
  if (PEOPLE.has(call.surface)) return undefined;
  const { leaks } = storeOf(ctx.services);
  const who = ownerOf(call.caller);
  const { url, urls } = input as { url?: string; urls?: string[] };
  const asked = [...(url === undefined ? [] : [url]), ...distinctPages(urls ?? [])];
  const refused = new Map<string, HeadgateError>();
  /** Addresses that nobody showed to the caller, but that may be read: a link there may repeat what it wrote. */
  const composed = new Set<string>();
  const isWalk = operation === 'crawl' || operation === 'map';
  const steering = isWalk ? steeringOf(input) : 0;
  const steps = isWalk ? (input as { max_depth: number }).max_depth : 0;
  let depth = 0;
  for (const text of asked) {
    const ruling = await ruleOn(text, { rules, who, steering, steps, ctx });
    if (ruling.refusal !== undefined) refused.set(text, ruling.refusal);
    else depth = Math.max(depth, ruling.depth ?? 0);
    if (ruling.isComposed === true) composed.add(text);
  }
  const [first] = refused.values();
  if (first !== undefined && urls === undefined) throw first;
  return { refused, ...shower(who, { operation, composed, depth: depth + steps }, leaks) };
}

function storeOf({ leaks }: Services): NonNullable<Services['leaks']> {
  if (leaks !== undefined) return leaks;
  throw new HeadgateError('not_configured', 'These rules need a store, and this program has none open.', {
    remediation: 'Set [policy] fetch and max_pages in the configuration, not for one call.',
  });
}

/** Counts the pages of a caller, whose budgets those of its key and its agent are. Undefined for a person. */
export function pageCounter(levels: readonly LevelRules[], ctx: Ctx<Services>): Gate['count'] | undefined {
  const { call } = ctx;
  if (PEOPLE.has(call.surface)) return undefined;
  const { leaks } = storeOf(ctx.services);
  const { owner, payers } = ownerOf(call.caller);
  const who = { owner, payers: payers.map((payer) => `pages ${payer}`) };
  const limits = levels.flatMap(({ pagesMax, isReporting }) => (isReporting ? [] : (pagesMax ?? [])));
  const most = Math.min(Number.MAX_SAFE_INTEGER, ...limits);
  return async (pages) => {
    const isBooked = await leaks.book(who, { domain: '', bits: pages }, { perDomain: most, total: most });
    const count = (await leaks.booked(who)) + (isBooked ? 0 : pages);
    call.gate?.check({ kind: 'pages', count: isBooked ? count : Math.max(count, most + 1) });
  };
}

/** A key with an agent sees and pays on its own; both have a budget. */
function ownerOf({ key, agent, person, workspace }: Caller): LeakOwner {
  const payers = [key === undefined ? [] : `key ${key}`, agent === undefined ? [] : `agent ${agent}`].flat();
  const other = person === undefined ? `workspace ${workspace ?? ''}` : `person ${person}`;
  return payers.length === 0
    ? { owner: other, payers: [other] }
    : { owner: [...payers, ...(person === undefined ? [] : [other])].join(' '), payers };
}

const steeringOf = (input: unknown): number =>
  steeringCost(
    input as Record<string, unknown>,
    parseInput(mapContract.input, { url: 'https://example.com' }),
  );

interface Asked {
  rules: LeakRules;
  who: LeakOwner;
  steering: number;
  /** How many links a crawl goes from there. */
  steps: number;
  ctx: Ctx<Services>;
}

interface Ruling {
  refusal?: HeadgateError;
  isComposed?: boolean;
  /** How many links away from a search or a person the address is. */
  depth?: number;
}

async function ruleOn(text: string, asked: Asked): Promise<Ruling> {
  const { who, steps, ctx } = asked;
  const url = chosenAddress(text);
  // Whatever is no address is refused where it is read.
  if (url === undefined) return {};
  const { leaks } = storeOf(ctx.services);
  const found = await leaks.find(who, url.href);
  const depth = found.length === 0 ? 0 : Math.min(...found.map((one) => one.depth));
  try {
    ctx.call.gate?.check({ kind: 'links', depth: depth + steps });
  } catch (thrown) {
    return { refusal: HeadgateError.from(thrown) };
  }
  return { depth, ...(await booked(url, found, asked)) };
}

async function booked(url: URL, found: ShownIn[], { rules, who, steering, ctx }: Asked): Promise<Ruling> {
  const { leaks } = storeOf(ctx.services);
  const { enforced, all } = rules;
  const best = found
    .map((one) => ({ ...one, bits: choiceCost(one) + steering }))
    .toSorted((a, b) => a.bits - b.bits)[0];
  if (all.free.match(url) !== undefined) return { isComposed: best === undefined };
  const isFree = enforced === undefined || enforced.free.match(url) !== undefined;
  if (best === undefined) {
    const reason = own`no search, page, list or person gave this address.`;
    return isFree
      ? { ...reported(all.level, ctx), isComposed: true }
      : refusalOf(url, reason, { demand: enforced, who, ctx });
  }
  const choice = { domain: registrableDomain(url), bits: best.bits, list: best.list };
  if (await leaks.book(who, choice, all)) return {};
  if (await leaks.book(who, choice, isFree ? NO_LIMIT : enforced)) return reported(all.level, ctx);
  const left = own`choosing it tells ${inBits(best.bits)} bits, and the leak budget of ${named(choice.domain)} (${inBits(enforced?.perDomain ?? 0)} bits in 24 hours) or of all domains (${inBits(enforced?.total ?? 0)}) has less left.`;
  return refusalOf(url, left, { demand: enforced as LeakDemand, who, ctx });
}

const NO_LIMIT = { perDomain: Number.MAX_SAFE_INTEGER, total: Number.MAX_SAFE_INTEGER };

const inBits = (millibits: number): number => Math.ceil(millibits / 100) / (MILLIBITS / 100);

function noteDecision(level: PolicyLevel, isReported: boolean, { call, services }: Ctx<Services>): void {
  const decision: Decision = {
    verdict: isReported ? 'allow' : 'deny',
    level,
    rule: 'fetch',
    ...(isReported ? { isReported } : {}),
  };
  call.note?.decisions.add(decisionName(decision));
  services.decided?.(decision);
  services.log.info('policy', { request: call.requestId, decision: decisionName(decision) });
}

function reported(level: PolicyLevel, ctx: Ctx<Services>): Ruling {
  noteDecision(level, true, ctx);
  return {};
}

/** Asks a person, unless one has approved it already. */
async function refusalOf(
  url: URL,
  reason: OwnText,
  { demand, who, ctx }: { demand: LeakDemand; who: LeakOwner; ctx: Ctx<Services> },
): Promise<Ruling> {
  const { approvals } = storeOf(ctx.services);
  if (await approvals.use(who, url.href)) return {};
  noteDecision(demand.level, false, ctx);
  if (url.href.length > LIMITS.urlCharsMax)
    return { refusal: needsApproval(own`This address is too long to be asked about.`) };
  const { workspace, agent, key } = ctx.call.caller;
  const about = {
    ...(workspace === undefined ? {} : { workspace }),
    ...(agent === undefined ? {} : { agent }),
    ...(key === undefined ? {} : { key }),
  };
  const approval = await approvals.ask(who, { url: url.href, reason, ...about });
  if (approval === undefined)
    return {
      refusal: needsApproval(
        own`This address needs the approval of a person, and too many are waiting for one: ${reason}`,
        own`Go on without it, or wait until a person has answered.`,
      ),
    };
  const { code } = approval;
  const state = approval.state === 'pending' ? await answered(url, code, { demand, ctx }) : approval.state;
  if (state === 'approved' && (await approvals.use(who, url.href))) return {};
  if (state === 'denied')
    return { refusal: needsApproval(own`A person has denied this address.`, own`Go on without it.`) };
  return {
    refusal: needsApproval(
      own`This address needs the approval of a person: ${reason}`,
      own`Give the code ${named(code)} to the person in charge, who confirms it in the console (Policy) or with \`headgate policy approve ${named(code)}\`. Then ask again, or go on without it.`,
      { approval: code },
    ),
  };
}

/** Asks the person at the client, where one can be asked and the rules let them answer. */
async function answered(
  url: URL,
  code: string,
  { demand, ctx }: { demand: LeakDemand; ctx: Ctx<Services> },
): Promise<'approved' | 'denied' | 'pending'> {
  const { call, services } = ctx;
  if (call.requestConfirmation === undefined || demand.isConsoleOnly) return 'pending';
  const { samplingTimeoutMs: waitMs } = LIMITS;
  const started = services.clock.now();
  call.extend?.(waitMs);
  const answer = await call.requestConfirmation(
    `An agent wants to read an address that no search, page or person gave it, or for which its budget is used up. The address can tell its owner what the agent knows: ${url.href}`,
  );
  call.extend?.(services.clock.now() - started - waitMs);
  if (answer === 'none') return 'pending';
  const { approvals } = storeOf(services);
  // Somebody else may have answered meanwhile.
  const decided = await approvals.decide(code, answer === 'accepted').catch(() => undefined);
  return decided?.state ?? 'pending';
}

const needsApproval = (message: OwnText, remediation?: OwnText, data: Record<string, unknown> = {}) =>
  new HeadgateError('needs_approval', message, {
    ...(remediation === undefined ? {} : { remediation }),
    data,
  });

/** Collects the pages of a call, and notes what its answer shows. */
function shower(
  { owner, payers }: LeakOwner,
  { operation, composed, depth }: { operation: string; composed: ReadonlySet<string>; depth: number },
  leaks: NonNullable<Services['leaks']>['leaks'],
): Pick<Admission, 'show' | 'note'> {
  const { listAddressesMax: max } = LEAK_LIMITS;
  const pages: { url: string; content: string }[] = [];
  return {
    show: (page) => void pages.push(page),
    note: async (output) => {
      // What is found on a page that the caller named itself may be the caller's own words.
      if (operation !== 'extract' && composed.size > 0) return;
      const read = pages.filter(({ url }) => !composed.has(url));
      const links = addressesIn(read.map(({ content }) => content).join('\n'), max);
      // A page that is read in parts is asked for again and again, which should cost little.
      const lists =
        operation === 'extract'
          ? [
              { addresses: addressList(read.map(({ url }) => url)), depth },
              { addresses: links, depth: depth + 1 },
            ]
          : [{ addresses: shownBy(output, max), depth }];
      await leaks.show({ owner, payers }, lists);
    },
  };
}

function addressList(texts: readonly string[]): string[] {
  const found = new Set<string>();
  for (const text of texts) {
    const url = chosenAddress(text);
    if (url !== undefined) addWithoutFragment(url, found);
  }
  return [...found];
}

/**
 * The addresses of results, documents and sources, and the links of pages that were crawled. What the caller wrote
 * itself is repeated in other fields, so that only these count.
 */
function shownBy(output: unknown, max: number): string[] {
  const lists = output as Record<'results' | 'library' | 'sources', unknown>;
  const { report } = output as { report?: typeof lists };
  const rows = [lists.results, lists.library, lists.sources, report?.sources].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  );
  const isCrawl = 'base_url' in (output as object);
  const found = new Set(
    addressList(
      rows.flatMap((row) => (typeof row === 'string' ? row : ((row as { url?: string }).url ?? []))),
    ),
  );
  if (isCrawl)
    for (const row of rows)
      for (const link of addressesIn((row as { raw_content?: string }).raw_content ?? '', max))
        found.add(link);
  return [...found].slice(0, max);
}
