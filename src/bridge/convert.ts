import { invalidArguments } from './call.ts';
import { createDepsContext, type DepsOptions } from './deps.ts';
import { MissingDepsError, ToolValidationError } from './errors.ts';
import { runnerOf, type Runner } from './runner.ts';
import { explainProblems, problemsOf } from './schema/check.ts';
import { schemaOf, type SchemaFields } from './schema/place.ts';
import { readOutputSchema, typeName, type ToolSchema } from './schema/source.ts';
import { issuePath } from './schema/standard.ts';
import { checkName } from './tool-names.ts';
import { isPlainObject, type AgentTool, type ToolContext } from './tool.ts';

export interface ConvertOptions {
  /** The name for a tool that has none: the key of the record it came from. */
  key?: string;
  /** Anything that the tools need; they run in this process. */
  toolContext?: unknown;
}

/**
 * Converts a tool of any known framework into an `AgentTool`. No framework is imported; the fields of the
 * tool decide.
 */
export async function convertTool(tool: unknown, options: ConvertOptions = {}): Promise<AgentTool> {
  const fields = fieldsOf(tool);
  const name = nameOf(fields, options.key);
  checkName(name);
  const runner = runnerOf(fields);
  if (runner === undefined) throw noFunction(fields, name);
  if (needsDeps(fields) && options.toolContext === undefined) throw new MissingDepsError([name]);
  const schema = await schemaOf(fields, name);
  const outputSchema = await readOutputSchema(fields['outputSchema'], { tool: name, path: 'outputSchema' });
  return {
    ...describe(fields, name),
    ...(outputSchema !== undefined && { outputSchema }),
    ...runWith(name, schema, runner, {
      toolContext: options.toolContext,
      validates: fields['validates'] === true,
    }),
  };
}

/**
 * Converts a tool that needs dependencies. The dependencies must be serialisable; use `toolContext` for
 * anything else. Experimental: may change.
 */
export async function convertToolWithDeps(
  tool: unknown,
  deps: unknown,
  options: { key?: string } & DepsOptions = {},
): Promise<AgentTool> {
  const context = createDepsContext(deps, options);
  return convertTool(tool, {
    ...(options.key !== undefined && { key: options.key }),
    toolContext: context.deps,
  });
}

/** True for a tool that sets `takesContext`: it cannot work without dependencies (bridge spec US2-3). */
export const needsDeps = (tool: SchemaFields): boolean => tool['takesContext'] === true;

function fieldsOf(tool: unknown): SchemaFields {
  if ((typeof tool === 'object' && tool !== null && !Array.isArray(tool)) || typeof tool === 'function') {
    return tool as SchemaFields;
  }
  throw new ToolValidationError(`Expected a tool, got ${typeName(tool)}.`);
}

/** The name of a tool, from the first field that has one. */
export function nameOf(tool: SchemaFields, key?: string): unknown {
  const action = tool['__action'];
  if (isRecord(action)) return action['name'];
  if (typeof tool['name'] === 'string' && typeof tool !== 'function') return tool['name'];
  for (const place of ['toolDef', 'toolSpec', 'metadata']) {
    const inner = tool[place];
    if (isRecord(inner) && typeof inner['name'] === 'string') return inner['name'];
  }
  return key ?? tool['id'];
}

const PLACES_OF_DESCRIPTION = ['__action', 'toolDef', 'toolSpec', 'metadata'];

function describe(
  tool: SchemaFields,
  name: string,
): Pick<AgentTool, 'name' | 'title' | 'description' | 'annotations' | '_meta' | 'outputCharsMax'> {
  const inner = PLACES_OF_DESCRIPTION.map((place) => tool[place]).filter(isRecord);
  const description = [tool, ...inner]
    .map((place) => place['description'])
    .find((text) => typeof text === 'string');
  const { title, annotations, mcp, _meta: meta, outputCharsMax } = tool;
  const hints = annotations ?? (isRecord(mcp) ? mcp['annotations'] : undefined);
  return {
    name,
    ...(typeof title === 'string' && { title }),
    description: description ?? '',
    ...(isPlainObject(hints) && { annotations: hints }),
    ...(isPlainObject(meta) && { _meta: meta }),
    ...(typeof outputCharsMax === 'number' && { outputCharsMax }),
  };
}

function runWith(
  name: string,
  schema: ToolSchema,
  runner: Runner,
  { toolContext, validates }: { toolContext: unknown; validates: boolean },
): Pick<AgentTool, 'inputSchema' | 'validates' | 'execute'> {
  const { json, validate } = schema;
  const withDeps = (context: ToolContext): ToolContext =>
    toolContext === undefined ? context : { ...context, deps: toolContext };
  if (runner.parses || validate === undefined) {
    return {
      inputSchema: json,
      ...(validates && { validates }),
      execute: (input, context) => runner.run(input, withDeps(context)),
    };
  }
  return {
    inputSchema: json,
    validates: true,
    execute: async (input, context) => {
      // The schema's own check decides, because it also converts and fills in defaults; ours only words the
      // problems better.
      const result = await validate(input);
      if (result.issues === undefined) {
        return runner.run(result.value as Record<string, unknown>, withDeps(context));
      }
      const problems = problemsOf(json, input);
      const issues = result.issues.map((issue) => ({ path: issuePath(issue), message: issue.message }));
      return invalidArguments(name, explainProblems(problems.length > 0 ? problems : issues));
    },
  };
}

const PROVIDER_TYPES = ['provider', 'provider-defined', 'hosted_tool'];

function noFunction(tool: SchemaFields, name: string): ToolValidationError {
  const type = tool['type'];
  const message = PROVIDER_TYPES.includes(String(type))
    ? `Tool '${name}' runs at its provider (type '${String(type)}'), so there is nothing to serve. Leave it out.`
    : `Tool '${name}' has no function registered. Each tool must have a callable function.`;
  return new ToolValidationError(message, { tool: name });
}

const isRecord = (value: unknown): value is SchemaFields => typeof value === 'object' && value !== null;
