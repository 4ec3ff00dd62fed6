import type { CallHooks, ToolCall } from '../bridge/call.ts';
import { BRIDGE } from '../config/credit-price.ts';
import { textOfContent } from '../bridge/result.ts';
import type { CallNote } from '../core/call-row.ts';
import type { Caller } from '../core/call.ts';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { newRequestId } from '../core/ids.ts';
import { named, own } from '../core/own-text.ts';
import { plural } from '../core/text.ts';
import { WINDOW_MS, WINDOW_WORDS, windowStart } from '../core/window.ts';
import type { Hold, Meter } from '../meter/meter.ts';
import { createNote } from '../operations/noted.ts';
import type { Reports } from '../store/reports.ts';

export interface GovernorOptions {
  meter: Pick<Meter, 'hold' | 'settle' | 'release' | 'price' | 'calls'>;
  reports: Pick<Reports, 'usage'>;
  clock: Clock;
  /** The workspace charged for calls without a caller (stdio). */
  workspace?: string;
  /** The price of one call of a tool, in credits. */
  creditsOf(tool: string): number;
  /** The calls of a tool that a workspace may make in the window; undefined means no limit. */
  limitOf(tool: string): number | undefined;
}

/**
 * Meters bridged tools: credits are held before a tool runs, settled when it answers, and released when it
 * fails or is cancelled. A result that cannot be charged is not returned.
 */
export function createGovernor(options: GovernorOptions): Required<CallHooks> {
  const { meter } = options;
  const begun = new WeakMap<ToolCall['context'], { hold: Hold; note: CallNote | undefined }>();
  return {
    beforeCall: async ({ tool, input, context }) => {
      const { workspace = options.workspace, agent, key, person } = (context.auth ?? {}) as Caller;
      if (workspace === undefined) throw new HeadgateError('unauthenticated', 'A key is required.');
      // Each tool is counted separately, at the price of bridged tools.
      const provider = `${BRIDGE}/${tool.name}`;
      const credits = options.creditsOf(tool.name);
      const who = { workspace, agent, key, person };
      const note = await noteOf({ tool, input, context }, workspace, options);
      const asks = meter.price(provider, credits) > 0;
      try {
        const hold = await meter.hold({ ...who, category: 'fetch', provider, credits, asks, recorded: true });
        begun.set(context, { hold, note });
        await checkLimit(tool.name, { workspace, provider }, options);
      } catch (thrown) {
        const hold = begun.get(context)?.hold;
        begun.delete(context);
        if (hold !== undefined) await meter.release(hold);
        if (note !== undefined) meter.calls?.note(note.failedRow(thrown));
        throw thrown;
      }
    },
    afterCall: async ({ tool, context }, result) => {
      const { hold, note } = begun.get(context) ?? {};
      if (hold === undefined) return;
      const code = result === undefined ? 'cancelled' : 'upstream_invalid';
      const isFailed = result === undefined || result.isError === true;
      const row = note?.row({
        text: result === undefined ? '' : textOfContent(result.content),
        meta: { attempts: [], ...(isFailed ? { code } : {}) },
      });
      if (!isFailed) return void (await meter.settle(hold, options.creditsOf(tool.name), row));
      await meter.release(hold);
      if (row !== undefined) meter.calls?.note(row);
    },
  };
}

/** The row of a bridged call in the call log. */
async function noteOf(
  { tool: { name }, input, context: { auth } }: ToolCall,
  workspace: string,
  { meter: { calls }, clock }: GovernorOptions,
): Promise<CallNote | undefined> {
  if (calls === undefined) return undefined;
  const caller = { ...(auth as Caller | undefined), workspace };
  // Over stdio nobody shows a key.
  const surface = auth === undefined ? 'stdio' : 'mcp';
  const call = { requestId: newRequestId(), caller, surface } as const;
  return createNote({ name, input }, await calls.keeps(workspace), { call, clock });
}

/**
 * Checks after counting the call, so that concurrent calls, even in several processes, never exceed the limit
 * together. At the limit, some may be refused that would have fit.
 */
async function checkLimit(
  tool: string,
  counted: { workspace: string; provider: string },
  { reports, clock, limitOf }: GovernorOptions,
): Promise<void> {
  const limit = limitOf(tool);
  if (limit === undefined) return;
  const hours = await reports.usage({ ...counted, from: windowStart(clock.now()) }, ['hour']);
  const used = hours.reduce((sum, { calls }) => sum + calls, 0) - 1;
  if (used < limit) return;
  const oldest = hours.find(({ calls }) => calls > 0)?.group.hour;
  const freeAt = Number(oldest ?? 0) + WINDOW_MS;
  throw new HeadgateError(
    'limit_reached',
    own`The limit of ${plural(limit, 'call')} of ${named(tool)} (${named(WINDOW_WORDS)}) is reached.`,
    {
      remediation: own`The next call is possible at ${named(new Date(freeAt).toISOString())}.`,
      retryAfterMs: freeAt - clock.now(),
      data: { limit, used, resetAt: freeAt },
    },
  );
}

/** Reads `search=2, fetch=1`; undefined for a tool that is not listed. */
export function parseToolNumbers(
  name: string,
  entries: readonly string[],
): (tool: string) => number | undefined {
  const numbers = new Map(
    entries.map((entry) => {
      const [, tool, value] = /^\s*([^=\s]+)\s*=\s*(\d{1,9})\s*$/.exec(entry) ?? [];
      if (tool !== undefined) return [tool, Number(value)] as const;
      throw new HeadgateError(
        'invalid_config',
        own`[bridge] ${named(name)}: "${named(entry)}" is not of the form tool=number.`,
      );
    }),
  );
  return (tool) => numbers.get(tool);
}
