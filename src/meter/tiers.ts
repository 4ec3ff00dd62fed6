import type { Millionths } from '../core/money.ts';
import type { Tiers } from '../store/ledger/types.ts';

/** The default tiers (agent spec 4.2): ten free calls per rolling day, then refusal or charges. Starter is for trying out. */
export const DEFAULT_TIERS: Tiers = {
  free: { callsFree: 10, beyond: 'block', creditsMax: null },
  starter: { callsFree: 10, beyond: 'charge', creditsMax: 1_000 },
  pro: { callsFree: 10, beyond: 'charge', creditsMax: null },
};

/** The price of one credit per provider. A provider without a price is free and not counted. */
export type Prices = Record<string, Millionths>;

/** The limits that a user sets for the agents on this machine; `null` means no limit. */
export interface PersonalLimits {
  callsPerDay: number | null;
  creditsPerDay: number | null;
}

/** The subscription and the tier of personal limits. */
export const LOCAL = 'local';

/** The personal limits as a tier: nothing is charged; calls over the limit are refused. */
export const localTier = ({ callsPerDay, creditsPerDay }: PersonalLimits): Tiers => ({
  [LOCAL]: { callsFree: callsPerDay, beyond: 'block', creditsMax: creditsPerDay },
});
