import { crawlContract, mapContract, type CrawlOutput, type MapOutput } from '../../contract/crawl.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Body } from '../door/request-body.ts';
import { fieldsOf, seconds, unknownFields, USAGE_SCHEMA, usageOf, withScheme } from './wire.ts';
import type { Wire } from '../door/wire.ts';

const shared = { decode, timeoutMs, adds: { usage: USAGE_SCHEMA } } as const;

/** `POST /crawl`: `base_url` is the URL as it was given. */
export const crawlWire: Wire = {
  ...shared,
  name: 'crawl',
  encode: (output: CrawlOutput, asked) => ({
    base_url: asked['url'],
    results: output.results.map((page) => ({
      url: page.url,
      raw_content: page.raw_content,
      images: page.images,
      ...(page.favicon === undefined ? {} : { favicon: page.favicon }),
      title: page.title,
      depth: page.depth,
      ...(page.usage === undefined ? {} : { usage: page.usage }),
      ...(page.score === undefined ? {} : { score: page.score }),
      trust: page.trust,
    })),
    ...tail(output, asked, crawlContract.input.shape),
  }),
};

/** `POST /map`: addresses only. */
export const mapWire: Wire = {
  ...shared,
  name: 'map',
  encode: (output: MapOutput, asked) => ({
    base_url: asked['url'],
    results: output.results,
    ...tail(output, asked, mapContract.input.shape),
  }),
};

/** Fields of old clients that have no effect here; they are accepted without a warning. */
const OLD = { categories: true, chunks_per_source: true };
const GRACE_MS = 5_000;
const TIMEOUT_S = 150;

function decode(body: Body): Body {
  const fields = fieldsOf(body);
  const { url } = fields;
  if (typeof url !== 'string' || url.trim() === '') {
    throw new HeadgateError('invalid_request', '[400] No starting url provided');
  }
  return { ...fields, url: withScheme(url.trim()) };
}

function timeoutMs({ timeout }: Body): number {
  const asked = typeof timeout === 'number' && timeout > 0 ? Math.min(timeout, TIMEOUT_S) : TIMEOUT_S;
  return asked * 1_000 + GRACE_MS;
}

function tail(output: CrawlOutput | MapOutput, asked: Body, known: Record<string, unknown>): Body {
  return {
    response_time: seconds(output.response_time),
    ...usageOf(asked, output.credits),
    request_id: output.request_id,
    ...(output.cursor === undefined ? {} : { cursor: output.cursor }),
    skipped: output.skipped,
    outcome: output.outcome,
    attempts: output.attempts,
    warnings: [...output.warnings, ...unknownFields(asked, { ...known, ...OLD })],
    ...(output.cost === undefined ? {} : { cost: output.cost }),
  };
}
