import { creditPrice, meteredName } from '../config/credit-price.ts';
import { HeadgateError } from '../core/errors.ts';
import { formatUsd, type Millionths } from '../core/money.ts';
import { plural } from '../core/text.ts';
import { builtinReader } from '../providers/builtin.ts';
import { providers } from '../providers/index.ts';
import { capabilitiesOf } from '../providers/provider.ts';
import type { RoutingServices } from './services.ts';
import { chooseChain, chooseReaders } from './chain.ts';

/** An agent's setting as the `provider` of a search: `headgate` stands for every provider that is set up. */
export const searchChoice = (provider: string): string => (provider === builtinReader.id ? 'auto' : provider);

/** An agent's setting as the `provider` of an extract: a provider that only searches leaves reading to the built-in reader. */
export const readChoice = (provider: string): string => (ONLY_SEARCH.has(provider) ? 'auto' : provider);

const ONLY_SEARCH = new Set(
  providers.filter((provider) => !capabilitiesOf(provider).includes('extract')).map(({ id }) => id),
);

/** A provider that a call may use, with the price of its credits. */
export interface Reached {
  title: string;
  price: Millionths;
}

/** The providers that a call of an agent's tool may use, or why there are none. */
export function reachOf(
  capability: 'search' | 'extract',
  provider: string,
  services: RoutingServices,
): { reached: Reached[]; problem?: HeadgateError } {
  try {
    const chain =
      capability === 'search'
        ? chooseChain(searchChoice(provider), services)
        : chooseReaders(readChoice(provider), services);
    const { config } = services;
    return {
      reached: chain.map(({ provider, keys }) => ({
        title: provider.title,
        price: creditPrice(meteredName(provider, keys.length > 0), config),
      })),
    };
  } catch (thrown) {
    if (thrown instanceof HeadgateError) return { reached: [], problem: thrown };
    throw thrown;
  }
}

/** The rest of an account's allowance. */
export interface Standing {
  callsFree: number;
  used: number;
  beyond: 'block' | 'charge';
  available: Millionths;
}

/** The price note at the end of a tool's description. */
export function priceNote(reach: Reached[], standing: Standing | undefined): string {
  const priced = reach.filter(({ price }) => price > 0);
  if (reach.length === 0) return '';
  if (priced.length === 0) return ' Note: This tool is free to use (no credits charged).';
  const costs = priced.map(({ title, price }) => `${title} costs ${formatUsd(price)} per credit`);
  const free = reach.filter(({ price }) => price === 0).map(({ title }) => `${title} is free`);
  return ` Note: ${[...costs, ...free].join('; ')}.${standing === undefined ? '' : standingText(standing)}`;
}

function standingText({ callsFree, used, beyond, available }: Standing): string {
  const left = Math.max(0, callsFree - used);
  const count = ` ${left} of ${plural(callsFree, 'free call')} left`;
  if (left > 0) return `${count}.`;
  return beyond === 'charge'
    ? `${count}; priced calls are charged, ${formatUsd(available)} is available.`
    : `${count}; priced calls are refused until a slot frees.`;
}
