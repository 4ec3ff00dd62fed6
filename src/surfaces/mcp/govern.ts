import type { CallHooks, ToolCall } from '../../bridge/call.ts';
import type { Hold, Meter } from '../../meter/meter.ts';

/** The name under which bridged tools are priced and counted. */
export const BRIDGE_PROVIDER = 'bridge';

/**
 * Bridged tools under the same meter as everything else: credits are held before a tool runs, settled when it answers, and
 * given back when it fails or is cancelled. A refused call is told why, in the meter's words.
 */
export function createGovernor(options: {
  meter: Pick<Meter, 'hold' | 'settle' | 'release'>;
  workspace: string;
  /** What one call of a tool costs. */
  creditsOf(tool: string): number;
}): Required<CallHooks> {
  const holds = new WeakMap<ToolCall['context'], Hold>();
  return {
    beforeCall: async ({ tool, context }) => {
      const credits = options.creditsOf(tool.name);
      const hold = await options.meter.hold({
        workspace: options.workspace,
        category: 'fetch',
        provider: BRIDGE_PROVIDER,
        credits,
      });
      holds.set(context, hold);
    },
    afterCall: async ({ tool, context }, result) => {
      const hold = holds.get(context);
      if (hold === undefined) return;
      if (result === undefined || result.isError === true) await options.meter.release(hold);
      else await options.meter.settle(hold, options.creditsOf(tool.name));
    },
  };
}

/** Reads `search=2, fetch=1`; a tool that is not listed costs one credit. */
export function parseToolCredits(entries: readonly string[]): (tool: string) => number {
  const prices = new Map(
    entries.map((entry) => [entry.split('=')[0]?.trim() ?? '', Number(entry.split('=')[1])]),
  );
  return (tool) => prices.get(tool) ?? 1;
}
