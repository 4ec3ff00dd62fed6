import { silentLogger, type Logger } from '../core/log.ts';
import type { CallHooks } from './call.ts';
import { createDepsContext } from './deps.ts';
import { ToolNotFoundError, ToolsetNotRegisteredError } from './errors.ts';
import {
  DEFAULT_SERVER_NAME,
  DEFAULT_SERVER_VERSION,
  serverOf,
  toolNamesOf,
  type BridgeServer,
} from './mcp/mcp-server.ts';
import type { AgentTool } from './tool.ts';
import { extractToolsFromToolsets, type ToolSource } from './toolset.ts';

export interface ToolsetOptions {
  serverName?: string;
  serverVersion?: string;
  /** Serialisable dependencies; checked deeply, at once. */
  deps?: unknown;
  /** Anything that the tools need. */
  toolContext?: unknown;
}

/** The tools of one request. Created for each request and immutable. */
export interface ToolSelection {
  /** For `query({ options: { mcpServers } })`. */
  readonly mcpServers: Record<string, BridgeServer>;
  /** `mcp__server__tool` for each tool. */
  readonly toolNames: readonly string[];
  /**
   * The caller's own list with these tools added. `undefined` means no restriction, and stays `undefined`.
   */
  allowedTools: (current: readonly string[] | undefined) => string[] | undefined;
}

export interface ToolRegistry {
  /** Registers tools and replaces those registered before; `null` unregisters. */
  setAgentToolsets(toolsets: ToolSource, options?: ToolsetOptions): Promise<void>;
  /** The tools with these names, in this order. Without names: all. */
  processFunctionTools(names?: readonly string[]): ToolSelection;
  /** All registered tools, for requests without a filter. */
  getMcpServers(): Record<string, BridgeServer>;
}

interface Registered {
  serverName: string;
  serverVersion: string;
  tools: readonly AgentTool[];
}

/**
 * Holds the tools of an agent and gives each request its own servers, so that requests cannot affect each
 * other.
 */
export function createToolRegistry(options: CallHooks & { logger?: Logger } = {}): ToolRegistry {
  const logger = options.logger ?? silentLogger;
  let registered: Registered | undefined;
  let latest = 0;

  const select = (tools: readonly AgentTool[]): ToolSelection => {
    if (registered === undefined) return selectionOf({});
    const { serverName, serverVersion } = registered;
    return selectionOf({ [serverName]: serverOf(tools, { ...options, serverName, serverVersion }) });
  };

  return {
    async setAgentToolsets(toolsets, settings = {}) {
      latest += 1;
      const turn = latest;
      const next = await register(toolsets, settings);
      // A later call that finished first wins.
      if (turn !== latest) return;
      if (registered !== undefined && next !== undefined) {
        const message = `Overwriting existing MCP server '${registered.serverName}'. Previous toolsets will be replaced.`;
        logger.warn('toolsets_replaced', { server: registered.serverName, message });
      }
      registered = next;
    },
    processFunctionTools(names) {
      if (names === undefined) return select(registered?.tools ?? []);
      if (names.length === 0) return selectionOf({});
      if (registered === undefined) throw new ToolsetNotRegisteredError(names);
      return select(pick(registered.tools, names));
    },
    getMcpServers: () => select(registered?.tools ?? []).mcpServers,
  };
}

async function register(toolsets: ToolSource, options: ToolsetOptions): Promise<Registered | undefined> {
  if (toolsets === undefined || toolsets === null) return undefined;
  const { serverName = DEFAULT_SERVER_NAME, serverVersion = DEFAULT_SERVER_VERSION, deps } = options;
  const toolContext = deps === undefined ? options.toolContext : createDepsContext(deps).deps;
  const tools = await extractToolsFromToolsets(toolsets, { toolContext });
  // Building a server checks names and duplicates now, not in the first request.
  serverOf(tools, { serverName, serverVersion });
  return { serverName, serverVersion, tools };
}

function pick(tools: readonly AgentTool[], names: readonly string[]): AgentTool[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const missing = names.filter((name) => !byName.has(name));
  if (missing.length > 0) throw new ToolNotFoundError(missing, [...byName.keys()]);
  return [...new Set(names)].flatMap((name) => byName.get(name) ?? []);
}

function selectionOf(mcpServers: Record<string, BridgeServer>): ToolSelection {
  const toolNames = Object.values(mcpServers).flatMap(toolNamesOf);
  return Object.freeze({
    mcpServers,
    toolNames,
    allowedTools: (current: readonly string[] | undefined) =>
      current === undefined ? undefined : [...new Set([...current, ...toolNames])],
  });
}
