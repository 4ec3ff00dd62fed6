import type { Ctx } from '../../routing/services.ts';
import { warned } from '../../core/own-text.ts';
import type { OwnText } from '../../core/text.ts';
import type { MapInput } from '../../contract/crawl.ts';
import { HeadgateError } from '../../core/errors.ts';
import { outcomeOf, type Attempt } from '../../core/outcome.ts';
import { chooseWalkers } from '../../routing/chain.ts';
import { builtinReader } from '../../providers/builtin.ts';
import type { ReadyProvider } from '../../routing/ready-provider.ts';
import type { Services } from '../services.ts';

/** What every crawler reports. */
interface Walk {
  attempts: Attempt[];
  warnings: OwnText[];
}

/**
 * Tries the crawlers in order until one succeeds. The built-in crawler takes over when a provider fails, with
 * a warning; an invalid request fails at once.
 */
export async function walkChain<Walked extends Walk>(
  capability: 'crawl' | 'map',
  input: MapInput,
  { call, services }: Ctx<Services>,
  walkWith: (ready: ReadyProvider) => Promise<Walked>,
): Promise<Walked> {
  // A cursor continues a crawl of the built-in crawler.
  const named = input.cursor === undefined ? input.provider : builtinReader.id;
  const chain = chooseWalkers(named, capability, services);
  const before: Walk = { attempts: [], warnings: [] };
  for (const [index, ready] of chain.entries()) {
    const started = services.clock.now();
    try {
      const walked = await walkWith(ready);
      return {
        ...walked,
        attempts: [...before.attempts, ...walked.attempts],
        warnings: [...before.warnings, ...walked.warnings],
      };
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      const ms = services.clock.now() - started;
      if (index === chain.length - 1 || isFinal(error) || call.signal.aborted) throw error;
      before.attempts.push(...attemptsOf(error, ready, ms));
      before.warnings.push(warned`${ready.provider.title} did not walk through the site: ${error.message}`);
    }
  }
  throw new HeadgateError('internal', 'No crawler was called.');
}

const FINAL = new Set([
  'invalid_request',
  'invalid_url',
  'blocked_host',
  'policy_denied',
  'deadline_exceeded',
]);

const isFinal = (error: HeadgateError): boolean =>
  error.type === 'internal' || error.type === 'cancelled' || FINAL.has(error.code);

const attemptsOf = (error: HeadgateError, { provider }: ReadyProvider, ms: number): Attempt[] =>
  (error.data['attempts'] as Attempt[] | undefined) ?? [
    { provider: provider.id, ms, outcome: outcomeOf(error), reason: error.message },
  ];
