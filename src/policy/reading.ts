import {
  HIDDEN_MODES,
  ROBOTS_MODES,
  SIGNALS_MODES,
  type Policy,
  type PolicyLevel,
  type ReadingRules,
  type Ruled,
} from '../core/gate.ts';

/** What applies to pages that are read: of every rule the strictest of all levels. Undefined when nothing is set. */
export function readingRulesOf(
  policies: readonly { level: PolicyLevel; policy: Policy }[],
): ReadingRules | undefined {
  const enforced = policies.filter(({ policy }) => policy.mode !== 'report');
  const strictest = <Mode extends string>(
    name: 'robots' | 'signals' | 'hidden',
    modes: readonly Mode[],
  ): Ruled<Mode> | undefined => {
    const set = enforced.flatMap(({ level, policy }) => {
      const given: string | undefined = policy[name];
      const value = modes.find((mode) => mode === given);
      // Whoever sets nothing leaves robots.txt as it is; only the operator can switch it off.
      const meant = value ?? (name === 'robots' && level === 'operator' ? modes[1] : undefined);
      return meant === undefined ? [] : [{ value: meant, level }];
    });
    return set.toSorted((a, b) => modes.indexOf(b.value) - modes.indexOf(a.value))[0];
  };
  const robots = strictest('robots', ROBOTS_MODES);
  const signals = strictest('signals', SIGNALS_MODES);
  const hidden = strictest('hidden', HIDDEN_MODES);
  const isUsual =
    (robots?.value ?? 'walk') === 'walk' &&
    signals?.value !== 'refuse' &&
    (hidden?.value ?? 'strip') === 'strip';
  if (isUsual) return undefined;
  return {
    ...(robots === undefined ? {} : { robots }),
    ...(signals === undefined ? {} : { signals }),
    ...(hidden === undefined ? {} : { hidden }),
  };
}
