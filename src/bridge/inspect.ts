import { convertTool, nameOf } from './convert.ts';
import type { SchemaFields } from './schema/place.ts';
import { checkServerName, checkTools } from './tool-names.ts';
import type { AgentTool, JsonSchema } from './tool.ts';
import { toolsIn, type ToolSource } from './toolset.ts';

/** What is served under one name, and what a model would stumble over. */
export interface InspectedTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  warnings: string[];
}

export interface Inspection {
  tools: InspectedTool[];
  /** Why the tools cannot be served as they are; one sentence each. */
  problems: string[];
}

/** What hosts show of a description before they cut it. */
const DESCRIPTION_CHARS_MAX = 1_024;

/** Converts every tool of a source without running any. A tool that cannot be served does not hide the others. */
export async function inspectTools(source: ToolSource, serverName: string): Promise<Inspection> {
  const problems: string[] = [];
  const attempt = async <Value>(work: () => Value | Promise<Value>): Promise<Value | undefined> => {
    try {
      return await work();
    } catch (thrown) {
      problems.push(thrown instanceof Error ? thrown.message : String(thrown));
      return undefined;
    }
  };
  const tools: AgentTool[] = [];
  const found = (await attempt(() => [...toolsIn(source)])) ?? [];
  for (const { tool, key } of found) {
    // Dependencies are given by the program that serves the tools, not by its check.
    const made = await attempt(() =>
      convertTool(tool, { toolContext: {}, ...(key !== undefined && { key }) }),
    );
    if (made === undefined) continue;
    tools.push(made);
    const needsContext = (tool as SchemaFields)['takesContext'] === true;
    if (needsContext)
      problems.push(
        `Tool '${String(nameOf(tool as SchemaFields, key))}' needs dependencies, which this command has not.`,
      );
  }
  await attempt(() => checkServerName(serverName));
  await attempt(() => checkTools(tools, serverName));
  if (found.length === 0 && problems.length === 0) problems.push('There are no tools.');
  return { tools: tools.map(inspected), problems };
}

const inspected = ({ name, description, inputSchema, outputSchema }: AgentTool): InspectedTool => ({
  name,
  description: description ?? '',
  inputSchema,
  ...(outputSchema === undefined ? {} : { outputSchema }),
  warnings: [...aboutDescription(description ?? ''), ...aboutSchema(inputSchema)],
});

function aboutDescription(text: string): string[] {
  if (text.trim() === '') return ['has no description: a model cannot tell when to use it.'];
  if (text.length <= DESCRIPTION_CHARS_MAX) return [];
  return [`has a description of ${text.length} characters; hosts cut it after ${DESCRIPTION_CHARS_MAX}.`];
}

function aboutSchema(schema: JsonSchema): string[] {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, unknown>);
  const isOpen = schema['additionalProperties'] !== false;
  if (properties.length === 0 && isOpen) return ['takes any arguments: its schema names none.'];
  return properties.flatMap(([name, property]) => {
    if (typeof property !== 'object' || property === null) return [`takes anything as ${name}.`];
    const { description, ...rest } = property as Record<string, unknown>;
    if (Object.keys(rest).length === 0) return [`takes anything as ${name}.`];
    return typeof description === 'string' ? [] : [`does not describe ${name}.`];
  });
}
