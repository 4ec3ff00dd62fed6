import { BRIDGE_FLAGS, inspectModule, runBridgeProcess, type BridgeEnvironment } from '../bridge/command.ts';
import type { InspectedTool } from '../bridge/inspect.ts';
import { switchFlag, type Flag } from '../core/command-line.ts';
import { HeadgateError } from '../core/errors.ts';
import { formatUsd } from '../core/money.ts';
import { plural } from '../core/text.ts';
import { ANY_WORKSPACE, createBridgeKeys } from '../gateway/door/bridge-keys.ts';
import { requestWindowOf } from '../gateway/door/rate-limit.ts';
import { createGovernor, parseToolNumbers } from '../mcp/govern.ts';
import { archivedRefusal } from '../store/lifecycle.ts';
import type { Command, CommandContext, OpenedStore } from './command.ts';

const check: Flag = switchFlag(
  'check',
  'Print names, schemas, prices and warnings instead of serving; exit status 1 when something is wrong.',
);

/** Serves your own tools over MCP. With `[bridge] workspace`, callers need keys and calls are metered. */
export const command: Command = {
  usage: 'MODULE [flags]',
  flags: [...BRIDGE_FLAGS, check],
  words: Number.POSITIVE_INFINITY,
  run: async (context) => {
    const { args, open } = context;
    const opened = await open({ accounts: true });
    const isCheck = args.isOn('check') === true;
    try {
      if (isCheck) return await checkTools(context, opened);
      await serveTools(context, opened);
      return 0;
    } finally {
      await opened.close();
      // A tool's own timers would keep the process alive after its client has gone.
      if (!isCheck) setTimeout(() => process.exit(), 100).unref();
    }
  },
};

async function serveTools({ args, signal }: CommandContext, opened: OpenedStore): Promise<void> {
  const { token } = opened.config.bridge;
  const governed = await governedBy(opened);
  await runBridgeProcess(args, {
    signal,
    logger: opened.services.log,
    ...governed,
    ...(token === undefined || governed.authenticate !== undefined ? {} : { token }),
  });
}

type Governed = Pick<BridgeEnvironment, 'authenticate' | 'beforeCall' | 'afterCall'>;

/** The keys, limits and prices when a workspace is configured; otherwise nothing. */
async function governedBy({ store, meter, services, config }: OpenedStore): Promise<Governed> {
  const { workspace, credits, limits } = config.bridge;
  if (workspace === undefined) return {};
  if (store === undefined || meter === undefined)
    throw new HeadgateError('internal', 'The meter was not opened.');
  // An unknown or archived workspace is reported at start-up, not to the first caller.
  const checkOwn = async (): Promise<void> => {
    if (workspace === ANY_WORKSPACE) return;
    if ((await store.accounts.workspace(workspace)).archived !== null) throw archivedRefusal('workspace');
  };
  await checkOwn();
  const { clock } = services;
  const creditsOf = parseToolNumbers('credits', credits);
  const governor = createGovernor({
    meter,
    reports: store.reports,
    clock,
    ...(workspace === ANY_WORKSPACE ? {} : { workspace }),
    creditsOf: (tool) => creditsOf(tool) ?? 1,
    limitOf: parseToolNumbers('limits', limits),
  });
  const requests = requestWindowOf(config.server);
  return {
    ...governor,
    beforeCall: async (call) => {
      // Over HTTP the key of the caller says so.
      if (call.context.auth === undefined) await checkOwn();
      await governor.beforeCall(call);
    },
    authenticate: createBridgeKeys({
      keys: store.keys,
      clock,
      shared: services.shared,
      requests,
      workspace,
    }),
  };
}

/** What the tools are, what they cost, and what is wrong with them or with the settings about them. */
async function checkTools(
  { args, printResult }: CommandContext,
  { config, services }: OpenedStore,
): Promise<number> {
  const { credits, limits, credit_price: price, workspace } = config.bridge;
  const { tools, problems } = await inspectModule(args, { logger: services.log });
  const [creditsOf, limitOf] = [parseToolNumbers('credits', credits), parseToolNumbers('limits', limits)];
  const names = new Set(tools.map(({ name }) => name));
  for (const [setting, entries] of Object.entries({ credits, limits }))
    for (const name of entries.map((entry) => entry.split('=')[0]?.trim() ?? ''))
      if (!names.has(name)) problems.push(`[bridge] ${setting} names ${name}, which is not served.`);
  const priced = tools.map((tool) => ({
    ...tool,
    ...(workspace === undefined
      ? {}
      : {
          credits: creditsOf(tool.name) ?? 1,
          price: (creditsOf(tool.name) ?? 1) * price,
          limit: limitOf(tool.name) ?? null,
        }),
  }));
  const report = { tools: priced, problems };
  printResult(report, () => rendered(report));
  return problems.length === 0 ? 0 : 1;
}

interface Priced extends InspectedTool {
  credits?: number;
  price?: number;
  limit?: number | null;
}

function rendered({ tools, problems }: { tools: Priced[]; problems: string[] }): string {
  const about = ({ credits, price = 0, limit }: Priced): string =>
    credits === undefined
      ? ''
      : `  ${plural(credits, 'credit')}, ${formatUsd(price)} a call${limit === null ? '' : `, at most ${limit} in a rolling day`}\n`;
  const each = tools.map(
    (tool) =>
      `${tool.name}\n${about(tool)}${tool.description === '' ? '' : `  ${tool.description}\n`}` +
      `  input  ${JSON.stringify(tool.inputSchema)}\n` +
      (tool.outputSchema === undefined ? '' : `  output ${JSON.stringify(tool.outputSchema)}\n`) +
      tool.warnings.map((warning) => `  ! ${warning}\n`).join(''),
  );
  const wrong = problems.map((problem) => `✗ ${problem}\n`).join('');
  const warnings = tools.reduce((sum, tool) => sum + tool.warnings.length, 0);
  const sum = `${plural(tools.length, 'tool')}, ${plural(problems.length, 'problem')}, ${plural(warnings, 'warning')}.\n`;
  return [...each, ...(wrong === '' ? [] : [wrong]), sum].join('\n');
}
