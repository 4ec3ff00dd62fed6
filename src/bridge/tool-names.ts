import { LIMITS } from '../core/limits.ts';
import { ToolValidationError } from './errors.ts';
import type { AgentTool } from './tool.ts';

const NAME = /^[a-zA-Z0-9_-]+$/;
const CHARACTERS = "may only have letters, digits, '_' and '-'. Rename it.";

/** The name under which a host such as Claude Code shows a tool to its model. */
export const qualifiedName = (server: string, tool: string): string => `mcp__${server}__${tool}`;

/**
 * Refuses tools that a client or a model API would refuse: invalid names, names that are too long with the
 * prefix `mcp__server__`, duplicate names, and schemas whose root is not an object.
 */
export function checkTools(tools: readonly AgentTool[], serverName?: string): void {
  if (tools.length > LIMITS.toolsPerServerMax) {
    throw new ToolValidationError(
      `A server may have at most ${LIMITS.toolsPerServerMax} tools, not ${tools.length}.`,
    );
  }
  const seen = new Set<string>();
  for (const tool of tools) {
    checkName(tool.name, serverName);
    if (seen.has(tool.name)) {
      throw new ToolValidationError(`Two tools are named '${tool.name}'. Rename one of them.`, {
        tool: tool.name,
      });
    }
    seen.add(tool.name);
    for (const field of ['inputSchema', 'outputSchema'] as const) checkRoot(tool, field);
    if (typeof tool.execute !== 'function') {
      throw new ToolValidationError(
        `Tool '${tool.name}' has no function registered. Each tool must have a callable function.`,
        { tool: tool.name },
      );
    }
  }
}

/** Refuses a name that is blank, too long, or has other characters than letters, digits, `_` and `-`. */
export function checkName(name: unknown, serverName?: string): asserts name is string {
  if (typeof name !== 'string' || name.trim() === '') {
    throw new ToolValidationError('Tool name cannot be empty. Each tool must have a non-empty name.');
  }
  if (!NAME.test(name)) {
    throw new ToolValidationError(`Tool name '${name}' ${CHARACTERS}`, { tool: name });
  }
  const whole = serverName === undefined ? name : qualifiedName(serverName, name);
  if (whole.length > LIMITS.toolNameCharsMax) {
    throw new ToolValidationError(
      `Tool name '${whole}' has ${whole.length} characters, more than ${LIMITS.toolNameCharsMax}. Shorten the tool's or the server's name.`,
      { tool: name },
    );
  }
}

/** The same for the name of a server, which hosts put before the names of its tools. */
export function checkServerName(name: string): void {
  if (name.trim() === '')
    throw new ToolValidationError('Server name cannot be empty. Give the server a name.');
  if (!NAME.test(name)) throw new ToolValidationError(`Server name '${name}' ${CHARACTERS}`);
}

function checkRoot(tool: AgentTool, field: 'inputSchema' | 'outputSchema'): void {
  const schema: unknown = tool[field];
  if (schema === undefined && field === 'outputSchema') return;
  if (typeof schema === 'object' && schema !== null && (schema as { type?: unknown }).type === 'object')
    return;
  throw new ToolValidationError(
    `The ${field} of tool '${tool.name}' must be a JSON Schema with type 'object' at its root.`,
    {
      tool: tool.name,
    },
  );
}
