import type { Clock } from '../core/clock.ts';
import type { Policy } from '../core/gate.ts';
import type { Services } from '../operations/services.ts';
import { createRuleSet, type LevelPolicies, type RuleSet } from '../policy/gate.ts';
import type { Policies } from '../store/policies.ts';
import { createKnown } from './known.ts';

/** The rules for a caller: those of the operator, of the workspace, of the agent and of the call. */
export function createRulesFor(
  operator: Policy,
  stored: Policies | undefined,
  clock: Clock,
): Services['rulesFor'] {
  const top: LevelPolicies = [{ level: 'operator', policy: operator }];
  const forEverybody = createRuleSet(top);
  const known = createKnown<LevelPolicies>(clock);

  const load = async (workspace: string, agent: string | undefined): Promise<LevelPolicies> => {
    const found = await stored?.of({ workspace, ...(agent === undefined ? {} : { agent }) });
    return (found ?? []).map(({ level, rules: policy }) => ({ level, policy }));
  };
  const policiesOf = (workspace: string, agent: string | undefined): Promise<LevelPolicies> =>
    known(`${workspace} ${agent ?? ''}`, () => load(workspace, agent));
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
