import {
  HIDDEN_MODES,
  ROBOTS_MODES,
  SIGNALS_MODES,
  type Policy,
  type PolicyLevel,
  type ReadingRules,
  type Ruled,
} from '../core/gate.ts';

type Levels = readonly { level: PolicyLevel; policy: Policy }[];

/** What applies to pages that are read: of every rule the strictest of all levels. Undefined when nothing is set. */
export function readingRulesOf(policies: Levels): ReadingRules | undefined {
  const enforced = strictestOf(policies.filter(({ policy }) => policy.mode !== 'report'));
  const reported = strictestOf(policies.filter(({ policy }) => policy.mode === 'report'));
  if (isUsual(enforced) && isUsual(reported)) return undefined;
  return { ...enforced, ...(isUsual(reported) ? {} : { reported }) };
}

function strictestOf(policies: Levels): ReadingRules {
  const strictest = <Mode extends string>(
    name: 'robots' | 'signals' | 'hidden',
    modes: readonly Mode[],
  ): Ruled<Mode> | undefined => {
    const set = policies.flatMap(({ level, policy }) => {
      const value = modes.find((mode) => mode === policy[name]);
      // Whoever sets nothing leaves robots.txt as it is; only the operator can switch it off.
      const isForeign = value === 'off' && level !== 'operator';
      const meant = isForeign
        ? undefined
        : (value ?? (name === 'robots' && level === 'operator' ? modes[1] : undefined));
      return meant === undefined ? [] : [{ value: meant, level }];
    });
    return set.toSorted((a, b) => modes.indexOf(b.value) - modes.indexOf(a.value))[0];
  };
  const robots = strictest('robots', ROBOTS_MODES);
  const signals = strictest('signals', SIGNALS_MODES);
  const hidden = strictest('hidden', HIDDEN_MODES);
  return {
    ...(robots === undefined ? {} : { robots }),
    ...(signals === undefined ? {} : { signals }),
    ...(hidden === undefined ? {} : { hidden }),
  };
}

const isUsual = ({ robots, signals, hidden }: ReadingRules): boolean =>
  (robots?.value ?? 'walk') === 'walk' &&
  signals?.value !== 'refuse' &&
  (hidden?.value ?? 'strip') === 'strip';
