import { tellingSecretsOf } from '../config/secrets.ts';
import { HeadgateError } from '../core/errors.ts';
import { hide } from '../core/log.ts';
import { named, own } from '../core/own-text.ts';
import { retryAfterMs } from '../core/retry-after.ts';
import type { ModelAnswer, ModelRequest } from '../models/model.ts';
import type { ReadyModel, RoutingServices } from './services.ts';

interface SendOptions {
  signal: AbortSignal;
  /** How often a busy model is retried. */
  retries: number;
  timeoutMs?: number;
}

/** Sends a request to a model, and retries while it is busy. A page may contain our own keys; the model gets none. */
export async function sendModel(
  { api, settings }: ReadyModel,
  given: ModelRequest,
  services: RoutingServices,
  { signal, retries, timeoutMs = services.config.model.timeout_ms }: SendOptions,
): Promise<ModelAnswer> {
  const request = { ...given, prompt: hide(given.prompt, tellingSecretsOf(services.config)) };
  for (let retry = 0; ; retry += 1) {
    const response = await services.upstream.send(api.request(request, settings), {
      signal,
      provider: api.title,
      timeoutMs,
    });
    if (response.status >= 200 && response.status < 300) {
      const answer = api.parse(response);
      if (answer !== undefined) return answer;
      throw new HeadgateError('upstream_bad_answer', own`${named(api.title)} returned no text.`);
    }
    const isPassing = response.status === 429 || response.status >= 500;
    if (!isPassing || retry >= retries) throw refused(api.title, response.status);
    const wait = retryAfterMs(response.headers, services.clock.now());
    await services.clock.sleep(wait ?? services.config.search.retry_base_ms * 2 ** retry, signal);
  }
}

function refused(title: string, status: number): HeadgateError {
  if (status === 401 || status === 403)
    return new HeadgateError('upstream_authentication', own`${named(title)} refused the key.`, {
      remediation: 'Check [model] api_key.',
    });
  if (status === 429)
    return new HeadgateError('upstream_rate_limit', own`${named(title)} is over its rate limit.`);
  return new HeadgateError('upstream_unavailable', own`${named(title)} answered with status ${status}.`);
}
