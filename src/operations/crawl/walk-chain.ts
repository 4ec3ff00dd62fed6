import { warned } from '../../core/own-text.ts';
import type { OwnText } from '../../core/text.ts';
import type { MapInput } from '../../contract/crawl.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { outcomeOf, type Attempt } from '../../core/outcome.ts';
import { chooseWalkers } from '../asking/chain.ts';
import { readyOwnReader } from '../asking/own-reader.ts';
import type { ReadyProvider } from '../asking/ready-provider.ts';
import type { Services } from '../services.ts';

/** What every way through a site tells about itself. */
interface Walk {
  attempts: Attempt[];
  warnings: OwnText[];
}

/**
 * Asks one after the other to walk through a site, until somebody does. We stand in for a provider that fails, and say so; what
 * is wrong with the request itself is wrong for everybody.
 */
export async function walkChain<Walked extends Walk>(
  capability: 'crawl' | 'map',
  input: MapInput,
  call: Call,
  services: Services,
  walkWith: (ready: ReadyProvider) => Promise<Walked>,
): Promise<Walked> {
  // A cursor leads on in a walk of our own.
  const chain =
    input.cursor === undefined ? chooseWalkers(input.provider, capability, services) : [readyOwnReader];
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
  throw new HeadgateError('internal', 'Nobody was asked to walk.');
}

const FINAL = new Set(['invalid_request', 'invalid_url', 'blocked_host', 'deadline_exceeded']);

const isFinal = (error: HeadgateError): boolean =>
  error.type === 'internal' || error.type === 'cancelled' || FINAL.has(error.code);

const attemptsOf = (error: HeadgateError, { provider }: ReadyProvider, ms: number): Attempt[] =>
  (error.data['attempts'] as Attempt[] | undefined) ?? [
    { provider: provider.id, ms, outcome: outcomeOf(error), reason: error.message },
  ];
