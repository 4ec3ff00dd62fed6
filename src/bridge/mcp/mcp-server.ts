import type { CallOptions } from '../call.ts';
import { qualifiedName, checkServerName } from '../tool-names.ts';
import { createToolServer, type ToolServerFactory } from './tool-server.ts';
import type { AgentTool } from '../tool.ts';
import { extractToolsFromToolsets, type ToolSource } from '../toolset.ts';

export const DEFAULT_SERVER_NAME = 'agent_tools';
export const DEFAULT_SERVER_VERSION = '1.0.0';

/**
 * What a host connects to. Every connection gets a server of its own, so one value serves any number of queries at once.
 */
export interface ToolServerInstance {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  /** For `serveStdio` and `serveHttp`. */
  readonly createServer: ToolServerFactory;
  readonly tools: readonly AgentTool[];
}

/**
 * A server as `query({ options: { mcpServers } })` of the Claude Agent SDK takes it. It has exactly these fields,
 * because the SDK gives others a meaning (`tools` there is a list of permissions).
 */
export interface BridgeServer {
  type: 'sdk';
  name: string;
  // The SDK's own type is a class with private members, to which nothing but `any` can be assigned.
  // oxlint-disable-next-line typescript/no-explicit-any
  instance: any;
}

export interface ServerSettings extends CallOptions {
  serverName: string;
  serverVersion: string;
  instructions?: string;
}

/** Tools as one MCP server: for the Claude Agent SDK as it is, for everybody else through `serveStdio` or `serveHttp`. */
export async function convertToolsToMcpServer(
  tools: ToolSource,
  settings: ServerSettings & { toolContext?: unknown },
): Promise<BridgeServer> {
  const { toolContext } = settings;
  return serverOf(await extractToolsFromToolsets(tools, { toolContext }), settings);
}

/** The same for whole toolsets, with a name and a version to fall back on. */
export async function createMcpServerFromTools(
  options: { name?: string; toolsets?: ToolSource; version?: string; toolContext?: unknown } & Omit<
    ServerSettings,
    'serverName' | 'serverVersion'
  > = {},
): Promise<BridgeServer> {
  const { name = DEFAULT_SERVER_NAME, version = DEFAULT_SERVER_VERSION, toolsets, ...rest } = options;
  return convertToolsToMcpServer(toolsets, { ...rest, serverName: name, serverVersion: version });
}

/** A server of tools that are converted already. */
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

/** What a server was made of. */
export const instanceOf = (server: BridgeServer): ToolServerInstance => server.instance as ToolServerInstance;

/** The names for `allowedTools`: `mcp__server__tool`. */
export const toolNamesOf = (server: BridgeServer): string[] =>
  instanceOf(server).tools.map((tool) => qualifiedName(server.name, tool.name));
