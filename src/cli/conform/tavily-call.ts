import { z } from 'zod';
import { searchContract } from '../../contract/search.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Body } from '../../gateway/door/request-body.ts';
import { check, field, wrong, type Check } from './check.ts';
import type { Probe } from './probe.ts';

export const QUERY = 'history of tidal mills';

export const post = (id: string, path: string, body: object | string, rest: Partial<Probe> = {}): Probe => ({
  id,
  method: 'POST',
  path,
  body,
  ...rest,
});

/** What every answer has. */
export const common = (id: string): Check[] => [
  field(`${id}.response_time`, 'response_time', searchContract.output.shape.response_time.min(0)),
  field(`${id}.request_id`, 'request_id', searchContract.output.shape.request_id.min(1)),
];

export const credits = (id: string): Check => field(`${id}.usage`, 'usage.credits', z.number().min(0));

export const none = (id: string, path: string): Check =>
  field(id, path, z.array(z.unknown()).max(0), { expects: 'an empty list' });

export const atMost = (id: string, max: number): Check =>
  check(
    `${id}.count`,
    `results: 1 to ${max}`,
    'results',
    (list: unknown) => Array.isArray(list) && list.length > 0 && list.length <= max,
  );

type Decode = (body: Body) => unknown;

/** A call that is refused, with the message of the real service where that is known. */
export function refusal(id: string, path: string, body: object | string, decode?: Decode): Probe {
  const text = decode === undefined ? undefined : messageOf(decode, body as Body);
  return post(id, path, body, {
    // The real service refuses what its schema excludes with 422 and the list of its framework.
    status: text === undefined ? [400, 422] : [400],
    checks: [
      refusalBody(id),
      ...(text === undefined
        ? []
        : [check(`${id}.text`, `detail.error: ${text}`, 'detail.error', (value) => value === text)]),
    ],
  });
}

/** Clients take a top-level `error.code` for the limit of callers without a key. */
export const refusalBody = (id: string): Check => ({
  id: `${id}.body`,
  expects: '{"detail":{"error":"…"}}, or with 422 a list, and no "error" beside it',
  test: ({ json, status }) => {
    const { detail, error } = json as { detail?: { error?: unknown }; error?: unknown };
    const isRight = typeof detail?.error === 'string' || (status === 422 && Array.isArray(detail));
    return isRight && error === undefined ? undefined : wrong(json);
  },
});

function messageOf(decode: Decode, body: Body): string {
  try {
    decode(body);
  } catch (thrown) {
    return HeadgateError.from(thrown).message;
  }
  throw new HeadgateError('internal', 'A refusal of the conformance kit is none.');
}
