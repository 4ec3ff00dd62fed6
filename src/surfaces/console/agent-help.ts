import type { Agent } from '../../store/agents.ts';
import { DEFAULT_PRICES } from '../../meter/tiers.ts';
import { knownProviders, type KnownProvider } from '../../operations/asking/known-providers.ts';
import { agent as every, agentToolset } from '../../tools/agent.ts';
import { toInputSchema } from '../../tools/input-schema.ts';
import type { HttpWorld } from '../http/world.ts';

/** The last 24 hours count by whole UTC hours; see the meter. */
const DAY_MS = 24 * 3_600_000;

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
  const tier = (services.config.tiers as Record<string, { calls_free: number; beyond: string }>)[
    account.tier
  ];
  const known = knownProviders(services);
  const served = agentToolset(agent.settings).tools;
  return {
    agent,
    account,
    callsFree: tier?.calls_free ?? 0,
    beyond: tier?.beyond ?? 'block',
    used: await usedToday(subscription, world),
    tools: SECTIONS.map(({ tool: name, setting, capability, example }) => {
      const chosen = agent.settings[setting];
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

function choiceOf(provider: KnownProvider, capability: 'search' | 'extract', { services }: HttpWorld) {
  const sections = services.config.providers as Record<string, { credit_price?: number }>;
  const missing = provider.missing ?? (capability === 'search' ? provider.searchMissing : undefined);
  return {
    id: provider.id,
    title: provider.title,
    /** Our own name stands for whoever is set up when it searches; our own reader reads. */
    isAuto: provider.id === 'headgate' && capability === 'search',
    /** Millionths of a dollar for one credit. */
    price: sections[provider.id]?.credit_price ?? DEFAULT_PRICES[provider.id] ?? 0,
    missing: missing ?? null,
  };
}

/** Priced calls that count against the day's allowance. */
async function usedToday(subscription: string, { store, services }: HttpWorld): Promise<number> {
  const from = services.clock.now() - DAY_MS;
  const rows = await store.reports.usage({ subscription, from }, []);
  return rows.reduce((sum, row) => sum + row.counted, 0);
}
