import type { Millionths } from '../../core/money.ts';
import { priceNote, reachOf, type Standing } from '../../routing/agent-reach.ts';
import { agentProblem } from '../../store/setting-problems.ts';
import type { AgentWebSettings, ServedTool } from '../../toolsets/compat/agent/agent.ts';
import type { GatewayContext } from './context.ts';

interface Account {
  id: string;
  tier: string;
  available: Millionths;
}

/** The current allowance of an account: its free calls, how many are used, and what follows. */
export async function standingOf(account: Account, { services, store }: GatewayContext): Promise<Standing> {
  const tiers: Record<string, { calls_free: number; beyond: 'block' | 'charge' }> = services.config.tiers;
  const tier = tiers[account.tier];
  return {
    callsFree: tier?.calls_free ?? 0,
    used: await store.reports.countedCalls(account.id, services.clock.now()),
    beyond: tier?.beyond ?? 'block',
    available: account.available,
  };
}

/**
 * The notes for an agent's tools in the calling workspace. The allowance is read only if a price makes it
 * relevant.
 */
export async function servedTools(
  agent: { id: string; settings: AgentWebSettings },
  workspace: string | undefined,
  gateway: GatewayContext,
): Promise<{ search: ServedTool; fetch: ServedTool }> {
  const { services, store } = gateway;
  const { searchWebProvider: search, fetchWebProvider: fetch } = agent.settings;
  const reach = {
    search: search === null ? { reached: [] } : reachOf('search', search, services),
    fetch: fetch === null ? { reached: [] } : reachOf('extract', fetch, services),
  };
  const isPriced = [...reach.search.reached, ...reach.fetch.reached].some(({ price }) => price > 0);
  const standing = isPriced && workspace !== undefined ? await standingIn(workspace, gateway) : undefined;
  const toolOf = (tool: 'search' | 'fetch', provider: string | null): ServedTool => {
    const problem = agentProblem(agent.id, tool, provider, store.rules) ?? reach[tool].problem;
    const note =
      problem === undefined
        ? priceNote(reach[tool].reached, standing)
        : ` Note: This tool cannot be used now. ${problem.explanation}`;
    return { note, problem };
  };
  return { search: toolOf('search', search), fetch: toolOf('fetch', fetch) };
}

async function standingIn(workspace: string, gateway: GatewayContext): Promise<Standing> {
  const { accounts } = gateway.store;
  const { subscription } = await accounts.workspace(workspace);
  return standingOf(await accounts.subscription(subscription), gateway);
}
