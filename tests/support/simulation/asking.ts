// Who asks in a history, and what.
import { LOCAL } from '../../../src/meter/tiers.ts';
import { extract } from '../../../src/operations/extract/extract.ts';
import type { Operation } from '../../../src/operations/operation.ts';
import { search } from '../../../src/operations/search/search.ts';
import { type CallRecord, PRICED } from './check.ts';
import { PRICES } from './gateway.ts';
import type { AccountPlan, CallStep, Reply } from './history.ts';

/** What a credit costs. */
export const CREDIT = PRICES[PRICED] ?? 0;

export const nameOf = ({ isLocal }: AccountPlan, index: number): string => (isLocal ? LOCAL : `sub${index}`);
export const tierOf = ({ isLocal }: AccountPlan, index: number): string => (isLocal ? LOCAL : `tier${index}`);

/** Whoever calls for a workspace, by one of its API keys or as its agent. */
export const callerOf = ({ account, workspace, who }: CallStep): CallRecord['caller'] => ({
  workspace: workspaceOf(account, workspace),
  key: who === 1 ? 'key-1' : 'key-0',
  ...(who === 2 ? { agent: 'agent' } : {}),
});

export const workspaceOf = (account: number, workspace: number): string => `ws${account}-${workspace}`;

export function inputOf({ operation, question, depth, chain, account }: CallStep) {
  const provider = chain === 'priced' ? 'tavily' : ['tavily', 'searxng'];
  const text = `question ${question} of account ${account}`;
  if (operation === 'extract')
    return {
      operation: extract as Operation,
      input: { urls: [`https://asked.example/${question}`], extract_depth: depth, provider: 'tavily' },
    };
  const strategy = chain === 'fastest' || chain === 'merge' ? chain : 'fallback';
  return {
    operation: search as Operation,
    input: { query: text, max_results: 1, search_depth: depth, provider, strategy },
  };
}

/** The provider's replies in their order; the last one is repeated. */
export function createReplies(step: CallStep): (provider: string) => Reply {
  let next = 0;
  return (provider) => {
    if (provider !== PRICED) return step.freeReply;
    const reply = step.replies[Math.min(next, step.replies.length - 1)] as Reply;
    next += 1;
    return reply;
  };
}
