import type { Decision } from '../core/gate.ts';
import { decideIntent } from './decide.ts';
import type { RuleSet } from './gate.ts';

/** What the rules say about an address or a query, without asking anybody. */
export interface Tried extends Decision {
  asked: 'address' | 'query';
  /** Who may get the query. */
  providers?: string[];
}

/** Tries an address, or else a query: then the providers that may get it are listed. */
export function tryPolicy(rules: RuleSet | undefined, text: string, providers: readonly string[]): Tried {
  const levels = rules?.levels ?? [];
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
