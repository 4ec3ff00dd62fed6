export { discoverResult, initializeResult, listResult, type ServerIdentity } from './bridge/answers.ts';
export { callTool, type CallHooks, type ToolCall } from './bridge/call.ts';
export { ToolValidationError } from './bridge/errors.ts';
export { createToolServer, type ToolServerFactory, type ToolServerOptions } from './bridge/tool-server.ts';
export type {
  AgentTool,
  CallResult,
  ContentBlock,
  JsonObjectSchema,
  JsonSchema,
  ToolAnnotations,
  ToolContext,
} from './bridge/tool.ts';
