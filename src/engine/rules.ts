import type { Clock } from '../core/clock.ts';
import type { Policy } from '../core/gate.ts';
import type { Services } from '../operations/services.ts';
import { createRuleSet, type LevelPolicies, type RuleSet } from '../policy/gate.ts';
import type { Policies } from '../store/policies.ts';

/** A change at one gateway applies at the others after this time. */
const KNOWN_MS = 1_000;
const KNOWN_MAX = 1_000;

/** The rules for a caller: those of the operator, of the workspace, of the agent and of the call. */
export function createRulesFor(
  operator: Policy,
  stored: Policies | undefined,
  clock: Clock,
): Services['rulesFor'] {
  const top: LevelPolicies = [{ level: 'operator', policy: operator }];
  const forEverybody = createRuleSet(top);
  const known = new Map<string, { until: number; policies: Promise<LevelPolicies> }>();

  const load = async (workspace: string, agent: string | undefined): Promise<LevelPolicies> => {
    const found = await stored?.of({ workspace, ...(agent === undefined ? {} : { agent }) });
    return (found ?? []).map(({ level, rules: policy }) => ({ level, policy }));
  };
  const policiesOf = (workspace: string, agent: string | undefined): Promise<LevelPolicies> => {
    const name = `${workspace} ${agent ?? ''}`;
    const now = clock.now();
    const before = known.get(name);
    if (before !== undefined && before.until > now) return before.policies;
    if (known.size >= KNOWN_MAX) known.clear();
    const policies = load(workspace, agent);
    known.set(name, { until: now + KNOWN_MS, policies });
    // What could not be read is asked for again with the next call; this one is refused.
    policies.catch(() => known.delete(name));
    return policies;
  };
  const sets = new WeakMap<LevelPolicies, RuleSet | undefined>();

  return async ({ workspace, agent, policy: ofCall = [] }) => {
    const below = workspace === undefined ? [] : await policiesOf(workspace, agent);
    if (below.length === 0 && ofCall.length === 0) return forEverybody;
    if (ofCall.length > 0)
      return createRuleSet([
        ...top,
        ...below,
        ...ofCall.map((policy) => ({ level: 'call' as const, policy })),
      ]);
    if (!sets.has(below)) sets.set(below, createRuleSet([...top, ...below]));
    return sets.get(below);
  };
}
