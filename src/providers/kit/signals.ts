import type { HeadgateError } from '../../core/errors.ts';
import type { HttpResponse } from '../../core/http.ts';
import type { Provider, Signal } from '../provider.ts';
import { failureOf } from './failure.ts';
import { numberAt, textAt } from './json-path.ts';
import { readAnyJson, readJsonIfAny } from './read-json.ts';

type Signalling = Pick<Provider, 'id' | 'title' | 'keyVariable' | 'signals'>;

/** Reads the words of an error out of a 2xx answer; undefined when it is none. */
export type ReadRefusal = (answer: unknown) => string | undefined;

/** Where providers put codes and messages of errors. */
const WORDS = [
  'error|errors.0|error.0|detail|message|userMessage|status_message|response.status',
  'error.message|error.0.message|error.error|detail.error|error.detail',
  'error.code|error.0.code|error.type|tag|code|errorCode|error_name',
  'message|error_message',
];

/** What an error body says: its codes and messages, on lines of their own. */
export const wordsIn = (body: unknown): string =>
  WORDS.flatMap((paths) => textAt(body, paths) ?? []).join('\n');

/** The signal that a response is: of its status and, where the signal has one, of its words. */
const signalOf = (signals: readonly Signal[] = [], status: number, words: string): Signal | undefined =>
  signals.find((signal) => signal.status === status && (signal.when?.test(words) ?? true));

/** Turns an error response into a failure by the provider's signals, or else by its status. */
export function failBySignals(provider: Signalling, response: HttpResponse, now?: number): HeadgateError {
  const body = readJsonIfAny(response.body);
  return failureFor(provider, response, wordsIn(body), body, now);
}

function failureFor(
  provider: Signalling,
  response: HttpResponse,
  words: string,
  body: unknown,
  now?: number,
): HeadgateError {
  const means = signalOf(provider.signals, response.status, words)?.means;
  const seconds = response.headers['retry-after'] === undefined ? numberAt(body, 'retryAfter') : undefined;
  return failureOf(provider, response, {
    code: means === 'empty' ? undefined : means,
    words,
    ...(seconds !== undefined && seconds >= 0 && { retryAfterMs: seconds * 1_000 }),
    now,
  });
}

/** The answer of a provider; undefined when it says that there is nothing. Every other error is thrown. */
export function answerIn(provider: Signalling, response: HttpResponse, refusal?: ReadRefusal): unknown {
  const isGood = response.status >= 200 && response.status < 300;
  const body = isGood ? readAnyJson(response, provider) : readJsonIfAny(response.body);
  const words = isGood ? refusal?.(body) : wordsIn(body);
  if (words === undefined) return body;
  if (signalOf(provider.signals, response.status, words)?.means === 'empty') return undefined;
  throw failureFor(provider, response, words, body);
}

/** The error statuses with which a provider says that there is nothing. */
export const emptyStatuses = (signals: readonly Signal[]): number[] =>
  signals.filter(({ means, status }) => means === 'empty' && status >= 300).map(({ status }) => status);
