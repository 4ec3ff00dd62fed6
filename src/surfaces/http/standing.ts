import type { Millionths } from '../../core/money.ts';
import { priceNote, reachOf, type Standing } from '../../operations/asking/agent-reach.ts';
import type { AgentWebSettings, PriceNotes } from '../../tools/agent.ts';
import type { HttpWorld } from './world.ts';

interface Account {
  id: string;
  tier: string;
  available: Millionths;
}

/** Where an account stands now: its free calls, how many are used, and what follows them. */
export async function standingOf(account: Account, { services, store }: HttpWorld): Promise<Standing> {
  const tiers: Record<string, { calls_free: number; beyond: 'block' | 'charge' }> = services.config.tiers;
  const tier = tiers[account.tier];
  return {
    callsFree: tier?.calls_free ?? 0,
    used: await store.reports.countedCalls(account.id, services.clock.now()),
    beyond: tier?.beyond ?? 'block',
    available: account.available,
  };
}

/** What an agent's tools cost the workspace that calls them. The store is asked only where a price makes it matter. */
export async function priceNotesOf(
  settings: AgentWebSettings,
  workspace: string | undefined,
  world: HttpWorld,
): Promise<PriceNotes> {
  const { services, store } = world;
  const { searchWebProvider: search, fetchWebProvider: fetch } = settings;
  const reached = {
    search: search === null ? [] : reachOf('search', search, services),
    fetch: fetch === null ? [] : reachOf('extract', fetch, services),
  };
  const isPriced = [...reached.search, ...reached.fetch].some(({ price }) => price > 0);
  if (!isPriced || workspace === undefined)
    return { search: priceNote(reached.search, undefined), fetch: priceNote(reached.fetch, undefined) };
  const { subscription } = await store.accounts.workspace(workspace);
  const standing = await standingOf(await store.accounts.subscription(subscription), world);
  return { search: priceNote(reached.search, standing), fetch: priceNote(reached.fetch, standing) };
}
