import { creditPrice } from '../../config/credit-price.ts';
import { readChoice, reachOf } from '../../routing/agent-reach.ts';
import type { Agent } from '../../store/agents.ts';
import { builtinReader } from '../../providers/builtin.ts';
import { knownProviders, type KnownProvider } from '../../routing/known-providers.ts';
import { agent as every, agentToolset } from '../../toolsets/compat/agent/agent.ts';
import { toInputSchema } from '../../toolsets/input-schema.ts';
import { servedTools, standingOf } from '../door/standing.ts';
import type { GatewayContext } from '../door/context.ts';

const SECTIONS = [
  {
    tool: 'search_web',
    setting: 'searchWebProvider',
    capability: 'search',
    example: { query: 'latest news about AI', max_results: 5 },
  },
  {
    tool: 'fetch_url',
    setting: 'fetchWebProvider',
    capability: 'extract',
    example: { url: 'https://example.com/article' },
  },
] as const;

/** The data of the agent page: providers and prices for each tool, and the tools themselves. */
export async function agentHelp(agent: Agent, gateway: GatewayContext) {
  const { services, store } = gateway;
  const { subscription } = await store.accounts.workspace(agent.workspace);
  const account = await store.accounts.subscription(subscription);
  const known = knownProviders(services);
  const { callsFree, used, beyond } = await standingOf(account, gateway);
  const served = agentToolset(agent.settings, await servedTools(agent, agent.workspace, gateway)).tools;
  return {
    agent,
    account,
    callsFree,
    beyond,
    used,
    tools: SECTIONS.map(({ tool: name, setting, capability, example }) => {
      const chosen = shownChoice(capability, agent.settings[setting]);
      const tool = [...served, ...every.tools].find((one) => one.name === name);
      const choices = known
        .filter((provider) => provider.can.includes(capability))
        .map((provider) => choiceOf(provider, capability, gateway));
      const choice = choices.find((one) => one.id === chosen);
      return {
        name,
        setting,
        provider: chosen,
        state:
          chosen === null
            ? 'off'
            : choice === undefined
              ? 'unknown'
              : choice.missing === null
                ? 'on'
                : 'missing',
        missing: choice?.missing ?? null,
        price: choice?.price ?? 0,
        description: tool?.description ?? '',
        parameters: tool === undefined ? {} : toInputSchema(tool.input),
        example,
        choices,
      };
    }),
  };
}

/** A provider that cannot extract is shown as the built-in reader, which reads for it. */
const shownChoice = (capability: 'search' | 'extract', chosen: string | null): string | null =>
  capability === 'extract' && chosen !== null && readChoice(chosen) === 'auto' ? builtinReader.id : chosen;

function choiceOf(provider: KnownProvider, capability: 'search' | 'extract', { services }: GatewayContext) {
  const missing = provider.missing ?? (capability === 'search' ? provider.searchMissing : undefined);
  return {
    id: provider.id,
    title: provider.title,
    /** Millionths of a dollar for one credit. */
    price: creditPrice(provider.id, services.config),
    /** `headgate` means every provider that is set up, each with its price. */
    reach: provider.id === 'headgate' ? reachOf(capability, provider.id, services).reached : [],
    missing: missing ?? null,
  };
}
