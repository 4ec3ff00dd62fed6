import { creditPrice } from '../../config/credit-price.ts';
import { readChoice, reachOf } from '../../operations/asking/agent-reach.ts';
import type { Agent } from '../../store/agents.ts';
import { ownReader } from '../../operations/asking/own-reader.ts';
import { knownProviders, type KnownProvider } from '../../operations/asking/known-providers.ts';
import { agent as every, agentToolset } from '../../tools/agent.ts';
import { toInputSchema } from '../../tools/input-schema.ts';
import { servedTools, standingOf } from '../http/standing.ts';
import type { HttpWorld } from '../http/world.ts';

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

/** Everything the agent page shows: who could serve each tool at which price, and what each tool is. */
export async function agentHelp(agent: Agent, world: HttpWorld) {
  const { services, store } = world;
  const { subscription } = await store.accounts.workspace(agent.workspace);
  const account = await store.accounts.subscription(subscription);
  const known = knownProviders(services);
  const { callsFree, used, beyond } = await standingOf(account, world);
  const served = agentToolset(agent.settings, await servedTools(agent, agent.workspace, world)).tools;
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
        .map((provider) => choiceOf(provider, capability, world));
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

/** A provider that only searches leaves reading to the built-in reader, and is shown as that. */
const shownChoice = (capability: 'search' | 'extract', chosen: string | null): string | null =>
  capability === 'extract' && chosen !== null && readChoice(chosen) === 'auto' ? ownReader.id : chosen;

function choiceOf(provider: KnownProvider, capability: 'search' | 'extract', { services }: HttpWorld) {
  const missing = provider.missing ?? (capability === 'search' ? provider.searchMissing : undefined);
  return {
    id: provider.id,
    title: provider.title,
    /** Millionths of a dollar for one credit. */
    price: creditPrice(provider.id, services.config),
    /** Our own name stands for everybody who is set up to search: whoever may be asked, with what they cost. */
    reach: provider.id === 'headgate' ? reachOf(capability, provider.id, services).reached : [],
    missing: missing ?? null,
  };
}
