// The public API of `headgate/bridge`: tools of any TypeScript framework as MCP servers.
export { discoverResult, initializeResult, listResult, type ServerIdentity } from './bridge/mcp/answers.ts';
export {
  callTool,
  type CallHooks,
  type ToolCallOptions as CallOptions,
  type ToolCall,
} from './bridge/call.ts';
export {
  BRIDGE_FLAGS,
  runBridgeCommand,
  runBridgeProcess,
  type BridgeEnvironment as BridgeWorld,
} from './bridge/command.ts';
export { convertTool, convertToolWithDeps, type ConvertOptions } from './bridge/convert.ts';
export {
  createDepsContext,
  deserializeDeps,
  serializeDeps,
  type DepsContext,
  type DepsOptions,
} from './bridge/deps.ts';
export type { DepsSchema } from './bridge/deps-schema.ts';
export {
  MissingDepsError,
  ToolNotFoundError,
  ToolsetNotRegisteredError,
  ToolValidationError,
  TypeHintResolutionError,
  UnsupportedDepsTypeError,
} from './bridge/errors.ts';
export { createExchanges, type Exchanges } from './bridge/mcp/exchanges.ts';
export type { HttpGuardOptions, RequestFacts } from './bridge/mcp/http-guard.ts';
export { createHttpHandler, type HttpHandler, type HttpHandlerOptions } from './bridge/mcp/http-handler.ts';
export {
  convertToolsToMcpServer,
  createMcpServerFromTools,
  toolNamesOf,
  type BridgeServer,
  type ServerSettings,
  type ToolServerInstance,
} from './bridge/mcp/mcp-server.ts';
export {
  createToolRegistry,
  type ToolRegistry,
  type ToolSelection,
  type ToolsetOptions,
} from './bridge/registry.ts';
export { serveHttp, type ServeHttpOptions, type ServingHttp } from './bridge/mcp/serve-http.ts';
export { serveStdio, type ServingStdio, type StdioOptions } from './bridge/mcp/serve-stdio.ts';
export {
  createToolServer,
  type ToolServerFactory,
  type ToolServerOptions,
} from './bridge/mcp/tool-server.ts';
export type {
  AgentTool,
  CallResult,
  ContentBlock,
  JsonObjectSchema,
  JsonSchema,
  ToolAnnotations,
  ToolContext,
} from './bridge/tool.ts';
export type { SamplingAnswer, SamplingRequest } from './core/call.ts';
export { extractToolsFromToolsets, type AgentToolset, type ToolSource } from './bridge/toolset.ts';
