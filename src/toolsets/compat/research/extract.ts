import { z } from 'zod';
import type { ExtractCode } from '../../../contract/extract.ts';
import { flag, integer, query, word } from '../../../contract/fields.ts';
import { HeadgateError } from '../../../core/errors.ts';
import { own } from '../../../core/own-text.ts';
import { LIMITS } from '../../../core/limits.ts';
import { plural } from '../../../core/text.ts';
import { pageConcerns } from '../../concerns.ts';
import { metaOf } from '../../meta.ts';
import { defineAction } from './action.ts';
import { sourceOfPage } from './source.ts';
import { errorEnvelope, successResponse, type Envelope, type EnvelopeErrorType } from './response-v2.ts';
import { sortUrls, urlList, type UrlProblem } from '../../url-list.ts';

const URLS_MAX = 10;
const QUERY_CHARS_MAX = 400;

interface FailedUrl {
  url: string;
  error_code: string;
  error: string;
}

/** The action `extract` (research spec 3). */
export const extractAction = defineAction({
  name: 'extract',
  summary: 'read pages by URL',
  input: z.object({
    urls: urlList().describe(`extract: the URLs to read, at most ${URLS_MAX}`),
    extract_depth: word(['basic', 'advanced']).optional().describe('extract: depth (default basic)'),
    include_images: flag().optional().describe('add images'),
    format: word(['markdown', 'text']).default('markdown').describe('extract: form of the content'),
    query: query(QUERY_CHARS_MAX)
      .optional()
      .describe('search: what to look for; extract: keep the passages about this'),
    chunks_per_source: integer(1, 5).default(3).describe('passages per source'),
  }),
  run: async (input, call, engine) => {
    const sorted = sortUrls(input.urls);
    checkCount(sorted.count);
    const invalid = sorted.invalid.map(({ url, problem }) => ({
      url,
      error_code: 'INVALID_URL',
      error: PROBLEMS[problem],
    }));
    if (sorted.valid.length === 0)
      return { envelope: totalFailure(invalid, call.requestId), meta: { outcome: 'invalid' } };

    const parameters = engine.extractParameters({
      extract_depth: input.extract_depth,
      include_images: input.include_images,
    });
    const output = await engine.extract(
      {
        urls: sorted.valid,
        format: input.format,
        include_favicon: true,
        ...present(parameters),
        ...(input.query === undefined
          ? {}
          : { query: input.query, chunks_per_source: input.chunks_per_source }),
      },
      call,
    );
    const failed = [
      ...invalid,
      ...output.failed_results.map(({ url, code, error }) => ({ url, error_code: CODES[code], error })),
    ];
    if (output.results.length === 0)
      return { envelope: totalFailure(failed, call.requestId), meta: metaOf(output) };
    const sources = output.results.map((page) =>
      sourceOfPage(page, {
        extract_depth: parameters.extract_depth ?? 'basic',
        format: input.format,
        hasQuery: input.query !== undefined,
      }),
    );
    const stats = {
      requested: sorted.count,
      succeeded: sources.length,
      failed: failed.length,
      total_chunks: sources.reduce((sum, source) => sum + Number(source.metadata['chunk_count']), 0),
    };
    const warnings = [
      ...(failed.length === 0 ? [] : [`Failed to extract ${failed.length} of ${sorted.count} URLs`]),
      ...pageConcerns(output),
      ...output.warnings,
    ];
    return {
      envelope: successResponse(
        { action: 'extract', sources, stats, ...(failed.length === 0 ? {} : { failed_urls: failed }) },
        { requestId: call.requestId, warnings },
      ),
      meta: metaOf({ ...output, outcome: invalid.length > 0 ? 'partial' : output.outcome }),
    };
  },
});

function checkCount(count: number): void {
  if (count >= 1 && count <= URLS_MAX) return;
  const message =
    count === 0
      ? 'urls: at least one URL is required.'
      : own`Too many URLs: ${count}. Maximum is ${URLS_MAX}.`;
  throw new HeadgateError('invalid_request', message, {
    remediation: `Send 1 to ${URLS_MAX} URLs.`,
    data: { fields: ['urls'] },
  });
}

const PROBLEMS: Record<UrlProblem, string> = {
  scheme: 'Invalid scheme. Only http/https allowed.',
  host: 'The URL has no host.',
  length: `URL too long (max ${LIMITS.urlCharsMax} characters).`,
};

/** The codes of research spec 2.4. What has no code of its own is EXTRACT_FAILED, and the text says why. */
const CODES: Record<ExtractCode, string> = {
  INVALID_URL: 'INVALID_URL',
  BLOCKED_HOST: 'BLOCKED_HOST',
  TIMEOUT: 'TIMEOUT',
  PAYLOAD_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  RATE_LIMITED: 'RATE_LIMIT_EXCEEDED',
  UNAUTHORIZED: 'UNAUTHORIZED',
  QUOTA_EXCEEDED: 'QUOTA_EXCEEDED',
  UNAVAILABLE: 'UNAVAILABLE',
  BAD_ANSWER: 'UNAVAILABLE',
  NOT_FOUND: 'EXTRACT_FAILED',
  ACCESS_DENIED: 'EXTRACT_FAILED',
  UNSUPPORTED_TYPE: 'EXTRACT_FAILED',
  NETWORK_ERROR: 'EXTRACT_FAILED',
  EXTRACT_FAILED: 'EXTRACT_FAILED',
  NEEDS_APPROVAL: 'EXTRACT_FAILED',
  PAYMENT_REQUIRED: 'EXTRACT_FAILED',
};

const TYPES: Record<string, EnvelopeErrorType> = {
  INVALID_URL: 'validation',
  BLOCKED_HOST: 'validation',
  PAYLOAD_TOO_LARGE: 'validation',
  RATE_LIMIT_EXCEEDED: 'rate_limit',
  UNAUTHORIZED: 'authentication',
  QUOTA_EXCEEDED: 'quota',
  UNAVAILABLE: 'unavailable',
  TIMEOUT: 'unavailable',
  EXTRACT_FAILED: 'internal',
};

/** Nothing was read: the caller's fault, one common cause, or a mixture. */
function totalFailure(failed: FailedUrl[], requestId: string): Envelope {
  const codes = [...new Set(failed.map((one) => one.error_code))];
  const types = [...new Set(codes.map((code) => TYPES[code] ?? 'internal'))];
  const type = types.length === 1 ? (types[0] ?? 'internal') : 'internal';
  const isCommon = type !== 'validation' && type !== 'internal' && codes.length === 1;
  return errorEnvelope(
    type === 'validation'
      ? 'Extract failed: all URLs blocked or invalid'
      : `Extract failed: ${plural(failed.length, 'URL')} gave no content`,
    {
      code: isCommon ? (codes[0] ?? 'EXTRACT_FAILED') : 'EXTRACT_FAILED',
      type,
      remediation:
        type === 'validation'
          ? 'Check URLs are valid public HTTP(S) addresses'
          : isCommon
            ? type === 'quota'
              ? 'Add credits or another key, or use another provider'
              : 'Try again later'
            : 'See failed_urls for what went wrong with each URL',
      details: { failed_urls: failed },
    },
    requestId,
  );
}

const present = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
