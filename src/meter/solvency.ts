import type { Clock } from '../core/clock.ts';
import { LIMITS } from '../core/limits.ts';
import type { Settlement } from './settlement.ts';

/** Which accounts had plenty a moment ago. */
export interface Solvency {
  /** What was left when a call was paid for. */
  note(hold: { workspace?: string | undefined; free: boolean }, settlement: Settlement): void;
  /** The account was refused something. */
  forget(workspace: string | undefined): void;
  /** Whether what was left is many times this amount. */
  covers(workspace: string | undefined, amount: number): boolean;
}

/**
 * Nothing is decided here: the store decides every hold. Who paid for its last call within this second and could pay for
 * a thousand more will hardly be refused the next one, so that its provider need not wait for the decision. A call within the free
 * allowance says nothing about the next.
 */
export function createSolvency(clock: Clock): Solvency {
  const known = new Map<string, { balance: number; until: number }>();
  return {
    note: ({ workspace, free }, { balance, state }) => {
      if (workspace === undefined) return;
      if (free || balance === undefined || state !== 'settled') {
        known.delete(workspace);
        return;
      }
      if (known.size >= LIMITS.clientsMax) known.clear();
      known.set(workspace, { balance, until: clock.now() + LIMITS.solventMs });
    },
    forget: (workspace) => void known.delete(workspace ?? ''),
    covers: (workspace, amount) => {
      const found = workspace === undefined ? undefined : known.get(workspace);
      if (found === undefined || amount <= 0 || clock.now() >= found.until) return false;
      return found.balance >= amount * LIMITS.solventCallsMin;
    },
  };
}
