import type { Ctx } from '../../routing/services.ts';
import type { ExtractHit, ExtractInput } from '../../contract/extract.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own, warned } from '../../core/own-text.ts';
import type { ExtractQuery } from '../../core/query.ts';
import { isLater } from '../../core/scope.ts';
import type { Source } from '../../core/source.ts';
import { checkUrl, createGuardPolicy } from '../../net/guard.ts';
import type { ExtractPage } from '../../providers/provider.ts';
import { sendTo } from '../../routing/ask.ts';
import { commonCause, type FailedPage, type ReadBatch } from './read-batch.ts';
import type { Candidate } from '../../routing/key-ring.ts';
import type { ReadPageRecord } from './archive.ts';
import { extractCodeOf } from './read.ts';
import { route } from '../../routing/route.ts';
import type { ReadyProvider } from '../../routing/ready-provider.ts';
import type { Services } from '../services.ts';
import { type Estimate, spend } from '../../routing/spend.ts';

/** Calls a provider's reader in batches; a failed request affects only its own URLs. */
export async function askExtract(
  ready: ReadyProvider,
  urls: string[],
  input: ExtractInput,
  ctx: Ctx<Services>,
): Promise<ReadBatch> {
  const half = ready.provider.extract;
  if (half === undefined)
    throw new HeadgateError('invalid_request', own`${named(ready.provider.title)} cannot read pages.`);
  const { allowed, refused } = vet(urls, ctx);
  const whole: ReadBatch = { hits: [], pages: [], failed: refused, credits: 0, warnings: [] };
  const errors: HeadgateError[] = [];
  for (let start = 0; start < allowed.length; start += half.urlsMax) {
    const batch = allowed.slice(start, start + half.urlsMax);
    const query = toExtractQuery(batch, input);
    try {
      await ctx.call.gate?.count?.(batch.length);
      const { answer } = await route([ready], (candidate) => askOnce(candidate, query, ctx), ctx);
      // The reader may have followed a redirect to where the caller may not read.
      const { sources, refused } = handedOver(
        answer.sources.filter(({ publishedDate }) => !isLater(publishedDate)),
        ctx,
      );
      whole.failed.push(...refused);
      whole.hits.push(...sources.map((source) => toHit(source, input)));
      // With a query a provider may return only passages, which are not the page.
      if (input.query === undefined)
        whole.pages.push(...sources.flatMap((source) => keptPage(source, input)));
      whole.failed.push(...answer.failed.map((one) => ({ ...one, code: 'EXTRACT_FAILED' as const })));
      whole.credits += answer.credits ?? 0;
      whole.warnings.push(...(half.warnings?.(query) ?? []), ...(answer.warnings ?? []));
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      if (error.code === 'cancelled' || error.type === 'internal') throw error;
      errors.push(error);
      whole.failed.push(
        ...batch.map((url) => ({ url, error: error.explanation, code: extractCodeOf(error) })),
      );
    }
  }
  if (input.include_removed === true && whole.hits.length > 0)
    whole.warnings.push(warned`${ready.provider.title} does not say what it left out of pages.`);
  const isAll = errors.length > 0 && errors.length === Math.ceil(urls.length / half.urlsMax);
  const refusal = isAll ? commonCause(errors, REFUSALS) : undefined;
  return refusal === undefined ? whole : { ...whole, refusal };
}

/** Failures of the provider's API; other types are about the pages. */
const REFUSALS = ['authentication', 'quota', 'rate_limit', 'unavailable', 'timeout'] as const;

/** Refuses URLs that the fetch guard or the caller's rules would refuse, before another provider sees them (research spec 3.5). */
function vet(
  urls: string[],
  { call, services: { config } }: Ctx<Services>,
): { allowed: string[]; refused: FailedPage[] } {
  const policy = createGuardPolicy(config.guard);
  const refused: FailedPage[] = [];
  const allowed = urls.filter((url) => {
    const error = failureOf(() => {
      // Apart from the rules: where there are none, the guard still holds.
      const target = checkUrl(url, policy).url;
      call.gate?.check({ kind: 'fetch', url: target });
    });
    if (error !== undefined) refused.push({ url, error: error.explanation, code: extractCodeOf(error) });
    return error === undefined;
  });
  return { allowed, refused };
}

