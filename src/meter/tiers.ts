import type { Millionths } from '../core/money.ts';
import type { Tiers } from '../store/ledger/types.ts';

/** The default tiers (agent spec 4.2): ten free calls in a rolling day, then the free tier waits and the others pay. */
export const DEFAULT_TIERS: Tiers = {
  free: { callsFree: 10, beyond: 'block', creditsMax: null },
  starter: { callsFree: 10, beyond: 'charge', creditsMax: null },
  pro: { callsFree: 10, beyond: 'charge', creditsMax: null },
};

/** What one credit of a provider costs. A provider without a price is free and is not counted. */
export type Prices = Record<string, Millionths>;

/** The limits a person sets for the agents on this machine; `null` means without limit. */
export interface PersonalLimits {
  callsPerDay: number | null;
  creditsPerDay: number | null;
}

/** The subscription and the tier that personal limits are counted on. */
export const LOCAL = 'local';

/** The personal limits as a tier: nothing is charged, and what is beyond the limit waits. */
export const localTier = ({ callsPerDay, creditsPerDay }: PersonalLimits): Tiers => ({
  [LOCAL]: { callsFree: callsPerDay, beyond: 'block', creditsMax: creditsPerDay },
});
