import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import type { Accounts } from './accounts.ts';
import type { Agents } from './agents.ts';
import type { SettingRules } from './rules.ts';

/**
 * Describes an agent whose provider does not exist, with the command that fixes it; undefined when all is
 * well.
 */
export function agentProblem(
  agent: string,
  tool: 'search' | 'fetch',
  provider: string | null,
  rules: SettingRules,
): HeadgateError | undefined {
  const reason = provider === null ? undefined : refusalOf(() => rules.agentProvider(tool, provider));
  if (reason === undefined) return undefined;
  return new HeadgateError(
    'conflict',
    own`Agent ${named(agent)} is set to the provider "${named(provider ?? '')}", which does not exist.`,
    {
      remediation: own`Run \`headgate agent set ${named(agent)} --${tool} PROVIDER\`.${reason.remediation === undefined ? '' : own` ${reason.remediation}`}`,
    },
  );
}

/**
 * Stored settings that are invalid today: written by an older version, or before the configuration changed.
 */
export async function settingProblems(
  { accounts, agents }: { accounts: Accounts; agents: Agents },
  rules: SettingRules,
): Promise<string[]> {
  const [subscriptions, workspaces, all] = await Promise.all([
    accounts.subscriptions(),
    accounts.workspaces(),
    agents.list(),
  ]);
  const tiers = subscriptions.flatMap(({ id, tier }) => {
    const reason = refusalOf(() => rules.tier(tier));
    if (reason === undefined) return [];
    return workspaces
      .filter((workspace) => workspace.subscription === id)
      .map(
        (workspace) =>
          `Workspace ${workspace.id} has the tier "${tier}", which does not exist. Run \`headgate workspace set ${workspace.id} --tier TIER\`. ${reason.remediation ?? ''}`,
      );
  });
  const providers = all.flatMap(({ id, settings }) =>
    [
      agentProblem(id, 'search', settings.searchWebProvider, rules),
      agentProblem(id, 'fetch', settings.fetchWebProvider, rules),
    ].flatMap((problem) => problem?.explanation ?? []),
  );
  return [...tiers, ...providers];
}

function refusalOf(check: () => string): HeadgateError | undefined {
  try {
    check();
    return undefined;
  } catch (thrown) {
    return HeadgateError.from(thrown);
  }
}
