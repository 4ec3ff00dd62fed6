import { creditPrice, meteredName } from '../config/credit-price.ts';
import type { Millionths } from '../core/money.ts';
import type { ReadyProvider } from './ready-provider.ts';
import type { RoutingServices } from './services.ts';

/** The plan of a dry run: what a call would do, and its largest cost. */
export interface Plan {
  operation: string;
  /** The providers in order, with the most that each may charge. */
  steps: { provider: string; credits_max: number; cost_max: Millionths }[];
  /** The most that the whole call may cost: of several providers in a row only one is paid. */
  credits_max: number;
  cost_max: Millionths;
  /** True when the answer is cached: the call would cost nothing. */
  cached: boolean;
  credits_saved: number;
}

/** Computes the price of a chain whose providers have different maximum charges. */
export function priceChain(
  operation: string,
  chain: { ready: ReadyProvider; credits: number }[],
  options: { isAsked: 'one' | 'all'; cached: boolean },
  services: RoutingServices,
): Plan {
  const steps = chain.map(({ ready, credits }) => {
    const price = creditPrice(meteredName(ready.provider, ready.keys.length > 0), services.config);
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
