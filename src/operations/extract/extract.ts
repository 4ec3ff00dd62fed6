import {
  extractContract,
  type ExtractHit,
  type ExtractInput,
  type ExtractOutput,
} from '../../contract/extract.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Attempt, Outcome } from '../../core/outcome.ts';
import { distinctPages } from '../../core/url.ts';
import { chooseReaders } from '../asking/chain.ts';
import { askExtract } from './ask-extract.ts';
import { defineOperation } from '../operation.ts';
import { fitPages } from './fit-pages.ts';
import { judgePages } from './judge-pages.ts';
import { ownReader } from '../asking/own-reader.ts';
import { priceChain, type Plan } from '../asking/price-chain.ts';
import { outcomeOfFailed, type FailedPage, type ReadBatch } from './read-batch.ts';
import { readOwn } from './read-own.ts';
import type { ReadyProvider } from '../asking/ready-provider.ts';
import type { Services } from '../services.ts';
import { within } from '../within.ts';

/** Read pages, with our own reader or a provider's. */
export const extract = defineOperation({
  contract: extractContract,
  scope: 'extract',
  webTools: ['fetch'],
  run: runExtract,
  plan: planExtract,
});

async function runExtract(input: ExtractInput, outer: Call, services: Services): Promise<ExtractOutput> {
  const started = services.clock.now();
  const urls = distinctPages(input.urls);
  refuseSharedCursor({ ...input, urls });
  // Every page has its own time. What is not read shortly before the call's deadline fails, so that the rest can still be delivered.
  const leftMs = outer.deadline - started - DELIVERY_MS;
  const timeoutMs = input.timeout === undefined ? leftMs : input.timeout * 1_000;
  const read = await within(outer, timeoutMs, services, (call) =>
    readChain(chooseReaders(input.provider, services), urls, input, call, services),
  );
  const order = new Map(urls.map((url, index) => [url, index]));
  const hits = read.hits.sort((a, b) => (order.get(a.url) ?? 0) - (order.get(b.url) ?? 0));
  const judged = judgePages(hits, input);
  const results = await fitPages(judged.hits, input);
  return {
    results,
    failed_results: read.failed,
    credits: read.credits,
    response_time: (services.clock.now() - started) / 1_000,
    request_id: outer.requestId,
    outcome: outcomeOfRead(results, read.failed),
    attempts: read.attempts,
    warnings: [...read.warnings, ...judged.warnings],
  };
}

const DELIVERY_MS = 500;

/** How long a call that reads so many pages may take: the usual time, or the full time of every page, read in turns. */
export const readingTimeoutMs = (pages: number, usualMs: number): number =>
  Math.max(
    usualMs,
    Math.ceil(pages / LIMITS.fetchPerOriginMax) * Math.min(LIMITS.fetchTotalMs, usualMs) + DELIVERY_MS,
  );

/** A cursor leads on in one page. */
export function refuseSharedCursor({ cursor, urls }: Pick<ExtractInput, 'cursor' | 'urls'>): void {
  if (cursor !== undefined && urls.length > 1)
    throw new HeadgateError('invalid_request', 'cursor: continues one page. Send one URL with it.');
}

function planExtract(input: ExtractInput, _call: Call, services: Services): Plan {
  const urls = distinctPages(input.urls);
  const query = { urls, format: input.format, depth: input.extract_depth };
  const chain = chooseReaders(input.provider, services).map((ready) => ({
    ready,
    credits:
      ready.provider === ownReader
        ? urls.length
        : (ready.provider.extract?.creditsMax?.(query) ?? urls.length),
  }));
  return priceChain('extract', chain, { isAsked: 'all', cached: false }, services);
}

/** Every reader gets what the ones before it could not read; what nobody may read is not handed on. */
async function readChain(
  chain: ReadyProvider[],
  urls: string[],
  input: ExtractInput,
  call: Call,
  services: Services,
): Promise<ReadBatch & { attempts: Attempt[] }> {
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
    const read = ready.provider === ownReader ? readOwn : askExtract;
    const batch = await read(ready, remaining, input, call, services);
    whole.hits.push(...batch.hits);
    services.keep?.(call.caller, batch.pages);
    whole.credits += batch.credits;
    whole.warnings.push(...batch.warnings);
    const reason = batch.failed[0]?.error;
    whole.attempts.push({
      provider: ready.provider.id,
      ms: services.clock.now() - started,
      outcome: outcomeOfRead(batch.hits, batch.failed),
      ...(reason === undefined ? {} : { reason }),
    });
    const isLast = index === chain.length - 1;
    if (isLast && batch.refusal !== undefined && whole.hits.length + whole.failed.length === 0)
      throw withAttempts(batch.refusal, whole.attempts);
    whole.failed.push(...batch.failed.filter((one) => isLast || isFinal(one)));
    remaining = isLast ? [] : batch.failed.filter((one) => !isFinal(one)).map((one) => one.url);
    if (remaining.length === 0) break;
  }
  return whole;
}

/** A URL that is refused by rule is refused by everybody: another reader must not be used to get around the guard. */
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
