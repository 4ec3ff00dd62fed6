/** The credits and tokens of a session. The unused part of a reservation is returned when a step settles. */
export interface Budget {
  /** Reserves up to `wanted` credits for a step; `allowed` is its limit, undefined without one. */
  take(wanted: number): { allowed: number | undefined; settle(used: number): void };
  useTokens(count: number): void;
  /** Whether about this many more tokens may be used. */
  hasTokens(count: number): boolean;
  readonly credits: number;
  readonly tokens: number;
}

export function createBudget(limits: { creditsMax?: number; tokensMax?: number }): Budget {
  const { creditsMax, tokensMax } = limits;
  let used = 0;
  let taken = 0;
  let tokens = 0;
  return {
    take: (wanted) => {
      const left = creditsMax === undefined ? wanted : Math.max(0, creditsMax - used - taken);
      const share = Math.min(wanted, left);
      taken += share;
      return {
        allowed: creditsMax === undefined ? undefined : share,
        settle: (actual) => {
          taken -= share;
          used += actual;
        },
      };
    },
    useTokens: (count) => {
      tokens += count;
    },
    hasTokens: (count) => tokensMax === undefined || tokens + count <= tokensMax,
    get credits() {
      return used;
    },
    get tokens() {
      return tokens;
    },
  };
}
