import type { Ctx } from '../../routing/services.ts';
import {
  extractContract,
  type ExtractHit,
  type ExtractInput,
  type ExtractOutput,
} from '../../contract/extract.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { attemptBegun, type Attempt, type Outcome } from '../../core/outcome.ts';
import { distinctPages } from '../../core/url.ts';
import { chooseReaders } from '../../routing/chain.ts';
import { askExtract } from './ask-extract.ts';
import { defineOperation } from '../operation.ts';
import { fitPages } from './fit-pages.ts';
import { judgePages } from './judge-pages.ts';
import { priceChain, type Plan } from '../../routing/price-chain.ts';
import { outcomeOfFailed, type FailedPage, type ReadBatch } from './read-batch.ts';
import { extractCodeOf } from './read.ts';
import { readOwn } from './read-own.ts';
import type { ReadyProvider } from '../../routing/ready-provider.ts';
import type { Services } from '../services.ts';
import { withDeadline } from '../../routing/with-deadline.ts';

/** Reads pages, with the built-in reader or a provider's. */
export const extract = defineOperation({
  contract: extractContract,
  scope: 'extract',
  webTools: ['fetch'],
  run: runExtract,
  plan: planExtract,
});

async function runExtract(
  input: ExtractInput,
  { call: outer, services }: Ctx<Services>,
): Promise<ExtractOutput> {
  const started = services.clock.now();
  const distinct = distinctPages(input.urls);
  refuseSharedCursor({ ...input, urls: distinct });
  const refused = distinct.flatMap((url) => {
    const error = outer.gate?.admission?.refused.get(url);
    return error === undefined ? [] : [{ url, error: error.explanation, code: extractCodeOf(error) }];
  });
  const urls = distinct.filter((url) => !refused.some((one) => one.url === url));
  // Pages that are still unread shortly before the deadline fail, so that the others can be delivered.
  const leftMs = outer.deadline - started - LIMITS.extractDeliveryMs;
  const timeoutMs = input.timeout === undefined ? leftMs : input.timeout * 1_000;
  const read = await withDeadline(outer, timeoutMs, services, (call) =>
    readChain(chooseReaders(input.provider, services), urls, input, { call, services }),
  );
  for (const page of [...read.hits.map(({ url, raw_content: content }) => ({ url, content })), ...read.pages])
    outer.gate?.admission?.show(page);
  const order = new Map(urls.map((url, index) => [url, index]));
  const hits = read.hits.sort((a, b) => (order.get(a.url) ?? 0) - (order.get(b.url) ?? 0));
  const failed = [...read.failed, ...refused];
  const judged = judgePages(hits, input);
  const results = await fitPages(judged.hits, input);
  return {
    results,
    failed_results: failed,
    credits: read.credits,
    response_time: (services.clock.now() - started) / 1_000,
    request_id: outer.requestId,
    outcome: outcomeOfRead(results, failed),
    attempts: read.attempts,
    warnings: [...read.warnings, ...judged.warnings],
  };
}

/** A cursor continues a single page. */
export function refuseSharedCursor({ cursor, urls }: Pick<ExtractInput, 'cursor' | 'urls'>): void {
  if (cursor !== undefined && urls.length > 1)
    throw new HeadgateError('invalid_request', 'cursor: continues one page. Send one URL with it.');
}

function planExtract(input: ExtractInput, { services }: Ctx<Services>): Plan {
  const urls = distinctPages(input.urls);
  const query = { urls, format: input.format, depth: input.extract_depth };
  const chain = chooseReaders(input.provider, services).map((ready) => ({
    ready,
    credits: ready.provider.extract?.creditsMax?.(query) ?? urls.length,
  }));
  return priceChain('extract', chain, { isAsked: 'all', cached: false }, services);
}

/** Each reader gets the pages that the previous ones could not read, except those refused by a rule. */
async function readChain(
  chain: ReadyProvider[],
  urls: string[],
  input: ExtractInput,
  ctx: Ctx<Services>,
): Promise<ReadBatch & { attempts: Attempt[] }> {
  const { call, services } = ctx;
  const whole: ReadBatch & { attempts: Attempt[] } = {
    hits: [],
    pages: [],
    failed: [],
    credits: 0,
    warnings: [],
    attempts: [],
  };
  let remaining = urls;
  for (const [index, ready] of chain.entries()) {
    const started = services.clock.now();
    const read = ready.provider.builtIn === undefined ? askExtract : readOwn;
    if (remaining.length === 0) break;
    const batch = await read(ready, remaining, input, ctx);
    whole.hits.push(...batch.hits);
    whole.pages.push(...batch.pages);
    services.archive?.(call.caller, batch.pages);
    whole.credits += batch.credits;
    whole.warnings.push(...batch.warnings);
    const reason = batch.failed[0]?.error;
    const attempt: Attempt = {
      provider: ready.provider.id,
      ms: services.clock.now() - started,
      outcome: outcomeOfRead(batch.hits, batch.failed),
      ...(reason === undefined ? {} : { reason }),
      ...(batch.replayed === undefined ? {} : { replayed: batch.replayed }),
    };
    whole.attempts.push(attemptBegun(attempt, started));
    const isLast = index === chain.length - 1;
    if (isLast && batch.refusal !== undefined && whole.hits.length + whole.failed.length === 0)
      throw withAttempts(batch.refusal, whole.attempts);
    whole.failed.push(...batch.failed.filter((one) => isLast || isFinal(one)));
    remaining = isLast ? [] : batch.failed.filter((one) => !isFinal(one)).map((one) => one.url);
  }
  return whole;
}

/** A URL refused by a rule is refused for every reader: another one must not bypass the guard. */
const isFinal = (failed: FailedPage): boolean =>
  failed.code === 'INVALID_URL' || failed.code === 'BLOCKED_HOST';

function withAttempts(error: HeadgateError, attempts: Attempt[]): HeadgateError {
  const { code, message, remediation, provider, retryAfterMs, data, cause } = error;
  const details = { remediation, provider, retryAfterMs, cause, data: { ...data, attempts } };
  return new HeadgateError(code, message, details);
}

function outcomeOfRead(results: ExtractHit[], failed: FailedPage[]): Outcome {
  if (results.length === 0) return outcomeOfFailed(failed);
  if (failed.length > 0) return 'partial';
  return results.some((result) => result.outcome === 'degraded') ? 'degraded' : 'ok';
}
