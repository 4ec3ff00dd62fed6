import { HeadgateError } from '../../../src/core/errors.ts';
import type { HttpRequest, HttpResponse } from '../../../src/core/http.ts';
import { onAbort } from '../../../src/core/on-abort.ts';
import { named, own } from '../../../src/core/own-text.ts';
import { abortFailure, networkFailure } from '../../../src/net/failure.ts';
import type { Upstream } from '../../../src/net/upstream.ts';
import type { Reply } from './history.ts';
import type { Life, Time } from './time.ts';

/** How a request ended as far as the gateway could hear. `unsent` never reached the provider. */
export type Heard = 'lost' | 'answered' | 'void' | 'refused' | 'unsent';

/** One request as the provider counts it. */
export interface Request {
  id: number;
  call: number;
  provider: string;
  /** The booking that pays for it; undefined for providers without a price. */
  hold: string | undefined;
  heard: Heard;
  /** What the provider says that it used. */
  reported: unknown;
}

interface Road {
  time: Time;
  life: Life;
  /** Notes a request at the moment at which its first byte leaves. */
  sent(provider: string, timeoutMs: number): Request;
  /** The gateway ended a request before its provider did. */
  cut(request: Request): void;
  reply(provider: string): Reply;
}

/** The road to the providers as one call uses it. */
export const simulatedUpstream = ({ time, life, sent, cut, reply }: Road): Pick<Upstream, 'send'> => ({
  send: (request, { signal, provider, timeoutMs = 30_000 }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortFailure(signal));
      const { kind, delayMs, status, credits } = reply(provider);
      const record = sent(provider, timeoutMs);
      record.reported = credits;
      record.heard = kind === 'unreachable' ? 'unsent' : 'lost';
      const ends: (() => void)[] = [];
      const end = (): void => {
        for (const stop of ends) stop();
      };
      const fail = (error: Error): void => {
        end();
        reject(error);
      };
      ends.push(
        time.at(timeoutMs, life, () =>
          fail(
            new HeadgateError(
              'upstream_timeout',
              own`${named(provider)} did not answer within ${timeoutMs / 1_000} s.`,
              { provider },
            ),
          ),
        ),
      );
      ends.push(
        onAbort(signal, () => {
          cut(record);
          fail(abortFailure(signal));
        }),
      );
      if (kind === 'silence') return;
      ends.push(
        time.at(delayMs, life, () => {
          if (kind === 'unreachable') return fail(failureOf('ECONNREFUSED', provider));
          if (kind === 'reset') return fail(failureOf('ECONNRESET', provider));
          end();
          record.heard = HEARD[kind];
          // A fetch that brings nothing is an answer of a search.
          if (kind === 'nothing' && !request.url.endsWith('/extract')) record.heard = 'answered';
          resolve(responseOf(request, record, kind, status, credits));
        }),
      );
    }),
});

const HEARD = {
  answer: 'answered',
  odd: 'answered',
  nothing: 'void',
  refuse: 'refused',
  garbage: 'refused',
} as const;

const failureOf = (code: string, provider: string): HeadgateError =>
  networkFailure(Object.assign(new Error(code), { code }), named(provider), provider);

function responseOf(
  request: HttpRequest,
  { id }: Request,
  kind: keyof typeof HEARD,
  status: number,
  credits: unknown,
): HttpResponse {
  const headers = { 'content-type': 'application/json' };
  const whole = { status: 200, headers, url: request.url };
  if (kind === 'refuse') return { ...whole, status, body: '{"detail":{"error":"no"}}' };
  if (kind === 'garbage') return { ...whole, body: '{"results":' };
  const url = pageOf(id);
  const usage = { credits };
  if (request.url.endsWith('/extract')) {
    const { urls } = JSON.parse(request.body ?? '{}') as { urls: string[] };
    const results =
      kind === 'nothing'
        ? []
        : urls.map((asked) => ({ url: asked, title: url, raw_content: `A page. ${url}` }));
    const failed = kind === 'nothing' ? urls.map((asked) => ({ url: asked, error: 'no content' })) : [];
    return { ...whole, body: JSON.stringify({ results, failed_results: failed, usage }) };
  }
  const page = {
    url: kind === 'odd' ? `mailto:answer-${id}` : url,
    title: 'A page',
    content: 'A page.',
    score: 0.9,
  };
  const results = kind === 'nothing' ? [] : [page];
  return { ...whole, body: JSON.stringify({ query: '', results, answers: [], usage }) };
}

const pageOf = (id: number): string => `https://pages.example/answer-${id}`;

/** Which requests an answer was made of. */
export const requestsIn = (output: unknown): number[] => [
  ...new Set([...JSON.stringify(output).matchAll(/answer-(\d+)/g)].map((found) => Number(found[1]))),
];
