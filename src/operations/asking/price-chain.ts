import { creditPrice } from '../../config/credit-price.ts';
import type { Millionths } from '../../core/money.ts';
import type { ReadyProvider } from './ready-provider.ts';
import type { Services } from '../services.ts';

/** What a call would do and cost at most, without doing it. */
export interface Plan {
  operation: string;
  /** Who would be asked, in order, with the most each may charge. */
  steps: { provider: string; credits_max: number; cost_max: Millionths }[];
  /** The most the whole call may cost: of several providers in a row only one is paid. */
  credits_max: number;
  cost_max: Millionths;
  /** The answer is in memory: the call would cost nothing, and this much is saved. */
  cached: boolean;
  credits_saved: number;
}

/** Prices a chain of which each provider may charge its own most. */
export function priceChain(
  operation: string,
  chain: { ready: ReadyProvider; credits: number }[],
  options: { isAsked: 'one' | 'all'; cached: boolean },
  services: Services,
): Plan {
  const steps = chain.map(({ ready, credits }) => {
    const price = creditPrice(ready.provider.id, services.config);
    return { provider: ready.provider.id, credits_max: price === 0 ? 0 : credits, cost_max: price * credits };
  });
  const most = (of: (step: Plan['steps'][number]) => number): number =>
    options.isAsked === 'all'
      ? steps.reduce((sum, step) => sum + of(step), 0)
      : Math.max(0, ...steps.map(of));
  const credits = most((step) => step.credits_max);
  const { cached } = options;
  return {
    operation,
    steps,
    credits_max: cached ? 0 : credits,
    cost_max: cached ? 0 : most((step) => step.cost_max),
    cached,
    credits_saved: cached ? credits : 0,
  };
}