function handedOver(found: Source[], { call }: Ctx<Services>): { sources: Source[]; refused: FailedPage[] } {
  const refused: FailedPage[] = [];
  const sources = found.filter((source) => {
    const url = URL.parse(source.url);
    if (url === null) return true;
    const error = failureOf(() => call.gate?.check({ kind: 'result', url }));
    if (error !== undefined)
      refused.push({ url: source.url, error: error.explanation, code: extractCodeOf(error) });
    return error === undefined;
  });
  return { sources, refused };
}

function failureOf(check: () => void): HeadgateError | undefined {
  try {
    check();
    return undefined;
  } catch (thrown) {
    return HeadgateError.from(thrown);
  }
}

async function askOnce(
  candidate: Candidate,
  query: ExtractQuery,
  ctx: Ctx<Services>,
): Promise<ExtractPage & { outcome: 'ok' }> {
  const { services } = ctx;
  const credits = candidate.ready.provider.extract?.creditsMax?.(query) ?? 1;
  const estimate: Estimate<ExtractPage & { outcome: 'ok' }> = {
    category: 'fetch',
    credits,
    isVoid: isWithoutContent,
  };
  return spend(candidate, estimate, ctx, (paid) =>
    askExtractOnce(candidate, query, { call: paid, services }),
  );
}

const isWithoutContent = ({ sources }: ExtractPage): boolean =>
  sources.every((source) => (source.content ?? source.snippet) === '');

/** Makes one request to a provider's reader and parses the answer. */
export async function askExtractOnce(
  candidate: Candidate,
  query: ExtractQuery,
  ctx: Ctx<Services>,
): Promise<ExtractPage & { outcome: 'ok' }> {
  const { provider, settings } = candidate.ready;
  const half = provider.extract;
  if (half === undefined) throw new HeadgateError('internal', own`${named(provider.title)} lost its reader.`);
  const sent = half.request(query, settings, candidate.key);
  const response = await sendTo(candidate, sent, ctx, { reads: half.acceptStatus });
  return { ...half.parse(response, query, settings, sent), outcome: 'ok' as const };
}

const toExtractQuery = (urls: string[], input: ExtractInput): ExtractQuery => ({
  urls,
  format: input.format,
  ...(input.query === undefined ? {} : { query: input.query }),
  ...(input.chunks_per_source === undefined ? {} : { chunksPerSource: input.chunks_per_source }),
  ...(input.extract_depth === undefined ? {} : { depth: input.extract_depth }),
  ...(input.include_images === undefined ? {} : { includeImages: input.include_images }),
  ...(input.include_favicon === undefined ? {} : { includeFavicon: input.include_favicon }),
  ...(input.timeout === undefined ? {} : { timeoutMs: input.timeout * 1_000 }),
});

const keptPage = (
  { url, title, content, publishedDate }: Source,
  { format }: ExtractInput,
): ReadPageRecord[] =>
  content === undefined || content === '' ? [] : [{ url, title, content, format, publishedDate }];

const toHit = (source: Source, input: ExtractInput): ExtractHit => ({
  url: source.url,
  title: source.title,
  raw_content: source.content ?? source.snippet,
  images: input.include_images === true ? (source.images ?? []).map((image) => image.url) : [],
  ...(input.include_favicon === true && source.favicon !== undefined ? { favicon: source.favicon } : {}),
  ...(source.publishedDate === undefined ? {} : { published_date: source.publishedDate }),
  ...(source.chunks === undefined ? {} : { chunks: source.chunks }),
  outcome: (source.content ?? source.snippet) === '' ? 'degraded' : 'ok',
  truncated: false,
  provider: source.provider,
  trust: source.trust,
});
