import type { Gate, PolicyLevel } from '../../core/gate.ts';
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
import { createRobotsBook } from './robots.ts';

const books = new WeakMap<Gate, ReturnType<typeof createRobotsBook>>();

/** The robots.txt of a page, where the rules say that it counts for every page; throws when it forbids this one. */
export async function checkedRobots(address: string, ctx: Ctx<Services>): Promise<Robots | undefined> {
  const { gate } = ctx.call;
  const url = URL.parse(address);
  if (gate?.reading?.robots?.value !== 'all' || url === null) return undefined;
  const book = books.get(gate) ?? createRobotsBook(ctx);
  books.set(gate, book);
  const robots = await book(url);
  if (robots.allows(url.pathname + url.search)) return robots;
  throw new HeadgateError('robots_denied', 'robots.txt does not allow it.');
}

/** Throws when the site does not want models to read it and the rules respect that. */
export function checkSignals(usage: Usage | undefined, ctx: Ctx<Services>): void {
  const rule = ctx.call.gate?.reading?.signals;
  const word = rule?.value === 'refuse' ? refusingSignal(usage) : undefined;
  if (rule !== undefined && word !== undefined)
    refuse(
      rule.level,
      'signals',
      own`the site does not want this use of its content (${named(word)}=no).`,
      ctx,
    );
}

/** Marks or refuses a page with text that readers cannot see, where the rules say so. */
export function checkHidden<Page extends Extracted>(page: Page, ctx: Ctx<Services>): Page {
  const rule = ctx.call.gate?.reading?.hidden;
  if (rule === undefined || rule.value === 'strip' || page.hiddenTextRemoved === 0) return page;
  if (rule.value === 'refuse')
    refuse(rule.level, 'hidden', own`the page has text that readers cannot see.`, ctx);
  return {
    ...page,
    quality: 'degraded',
    reason: page.reason ?? own`The page has text that readers cannot see.`,
  };
}

function refuse(level: PolicyLevel, rule: string, reason: OwnText, ctx: Ctx<Services>): never {
  const decision = { verdict: 'deny', level, rule, reason } as const;
  tellDecision(decision, ctx);
  throw policyRefusal(decision);
}
