import type { ToolCallOptions } from '../call.ts';
import { qualifiedName, checkServerName } from '../tool-names.ts';
import { createToolServer, type ToolServerFactory } from './tool-server.ts';
import type { AgentTool } from '../tool.ts';
import { extractToolsFromToolsets, type ToolSource } from '../toolset.ts';

export const DEFAULT_SERVER_NAME = 'agent_tools';
export const DEFAULT_SERVER_VERSION = '1.0.0';

/**
 * What a host connects to. Every connection gets its own server, so one value serves any number of queries at
 * once.
 */
export interface ToolServerInstance {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  /** For `serveStdio` and `serveHttp`. */
  readonly createServer: ToolServerFactory;
  readonly tools: readonly AgentTool[];
}

/**
 * A server for `query({ options: { mcpServers } })` of the Claude Agent SDK. It has exactly these fields,
 * because the SDK gives others a meaning (`tools` is a list of permissions there).
 */
export interface BridgeServer {
  type: 'sdk';
  name: string;
  // The SDK's type is a class with private members, to which only `any` can be assigned.
  // oxlint-disable-next-line typescript/no-explicit-any
  instance: any;
}

export interface ServerSettings extends ToolCallOptions {
  serverName: string;
  serverVersion: string;
  instructions?: string;
}

/**
 * Combines tools into one MCP server: for the Claude Agent SDK directly, for other hosts through `serveStdio`
 * or `serveHttp`.
 */
export async function convertToolsToMcpServer(
  tools: ToolSource,
  settings: ServerSettings & { toolContext?: unknown },
): Promise<BridgeServer> {
  const { toolContext } = settings;
  return serverOf(await extractToolsFromToolsets(tools, { toolContext }), settings);
}

/** The same for whole toolsets, with a default name and version. */
export async function createMcpServerFromTools(
  options: { name?: string; toolsets?: ToolSource; version?: string; toolContext?: unknown } & Omit<
    ServerSettings,
    'serverName' | 'serverVersion'
  > = {},
): Promise<BridgeServer> {
  const { name = DEFAULT_SERVER_NAME, version = DEFAULT_SERVER_VERSION, toolsets, ...rest } = options;
  return convertToolsToMcpServer(toolsets, { ...rest, serverName: name, serverVersion: version });
}

/** Creates a server from tools that are already converted. */
export function serverOf(tools: readonly AgentTool[], settings: ServerSettings): BridgeServer {
  const { serverName, serverVersion, ...rest } = settings;
  checkServerName(serverName);
  const createServer = createToolServer({ ...rest, name: serverName, version: serverVersion, tools });
  const open = new Set<ReturnType<ToolServerFactory>>();
  const instance: ToolServerInstance = {
    createServer,
    tools: Object.freeze([...tools]),
    async connect(transport) {
      const server = createServer();
      open.add(server);
      // The MCP SDK has handlers as fields, not events.
      // oxlint-disable-next-line unicorn/prefer-add-event-listener
      server.onclose = () => open.delete(server);
      await server.connect(transport as Parameters<typeof server.connect>[0]);
    },
    async close() {
      await Promise.all([...open].map((server) => server.close()));
    },
  };
  return { type: 'sdk', name: serverName, instance };
}

/** The instance behind a server. */
export const instanceOf = (server: BridgeServer): ToolServerInstance => server.instance as ToolServerInstance;

/** The names for `allowedTools`: `mcp__server__tool`. */
export const toolNamesOf = (server: BridgeServer): string[] =>
  instanceOf(server).tools.map((tool) => qualifiedName(server.name, tool.name));
