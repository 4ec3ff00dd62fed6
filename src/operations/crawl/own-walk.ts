import type { Ctx } from '../../routing/services.ts';
import type { OwnText } from '../../core/text.ts';
import { ended } from '../../core/text.ts';
import type { MapInput } from '../../contract/crawl.ts';
import type { Call } from '../../core/call.ts';
import type { ExtractCode } from '../../contract/extract.ts';
import { HeadgateError, type FailureCode } from '../../core/errors.ts';
import { own, warned } from '../../core/own-text.ts';
import type { Attempt, Outcome } from '../../core/outcome.ts';
import { builtinReader } from '../../providers/builtin.ts';
import { extractCodeOf } from '../extract/read.ts';
import type { Services } from '../services.ts';
import { callerOf } from '../extract/robots.ts';
import { walk, type Walked } from './walk.ts';

/** A crawl by the built-in crawler, with the fields of its report. */
export interface OwnWalk {
  walked: Walked;
  rest: {
    cursor?: string;
    skipped: Pick<Walked['skipped'][number], 'url' | 'reason'>[];
    credits: number;
    outcome: Outcome;
    attempts: Attempt[];
    warnings: OwnText[];
  };
}

/** Crawls from the start or from a cursor. Only a disconnected caller ends it without an answer. */
export async function walkOwn(input: MapInput, outer: Call, ctx: Ctx<Services>): Promise<OwnWalk> {
  const { services } = ctx;
  const started = services.clock.now();
  const owner = callerOf(outer);
  const earlier = input.cursor === undefined ? undefined : await services.crawls.take(owner, input.cursor);
  const walked = await walk(input, earlier, ctx);
  outer.signal.throwIfAborted();
  if (walked.visits.length === 0 && walked.skipped.length > 0 && earlier === undefined)
    throw nothingRead(walked);
  const hasMore = walked.state.queue.length > 0;
  const outcome: Outcome = walked.isCut || walked.skipped.length > 0 ? 'partial' : 'ok';
  const rest = {
    ...(hasMore ? { cursor: await services.crawls.keep(owner, walked.state) } : {}),
    skipped: walked.skipped.map(({ url, reason }) => ({ url, reason })),
    credits: 0,
    outcome,
    attempts: [{ provider: builtinReader.id, ms: services.clock.now() - started, outcome }],
    warnings: walked.isCut ? [warned`The time ran out; this is what was found by then.`] : [],
  };
  return { walked, rest };
}

function nothingRead(walked: Walked): HeadgateError {
  const [first] = walked.skipped;
  return new HeadgateError(
    first === undefined ? 'extract_failed' : codeOf(first),
    ended(own`The start page could not be read: ${first?.reason ?? 'nothing was found'}`),
    {
      remediation: 'Check the address, or start from another page of the site.',
    },
  );
}

/** The failure code of the start page, as if it had been read as a single page. */
function codeOf({ error }: Walked['skipped'][number]): FailureCode {
  if (error === undefined) return 'robots_denied';
  if (error.code !== 'page_status') return error.code;
  return PAGE_CODES[extractCodeOf(error)] ?? 'extract_failed';
}

const PAGE_CODES: Partial<Record<ExtractCode, FailureCode>> = {
  ACCESS_DENIED: 'upstream_blocked',
  RATE_LIMITED: 'upstream_rate_limit',
};
