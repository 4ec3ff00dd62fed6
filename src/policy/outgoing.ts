import { SECRETS_MODES, type Decision, type PolicyLevel, type SecretRules } from '../core/gate.ts';
import { named, own } from '../core/own-text.ts';
import type { LevelRules } from './decide.ts';
import { createKnownValues, type KnownValues } from './known-values.ts';
import { findSecrets, readings, readText, withoutSecrets } from './secrets.ts';

/** The strictest mode of all levels, named after the highest that sets it. */
export function secretRulesOf(levels: readonly LevelRules[]): SecretRules {
  let strictest: Pick<SecretRules, 'mode' | 'level'> = { mode: 'report', level: 'operator' };
  for (const { secrets: mode, level } of levels)
    if (SECRETS_MODES.indexOf(mode) > SECRETS_MODES.indexOf(strictest.mode)) strictest = { mode, level };
  const canaries = levels.flatMap(({ level, canaries: texts }) => texts.map((text) => ({ text, level })));
  if (canaries.length === 0) return { ...strictest, canaryIn: () => undefined };
  const known = createKnownValues(canaries.map(({ text }) => text));
  return { ...strictest, canaryIn: (texts) => canaries[known.find(texts) ?? -1]?.level };
}

/** What was found in the texts of a call, and what leaves instead. */
interface ScannedInput<Input> {
  input: Input;
  decisions: Decision[];
  /** The parts of the input that look like secrets; the whole text where that cannot be said. */
  secrets: string[];
}

const LEAVES_MAX = 2_000;

/** Looks for secrets in every text of an input. What must not leave is refused by one of the decisions. */
export function scanInput<Input>(
  input: Input,
  rules: SecretRules,
  ownValues: KnownValues,
): ScannedInput<Input> {
  const found: ScannedInput<Input> = { input, decisions: [], secrets: [] };
  let leaves = 0;
  const look = (text: string, field: string): string => {
    if (text.length < CHARS_MIN || (leaves += 1) > LEAVES_MAX) return text;
    const read = readText(text);
    const texts = readings(read);
    if (ownValues.find(texts) !== undefined) return refuse(text, { level: 'operator', ...OWN_VALUE });
    const level = rules.canaryIn(texts);
    if (level !== undefined) return refuse(text, { level, ...CANARY });
    const secrets = findSecrets(read);
    if (secrets.length === 0) return text;
    found.secrets.push(...secrets.map(({ from, to }) => text.slice(from, to)));
    const decision = decided(secrets[0]?.kind ?? '', rules, isAddress(text, field));
    found.decisions.push(decision);
    return decision.isRedacted === true ? withoutSecrets(text, secrets) : text;
  };
  const refuse = (text: string, decision: Omit<Decision, 'verdict'>): string => {
    found.secrets.push(text);
    found.decisions.push({ verdict: 'deny', ...decision });
    return text;
  };
  const walk = (value: unknown, field: string): unknown => {
    if (typeof value === 'string') return look(value, field);
    if (Array.isArray(value)) return value.map((one) => walk(one, field));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one, name)]));
  };
  const rest = walk(input, '') as Input;
  return found.decisions.some(({ isRedacted }) => isRedacted) ? { ...found, input: rest } : found;
}

const CHARS_MIN = 8;

const OWN_VALUE = {
  rule: 'own_values',
  reason: own`the call contains a secret of this gateway's configuration.`,
};
const CANARY = { rule: 'canaries', reason: own`the call contains a text that must not leave.` };

/** An address without its secret is another address, so it is refused where a query would be redacted. */
function decided(kind: string, { mode, level }: SecretRules, isAddress: boolean): Decision {
  const reason = own`the call contains what looks like a secret (${named(kind)}).`;
  const decision: { level: PolicyLevel; rule: string; reason: typeof reason } = {
    level,
    rule: 'secrets',
    reason,
  };
  if (mode === 'report') return { verdict: 'allow', ...decision, isReported: true };
  if (mode === 'redact' && !isAddress) return { verdict: 'allow', ...decision, isRedacted: true };
  return { verdict: 'deny', ...decision };
}

const isAddress = (text: string, field: string): boolean =>
  field === 'url' || field === 'urls' || /^\s*[a-z][a-z0-9+.-]*:\/\/\S+\s*$/i.test(text);
