import type { Decision, Intent, Policy, PolicyLevel, SecretsMode } from '../core/gate.ts';
import { named, own } from '../core/own-text.ts';
import { type OwnText, plural } from '../core/text.ts';
import { createDomainSet, type DomainSet } from './domains.ts';

/** The operations that a policy can restrict. */
export const POLICY_OPERATIONS = ['search', 'extract', 'crawl', 'map', 'answer', 'research'] as const;

/** A policy, ready to be asked many times. */
export interface LevelRules {
  level: PolicyLevel;
  isReporting: boolean;
  allow: DomainSet | undefined;
  deny: DomainSet;
  operations: ReadonlySet<string> | undefined;
  providers: ReadonlySet<string> | undefined;
  pagesMax: number | undefined;
  depthMax: number | undefined;
  secrets: SecretsMode;
  canaries: readonly string[];
}

const some = (list: readonly string[] | undefined): readonly string[] | undefined =>
  list === undefined || list.length === 0 ? undefined : list;

/** Prepares the rules of a level; undefined when it has none. */
export function rulesOf(level: PolicyLevel, policy: Policy): LevelRules | undefined {
  const [allow, deny] = [some(policy.allow), some(policy.deny)];
  const [operations, providers] = [some(policy.operations), some(policy.providers)];
  const canaries = some(policy.canaries);
  const isReporting = policy.mode === 'report';
  const secrets = isReporting ? 'report' : (policy.secrets ?? 'report');
  const { max_pages: pagesMax, max_depth: depthMax } = policy;
  const set = [allow, deny, operations, providers, canaries, pagesMax, depthMax];
  if (secrets === 'report' && set.every((rule) => rule === undefined)) return undefined;
  return {
    level,
    isReporting,
    allow: allow === undefined ? undefined : createDomainSet(allow),
    deny: createDomainSet(deny ?? []),
    operations: operations === undefined ? undefined : new Set(operations.map(lower)),
    providers: providers === undefined ? undefined : new Set(providers.map(lower)),
    pagesMax,
    depthMax,
    secrets,
    canaries: canaries ?? [],
  };
}

const lower = (text: string): string => text.toLowerCase();

const ALLOWED: Decision = { verdict: 'allow' };

/**
 * What the rules say. Every level is asked and each can refuse, so that no level can widen what another one
 * allows. A refusal of the highest level is named; a level that only reports never hides one that enforces.
 */
export function decideIntent(intent: Intent, levels: readonly LevelRules[]): Decision {
  let reported: Decision | undefined;
  for (const rules of levels) {
    const refusal = refusalOf(intent, rules);
    if (refusal === undefined) continue;
    const { level, isReporting } = rules;
    if (!isReporting) return { verdict: 'deny', level, ...refusal };
    reported ??= { verdict: 'allow', level, ...refusal, isReported: true };
  }
  return reported ?? ALLOWED;
}

interface Refusal {
  rule: string;
  reason: OwnText;
}

function refusalOf(intent: Intent, rules: LevelRules): Refusal | undefined {
  if (intent.kind === 'operation') {
    if (rules.operations?.has(intent.operation) !== false) return undefined;
    return {
      rule: 'operations',
      reason: own`${named(intent.operation)} is not one of the allowed operations.`,
    };
  }
  if (intent.kind === 'provider') {
    if (rules.providers?.has(intent.provider) !== false) return undefined;
    return { rule: 'providers', reason: own`${named(intent.provider)} is not one of the allowed providers.` };
  }
  if (intent.kind === 'pages') {
    if (intent.count <= (rules.pagesMax ?? Infinity)) return undefined;
    return {
      rule: 'max_pages',
      reason: own`only ${plural(rules.pagesMax ?? 0, 'page')} may be read in 24 hours.`,
    };
  }
  if (intent.kind === 'links') {
    if (intent.depth <= (rules.depthMax ?? Infinity)) return undefined;
    return {
      rule: 'max_depth',
      reason: own`this leads ${plural(intent.depth, 'link')} away, and only ${rules.depthMax ?? 0} may be followed.`,
    };
  }
  const denied = rules.deny.match(intent.url);
  if (denied !== undefined) return { rule: 'deny', reason: own`"${named(denied)}" is denied.` };
  // Who gets events is not what an agent reads; only what is denied is denied to them, too.
  if (intent.kind === 'webhook' || rules.allow === undefined) return undefined;
  if (rules.allow.match(intent.url) !== undefined) return undefined;
  return { rule: 'allow', reason: own`this address is not on one of the allowed domains.` };
}
