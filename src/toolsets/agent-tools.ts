import { HeadgateError } from '../core/errors.ts';
import { newRequestId } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { named, own } from '../core/own-text.ts';
import { bindTools, type BoundTool } from './bind.ts';
import { createToolEngine, type ToolDeps } from './engine.ts';
import { loadToolset } from './load-toolset.ts';

/**
 * The tools of a toolset, bound to an engine such as the one of `createHeadgate()`, for an agent in your own program. The names are
 * those of `--tools`.
 */
export async function agentTools(deps: ToolDeps, toolset = 'default'): Promise<BoundTool[]> {
  const load = Object.hasOwn(loadToolset, toolset) ? loadToolset[toolset] : undefined;
  if (load === undefined)
    throw new HeadgateError('invalid_request', own`There is no toolset "${named(toolset)}".`, {
      remediation: own`Use one of ${named(Object.keys(loadToolset).join(', '))}.`,
    });
  const engine = createToolEngine(deps);
  return bindTools((await load()).tools, engine, ({ signal }) => ({
    requestId: newRequestId(),
    caller: {},
    signal: signal ?? new AbortController().signal,
    deadline: engine.clock.now() + LIMITS.callTimeoutMs,
  }));
}
