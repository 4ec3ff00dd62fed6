import type { Step, WalkState } from './sessions.ts';
import type { Ctx } from '../../routing/services.ts';
import type { MapInput } from '../../contract/crawl.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { OwnText } from '../../core/text.ts';
import { asked, own } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import { canonicalUrl } from '../../core/url.ts';
import { readPage, type ReadPage } from '../extract/read.ts';
import type { Services } from '../services.ts';
import { createRobotsBook } from '../extract/robots.ts';
import { createScope } from './scope.ts';

/** A visited page. */
export interface Visit {
  url: string;
  depth: number;
  page: ReadPage;
}

export interface Walked {
  visits: Visit[];
  /** `error` is absent when robots.txt forbids the page. */
  skipped: { url: string; reason: OwnText; error?: HeadgateError }[];
  state: WalkState;
  /** Whether the time ran out. */
  isCut: boolean;
}

/**
 * Crawls a site breadth first, guarded and polite: robots.txt, few pages at a time, the site's crawl delay.
 * On a timeout the pages read so far are returned, and the state allows to continue.
 */
export async function walk(
  input: MapInput,
  earlier: WalkState | undefined,
  ctx: Ctx<Services>,
): Promise<Walked> {
  const { call, services } = ctx;
  const scope = createScope(input);
  // A map reads no content; a crawl may ask for rendered pages.
  const isRendered = 'extract_depth' in input && input.extract_depth === 'advanced';
  const robotsOf = createRobotsBook(ctx);
  const state = earlier ?? {
    queue: [{ url: scope.start.href, depth: 0 }],
    seen: new Set([canonicalUrl(scope.start.href)]),
    found: [scope.start.href],
  };
  const walked: Walked = { visits: [], skipped: [], state, isCut: false };
  // A fetch may time out a moment before the signal of the call fires.
  const isOver = (): boolean => call.signal.aborted || services.clock.now() >= call.deadline;
  let chars = 0;
  let done = 0;
  /** Whether no more pages may be read. */
  let isFull = false;

  const visit = async (step: Step): Promise<Visit | undefined> => {
    const url = new URL(step.url);
    const robots = await robotsOf(url);
    if (call.gate?.reading?.robots?.value !== 'off' && !robots.allows(url.pathname + url.search)) {
      return undefined;
    }
    await services.pace.wait(
      `crawl:${url.host}`,
      Math.max(LIMITS.crawlPaceMs, robots.crawlDelayMs),
      call.signal,
    );
    const page = await readPage(step.url, ctx, { links: 'all', isRendered, robots });
    done += 1;
    call.progress?.({ done, total: input.limit, message: step.url });
    return { url: step.url, depth: step.depth, page };
  };
  const keep = (step: Step, made: Visit | undefined): void => {
    if (made === undefined) {
      walked.skipped.push({ url: step.url, reason: own`robots.txt does not allow it` });
      return;
    }
    const { page } = made;
    chars += page.text.length;
    walked.visits.push(made);
    addLinks(state, scope.select([page.finalUrl, ...page.links.map((link) => link.url)]), step, input);
  };

  while (state.queue.length > 0 && walked.visits.length < input.limit && chars < LIMITS.crawlTextCharsMax) {
    const room = Math.min(LIMITS.crawlConcurrencyMax, input.limit - walked.visits.length);
    const batch = state.queue.splice(0, room);
    const settled = await Promise.allSettled(batch.map(visit));
    for (const [index, one] of settled.entries()) {
      const step = batch[index];
      if (step === undefined) continue;
      // In the order of the queue, whichever page came first.
      if (one.status === 'fulfilled') {
        keep(step, one.value);
        continue;
      }
      const error = HeadgateError.from(one.reason);
      if (error.code === 'cancelled' || error.type === 'internal' || error.code === 'invalid_request')
        throw error;
      if (isOver()) state.queue.unshift(step);
      else {
        walked.skipped.push({ url: step.url, reason: error.message, error });
        isFull ||= error.code === 'policy_denied' && String(error.data['rule']).endsWith('.max_pages');
        const message = own`${asked(step.url)}: ${error.message}`;
        call.progress?.({ done: walked.visits.length, total: input.limit, message, isWarning: true });
      }
    }
    if (isFull || isOver()) break;
  }
  walked.isCut = isOver() && state.queue.length > 0;
  return walked;
}

function addLinks(state: WalkState, links: string[], from: Step, input: MapInput): void {
  let taken = 0;
  for (const url of links) {
    const key = canonicalUrl(url);
    if (state.seen.has(key) || state.seen.size >= LIMITS.crawlLinksMax) continue;
    if (taken >= input.max_breadth) return;
    taken += 1;
    state.seen.add(key);
    state.found.push(url);
    if (from.depth < input.max_depth) state.queue.push({ url, depth: from.depth + 1 });
  }
}
