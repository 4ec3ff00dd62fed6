import { extractContract, type ExtractOutput, pageFacts } from '../../contract/extract.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { redact } from '../../core/log.ts';
import { readingTimeoutMs } from '../../operations/perform.ts';
import type { Body } from '../door/request-body.ts';
import { fieldsOf, seconds, unknownFields, USAGE_SCHEMA, usageOf, withScheme } from './wire.ts';
import type { Wire } from '../door/wire.ts';

/** `POST /extract`: the answer is 200 even when every page failed. */
export const extractWire: Wire = {
  name: 'extract',
  decode,
  encode,
  timeoutMs: ({ urls }, usualMs) => readingTimeoutMs(Array.isArray(urls) ? urls.length : 1, usualMs),
  adds: { usage: USAGE_SCHEMA },
};

function decode(body: Body): Body {
  const fields = fieldsOf(body);
  const urls = [fields['urls'] ?? []].flat().filter((url) => url !== '');
  if (urls.length === 0) throw new HeadgateError('invalid_request', 'No URLs provided.');
  if (urls.length > LIMITS.urlsPerCallMax) {
    throw new HeadgateError('invalid_request', `Max ${LIMITS.urlsPerCallMax} URLs are allowed.`);
  }
  if (!urls.every((url) => typeof url === 'string')) {
    throw new HeadgateError('invalid_request', 'urls must be a string or a list of strings.');
  }
  fields['urls'] = urls.map(withScheme);
  return fields;
}

const FACTS = pageFacts.keyof().options;

function encode(output: ExtractOutput, asked: Body): Body {
  return {
    results: output.results.map((hit) => ({
      url: hit.url,
      title: hit.title,
      raw_content: hit.raw_content,
      images: hit.images,
      ...(hit.favicon === undefined ? {} : { favicon: hit.favicon }),
      ...Object.fromEntries(FACTS.filter((name) => hit[name] !== undefined).map((name) => [name, hit[name]])),
      ...(hit.match === undefined ? {} : { match: hit.match }),
      ...(hit.usage === undefined ? {} : { usage: hit.usage }),
      ...(hit.removed_chars === undefined ? {} : { removed_chars: hit.removed_chars }),
      ...(hit.removed === undefined ? {} : { removed: hit.removed }),
      ...(hit.instructions === undefined ? {} : { instructions: hit.instructions }),
      outcome: hit.outcome,
      ...(hit.reason === undefined ? {} : { reason: hit.reason }),
      truncated: hit.truncated,
      ...(hit.cursor === undefined ? {} : { cursor: hit.cursor }),
      ...(hit.opening === undefined ? {} : { opening: hit.opening }),
      ...(hit.closing === undefined ? {} : { closing: hit.closing }),
      provider: hit.provider,
      trust: hit.trust,
    })),
    // Do not repeat a password from a failed address.
    failed_results: output.failed_results.map((failed) => ({ ...failed, url: redact(failed.url) })),
    response_time: seconds(output.response_time),
    ...usageOf(asked, output.credits),
    request_id: output.request_id,
    outcome: output.outcome,
    attempts: output.attempts,
    warnings: [...output.warnings, ...unknownFields(asked, extractContract.input.shape)],
    ...(output.cost === undefined ? {} : { cost: output.cost }),
  };
}
