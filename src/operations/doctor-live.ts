import { HeadgateError, type FailureCode } from '../core/errors.ts';
import { diagnosed } from '../core/own-text.ts';
import { plural } from '../core/text.ts';
import { askSearch, sendTo } from '../routing/ask.ts';
import type { ReadyProvider } from '../routing/ready-provider.ts';
import { spend } from '../routing/spend.ts';
import type { HealthState } from '../routing/provider-health.ts';
import { createCall } from './perform.ts';
import type { Services } from './services.ts';

const CHECK_MS = 15_000;
const SMALLEST = { text: 'headgate', resultsMax: 1 };

/** Whether a key is good, what is left on it, and what to do. */
interface KeyCheck {
  level: 'ok' | 'note' | 'problem';
  text: string;
  health: HealthState;
  /** The failure, if there was one. */
  code?: FailureCode;
  /** What is left on it, where the provider says so. */
  left?: number;
  unit?: string;
}

/** Checks each key of a provider by the cheapest call there is: what is left on it, or else one search, which is booked. */
export const checkKeys = (
  ready: ReadyProvider,
  services: Services,
  signal: AbortSignal,
): Promise<KeyCheck[]> =>
  Promise.all(ready.keys.map((key, index) => checkKey(ready, key, { number: index + 1, services, signal })));

/** Checks one key, which need not be in use. */
export async function checkKey(
  ready: ReadyProvider,
  key: string,
  { number, services, signal }: { number: number; services: Services; signal: AbortSignal },
): Promise<KeyCheck> {
  const { provider, settings } = ready;
  const { account, search, title } = provider;
  const candidate = { id: `${provider.id}#doctor${number}`, ready, key, label: `key ${number}` };
  const call = createCall(services, { signal, timeoutMs: CHECK_MS });
  const name = ready.keys.length === 1 ? diagnosed`the key` : diagnosed`key ${number}`;
  try {
    if (account !== undefined) {
      const response = await sendTo(candidate, account.request(settings, key), { call, services });
      const left = account.left(response);
      if (left === undefined) return { level: 'ok', text: diagnosed`${name} is accepted.`, health: 'ok' };
      const { unit } = account;
      if (left > 0)
        return {
          level: 'ok',
          text: diagnosed`${name} is accepted; ${left} ${unit} are left.`,
          health: 'ok',
          left,
          unit,
        };
      const text = diagnosed`${name} is accepted, but no ${unit} are left. Add some, or another key, or use another provider.`;
      return { level: 'problem', text, health: 'down', left, unit };
    }
    if (search === undefined)
      return {
        level: 'note',
        text: diagnosed`${name} was not checked, because it does not search.`,
        health: 'unknown',
      };
    const started = services.clock.now();
    const estimate = { category: 'search', credits: search.creditsMax?.(SMALLEST) ?? 1 } as const;
    const { credits = 0 } = await spend(candidate, estimate, { call, services }, (paid) =>
      askSearch(candidate, SMALLEST, { call: paid, services }),
    );
    const ms = services.clock.now() - started;
    const text =
      credits > 0
        ? diagnosed`${name} is accepted; a search took ${ms} ms and cost ${plural(credits, 'credit')}. ${title} does not say what is left.`
        : diagnosed`${name} is accepted; a search took ${ms} ms. ${title} does not say what is left.`;
    return { level: 'ok', text, health: 'ok' };
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    services.health.failed(provider.id, error);
    return { level: 'problem', text: `${name}: ${error.explanation}`, health: 'down', code: error.code };
  }
}
