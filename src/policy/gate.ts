import { createHash } from 'node:crypto';
import { HeadgateError } from '../core/errors.ts';
import type { Decision, Gate, Intent, Policy, PolicyLevel, ReadingRules, SecretRules } from '../core/gate.ts';
import { own } from '../core/own-text.ts';
import type { OwnText } from '../core/text.ts';
import { secretRulesOf } from './outgoing.ts';
import { decideIntent, rulesOf, type LevelRules } from './decide.ts';
import { readingRulesOf } from './reading.ts';
import { leakRulesOf, type LeakRules } from './leak.ts';

/** The policies that apply to a caller, one for each level that has any. */
export type LevelPolicies = readonly { level: PolicyLevel; policy: Policy }[];

/** Rules that are ready, and what they are called. */
export interface RuleSet {
  id: string;
  levels: readonly LevelRules[];
  /** Which addresses a caller may choose; absent for any. */
  leak?: LeakRules;
  secrets: SecretRules;
  reading?: ReadingRules;
}

/** Prepares policies; undefined when they restrict nothing. */
export function createRuleSet(policies: LevelPolicies): RuleSet | undefined {
  const levels = policies.flatMap(({ level, policy }) => rulesOf(level, policy) ?? []);
  const leak = leakRulesOf(policies);
  const reading = readingRulesOf(policies);
  if (levels.length === 0 && leak === undefined && reading === undefined) return undefined;
  const id = createHash('sha256').update(JSON.stringify(policies)).digest('base64url').slice(0, 12);
  return {
    id,
    levels,
    secrets: secretRulesOf(levels),
    ...(reading === undefined ? {} : { reading }),
    ...(leak === undefined ? {} : { leak }),
  };
}

/** Opens the gate for a call. Whatever a rule refuses or reports is told once for each rule and level. */
export function openGate(
  { id, levels, secrets, reading }: RuleSet,
  tell: (decision: Decision) => void,
): Gate {
  const told = new Set<string>();
  const ask = (intent: Intent): Decision => {
    const decision = decideIntent(intent, levels);
    const name = `${decision.level} ${decision.rule}`;
    if (decision.rule !== undefined && !told.has(name)) {
      told.add(name);
      tell(decision);
    }
    return decision;
  };
  return {
    id,
    check: (intent) => {
      const decision = ask(intent);
      if (decision.verdict === 'deny') throw policyRefusal(decision);
    },
    allows: (intent) => ask(intent).verdict === 'allow',
    secrets,
    ...(reading === undefined ? {} : { reading }),
  };
}

const WHOSE: Record<PolicyLevel, OwnText> = {
  operator: own`the operator`,
  workspace: own`the workspace`,
  agent: own`the agent`,
  call: own`the call`,
};

/** What a refusal is called in the call log: `agent.deny`. */
export const decisionName = ({ level, rule, isReported, isRedacted }: Decision): string =>
  `${level}.${rule}${isReported === true ? ' (reported)' : isRedacted === true ? ' (redacted)' : ''}`;

/** The failure of what the rules refuse. */
export function policyRefusal(decision: Decision): HeadgateError {
  const { level = 'operator', reason = '' } = decision;
  return new HeadgateError('policy_denied', own`Refused by the policy of ${WHOSE[level]}: ${reason}`, {
    remediation:
      level === 'call'
        ? own`Change the policy of the call.`
        : own`Only those who run this gateway can change that. Go on without it.`,
    data: { rule: decisionName(decision) },
  });
}
