import type { Decision, Policy } from '../core/gate.ts';
import { decideIntent, type LevelRules } from './decide.ts';
import type { RuleSet } from './gate.ts';
import { MILLIBITS } from './leak.ts';
import { createKnownValues } from './known-values.ts';
import { scanInput, secretRulesOf } from './outgoing.ts';

/** What the rules say about an address or a query, without asking anybody. */
export interface Tried extends Decision {
  asked: 'address' | 'query';
  /** Who may get the query. */
  providers?: string[];
  /** What also applies to an address, and depends on what the caller has read before. */
  bounds?: Pick<Policy, 'leak_bits_per_domain' | 'leak_bits' | 'max_pages' | 'max_depth'>;
}

/** Tries an address, or else a query: then the providers that may get it are listed. */
export function tryPolicy(
  rules: RuleSet | undefined,
  text: string,
  providers: readonly string[],
  ownValues: readonly string[],
): Tried {
  const levels = rules?.levels ?? [];
  const isUrl = /^https?:\/\//i.test(text) && URL.canParse(text);
  const { decisions: found } = scanInput(
    { [isUrl ? 'url' : 'query']: text },
    rules?.secrets ?? secretRulesOf([]),
    createKnownValues(ownValues),
  );
  const tried = { ...triedRules(levels, text, providers), ...(isUrl ? boundsOf(rules) : {}) };
  const [secret] = found;
  const isWorse = tried.verdict === 'allow' && (secret?.verdict === 'deny' || tried.rule === undefined);
  return secret !== undefined && isWorse ? { ...tried, ...secret } : tried;
}

function boundsOf(rules: RuleSet | undefined): Pick<Tried, 'bounds'> {
  const enforced = (rules?.levels ?? []).filter(({ isReporting }) => !isReporting);
  const least = (name: 'pagesMax' | 'depthMax'): number =>
    Math.min(...enforced.flatMap((level) => level[name] ?? []));
  const leak = rules?.leak?.enforced;
  const bounds = {
    ...(leak === undefined
      ? {}
      : { leak_bits_per_domain: leak.perDomain / MILLIBITS, leak_bits: leak.total / MILLIBITS }),
    ...(least('pagesMax') === Infinity ? {} : { max_pages: least('pagesMax') }),
    ...(least('depthMax') === Infinity ? {} : { max_depth: least('depthMax') }),
  };
  return Object.keys(bounds).length === 0 ? {} : { bounds };
}

function triedRules(levels: readonly LevelRules[], text: string, providers: readonly string[]): Tried {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  if (url !== null) return { asked: 'address', ...decideIntent({ kind: 'fetch', url }, levels) };
  const decisions = providers.map((provider) => ({
    provider,
    ...decideIntent({ kind: 'provider', provider }, levels),
  }));
  const allowed = decisions.filter(({ verdict }) => verdict === 'allow').map(({ provider }) => provider);
  const operation = decideIntent({ kind: 'operation', operation: 'search' }, levels);
  const { provider: _, ...refused } = decisions.find(({ rule }) => rule !== undefined) ?? {
    provider: '',
    ...operation,
  };
  const isRefused = operation.verdict === 'deny' || (allowed.length === 0 && providers.length > 0);
  const why = operation.rule === undefined ? refused : operation;
  return { asked: 'query', ...why, verdict: isRefused ? 'deny' : 'allow', providers: allowed };
}
