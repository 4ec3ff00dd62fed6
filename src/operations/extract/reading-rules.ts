import type { Gate, PolicyLevel, ReadingRules } from '../../core/gate.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import type { OwnText } from '../../core/text.ts';
import type { Robots } from '../../net/robots.ts';
import { refusingSignal, type Usage } from '../../net/usage.ts';
import { policyRefusal } from '../../policy/gate.ts';
import type { Ctx } from '../../routing/services.ts';
import { tellDecision } from '../scanned.ts';
import type { Services } from '../services.ts';
import type { Extracted } from '../../extract/extracted.ts';
import { createRobotsBook, respectsSignals } from './robots.ts';

const books = new WeakMap<Gate, ReturnType<typeof createRobotsBook>>();

/**
 * The robots.txt of a page, where the rules say that it counts for every page, or what it says about models does;
 * throws when it forbids this one.
 */
export async function checkedRobots(address: string, ctx: Ctx<Services>): Promise<Robots | undefined> {
  const { gate } = ctx.call;
  const url = URL.parse(address);
  const rule = ruleOf(gate?.reading, 'robots', 'all');
  if (gate === undefined || url === null || (rule === undefined && !respectsSignals(gate))) return undefined;
  const book = books.get(gate) ?? createRobotsBook(ctx);
  books.set(gate, book);
  const robots = await book(url);
  if (rule === undefined || robots.allows(url.pathname + url.search)) return robots;
  tellDecision(decisionOf(rule, 'robots', own`robots.txt does not allow it.`), ctx);
  if (rule.isReported) return robots;
  throw new HeadgateError('robots_denied', 'robots.txt does not allow it.');
}

/** Throws when the site does not want models to read it and the rules respect that. */
export function checkSignals(usage: Usage | undefined, ctx: Ctx<Services>): void {
  const rule = ruleOf(ctx.call.gate?.reading, 'signals', 'refuse');
  const word = rule === undefined ? undefined : refusingSignal(usage);
  if (rule !== undefined && word !== undefined)
    refuse(
      decisionOf(rule, 'signals', own`the site does not want this use of its content (${named(word)}=no).`),
      ctx,
    );
}

/** Marks or refuses a page with text that readers cannot see, where the rules say so. */
export function checkHidden<Page extends Extracted>(page: Page, ctx: Ctx<Services>): Page {
  const reading = ctx.call.gate?.reading;
  if (reading === undefined || page.hiddenTextRemoved === 0) return page;
  const rule = ruleOf(reading, 'hidden', 'refuse');
  const reason = own`the page has text that readers cannot see.`;
  if (rule !== undefined) refuse(decisionOf(rule, 'hidden', reason), ctx);
  if (reading.hidden?.value !== 'flag') return page;
  return {
    ...page,
    quality: 'degraded',
    reason: page.reason ?? own`The page has text that readers cannot see.`,
  };
}

interface FoundRule {
  level: PolicyLevel;
  isReported: boolean;
}

/** The rule that refuses, or else the one that would. */
function ruleOf(
  reading: ReadingRules | undefined,
  name: 'robots' | 'signals' | 'hidden',
  value: string,
): FoundRule | undefined {
  const [enforced, reported] = [reading?.[name], reading?.reported?.[name]];
  if (enforced?.value === value) return { level: enforced.level, isReported: false };
  return reported?.value === value ? { level: reported.level, isReported: true } : undefined;
}

const decisionOf = ({ level, isReported }: FoundRule, rule: string, reason: OwnText) =>
  isReported
    ? ({ verdict: 'allow', level, rule, reason, isReported } as const)
    : ({ verdict: 'deny', level, rule, reason } as const);

function refuse(decision: ReturnType<typeof decisionOf>, ctx: Ctx<Services>): void {
  tellDecision(decision, ctx);
  if (decision.verdict === 'deny') throw policyRefusal(decision);
}
