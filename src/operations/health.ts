import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { askExtractOnce } from './extract/ask-extract.ts';
import { askSearch } from '../routing/ask.ts';
import { createCall } from './perform.ts';
import type { Services } from './services.ts';

const HEALTH_MS = 10_000;

/**
 * Makes one minimal call to a provider (research spec 8.3) and returns whether it answered. Never throws;
 * failures are logged. A priced provider charges its smallest call.
 */
export async function healthCheck(
  id: string,
  capability: 'search' | 'extract',
  services: Services,
): Promise<boolean> {
  const ready = services.providers.find((one) => one.provider.id === id);
  try {
    if (ready?.provider[capability] === undefined)
      throw new HeadgateError('not_configured', own`${named(id)} is not set up to ${named(capability)}.`);
    const candidate = { id: `${id}#health`, ready, key: ready.keys[0], label: undefined };
    const call = createCall(services, { timeoutMs: HEALTH_MS });
    if (capability === 'search')
      await askSearch(candidate, { text: 'test', resultsMax: 1 }, { call, services });
    else
      await askExtractOnce(candidate, { urls: ['https://example.com/'], format: 'text' }, { call, services });
    services.health.answered(id, 'ok');
    return true;
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    services.health.failed(id, error);
    services.log.warn('health_check_failed', {
      provider: id,
      capability,
      code: error.code,
      message: error.message,
    });
    return false;
  }
}
