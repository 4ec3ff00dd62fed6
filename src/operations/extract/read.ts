import type { Ctx } from '../../routing/services.ts';
import type { ExtractCode } from '../../contract/extract.ts';
import { type FailureCode, HeadgateError } from '../../core/errors.ts';
import { warned } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import { isLater } from '../../core/scope.ts';
import type { Extracted } from '../../extract/extracted.ts';
import type { ExtractOptions, Page } from '../../extract/page-bytes.ts';
import { joinUsage, pageUsage, type Usage } from '../../net/usage.ts';
import type { Robots } from '../../net/robots.ts';
import { checkedRobots, checkHidden, checkSignals } from './reading-rules.ts';
import type { Services } from '../services.ts';

/** A page that was fetched through the guard and extracted in a worker. */
export interface ReadPage extends Extracted {
  /** The address after redirects. */
  finalUrl: string;
  /** What the site says about the use of its content. */
  usage?: Usage;
  /** Set if it was replayed and not for the very same request. */
  replayed?: 'canonical';
}

/** Fetches and extracts one page; `isRendered` runs its scripts first. Every failure is a HeadgateError. */
export async function readPage(
  url: string,
  ctx: Ctx<Services>,
  options: ExtractOptions & { isRendered?: boolean; robots?: Robots } = {},
): Promise<ReadPage> {
  const { call, services } = ctx;
  const { isRendered = false, robots: known, ...reading } = options;
  const robots = known ?? (await checkedRobots(url, ctx));
  await call.gate?.count?.(1);
  const page = await services.fetch(url, {
    signal: call.signal,
    caller: call.caller.workspace ?? 'local',
    gate: call.gate,
    // Counted from its turn; how long it may queue is limited by the call's signal.
    timeoutMs: LIMITS.fetchTotalMs,
  });
  const last = new URL(page.finalUrl);
  // After a redirect the file of the other site counts.
  const there = URL.parse(url)?.origin === last.origin ? robots : await checkedRobots(page.finalUrl, ctx);
  const usage = joinUsage(there?.usageOf(last.pathname + last.search), pageUsage(page.headers, page.bytes));
  checkSignals(usage, ctx);
  const contentType = page.headers['content-type'] ?? page.contentType;
  const fetched = { bytes: page.bytes, contentType, url: page.finalUrl };
  const plain = {
    ...(await services.extract(fetched, reading, call.signal)),
    finalUrl: page.finalUrl,
    ...(usage === undefined ? {} : { usage }),
    ...(page.replayed === undefined ? {} : { replayed: page.replayed }),
  };
  if (isLater(plain.publishedDate)) throw notYet();
  const isDrawn = isRendered && plain.kind === 'html';
  return checkHidden(isDrawn ? await readRendered(plain, { page: fetched, reading }, ctx) : plain, ctx);
}

const notYet = (): HeadgateError =>
  new HeadgateError('not_recorded', 'This page was published after the date of as_of.');

/** Extracts the page after its scripts have run, or the plain page if that fails or gives less. */
async function readRendered(
  plain: ReadPage,
  { page, reading }: { page: Required<Page>; reading: ExtractOptions },
  { call, services }: Ctx<Services>,
): Promise<ReadPage> {
  try {
    const drawn = await services.renderer.render(
      page,
      { caller: call.caller.workspace ?? 'local', gate: call.gate },
      call.signal,
    );
    const extracted = await services.extract(
      { bytes: Buffer.from(drawn.html), contentType: 'text/html; charset=utf-8', url: drawn.url },
      reading,
      call.signal,
    );
    const isPoorer = extracted.text.length * 2 < plain.text.length;
    const best = isPoorer ? plain : { ...plain, ...extracted, finalUrl: drawn.url };
    return { ...best, warnings: [...best.warnings, ...drawn.warnings] };
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    if (error.code === 'cancelled' || error.type === 'internal') throw error;
    return { ...plain, warnings: [...plain.warnings, warned`not rendered: ${error.explanation}`] };
  }
}

const CODES: Partial<Record<FailureCode, ExtractCode>> = {
  invalid_url: 'INVALID_URL',
  invalid_request: 'INVALID_URL',
  blocked_host: 'BLOCKED_HOST',
  policy_denied: 'BLOCKED_HOST',
  needs_approval: 'NEEDS_APPROVAL',
  payment_required: 'PAYMENT_REQUIRED',
  robots_denied: 'ACCESS_DENIED',
  page_too_large: 'PAYLOAD_TOO_LARGE',
  unsupported_type: 'UNSUPPORTED_TYPE',
  upstream_timeout: 'TIMEOUT',
  deadline_exceeded: 'TIMEOUT',
  network_error: 'NETWORK_ERROR',
  tls_error: 'NETWORK_ERROR',
  rate_limited: 'RATE_LIMITED',
  upstream_rate_limit: 'RATE_LIMITED',
  not_configured: 'UNAUTHORIZED',
  upstream_authentication: 'UNAUTHORIZED',
  limit_reached: 'QUOTA_EXCEEDED',
  insufficient_credits: 'QUOTA_EXCEEDED',
  over_budget: 'QUOTA_EXCEEDED',
  upstream_quota: 'QUOTA_EXCEEDED',
  upstream_blocked: 'ACCESS_DENIED',
  upstream_unavailable: 'UNAVAILABLE',
  storage_unavailable: 'UNAVAILABLE',
  upstream_bad_answer: 'BAD_ANSWER',
};

/** The error code reported for a failed URL. */
export function extractCodeOf(error: HeadgateError): ExtractCode {
  if (error.code !== 'page_status') return CODES[error.code] ?? 'EXTRACT_FAILED';
  const status = Number(error.data['status']);
  if (status === 404 || status === 410) return 'NOT_FOUND';
  if (status === 429) return 'RATE_LIMITED';
  return status === 401 || status === 403 || status === 451 ? 'ACCESS_DENIED' : 'EXTRACT_FAILED';
}
