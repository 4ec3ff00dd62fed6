import { convertTool, nameOf, needsDeps, type ConvertOptions } from './convert.ts';
import { MissingDepsError, ToolValidationError } from './errors.ts';
import { runnerOf } from './runner.ts';
import type { SchemaFields } from './schema/place.ts';
import { isPlainObject, type AgentTool } from './tool.ts';

/** A group of tools: `tools` may be a list, a record by name, or a map. */
export interface AgentToolset {
  tools: Iterable<unknown> | Record<string, unknown>;
}

/** Tools in any grouping that frameworks use: a tool, a toolset, a list, a record or a map of either. */
export type ToolSource = unknown;

/** All tools of a source, converted, in order. `null` and `undefined` are empty. */
export async function extractToolsFromToolsets(
  source: ToolSource,
  options: Omit<ConvertOptions, 'key'> = {},
): Promise<AgentTool[]> {
  const found = [...toolsIn(source)];
  if (options.toolContext === undefined) {
    const needing = found.filter(({ tool }) => isObject(tool) && needsDeps(tool));
    if (needing.length > 0)
      throw new MissingDepsError(needing.map(({ tool, key }) => String(nameOf(tool as SchemaFields, key))));
  }
  return Promise.all(
    found.map(({ tool, key }) => convertTool(tool, { ...options, ...(key !== undefined && { key }) })),
  );
}

interface Found {
  tool: unknown;
  key?: string;
}

const NESTING_MAX = 4;

/** Finds tools without converting them: whatever is callable is a tool, everything else must contain some. */
export function* toolsIn(source: ToolSource, key?: string, depth = 0): Generator<Found> {
  if (source === undefined || source === null) return;
  if (isObject(source) && isTool(source)) {
    yield { tool: source, ...(key !== undefined && { key }) };
    return;
  }
  const entries = depth > NESTING_MAX ? undefined : entriesOf(source, key !== undefined);
  if (entries === undefined) {
    // An object without tools is most likely an incomplete tool; converting it reports what is missing.
    yield { tool: source, ...(key !== undefined && { key }) };
    return;
  }
  for (const [name, each] of entries) {
    if (each === undefined || each === null) {
      throw new ToolValidationError(
        `The toolset has nothing at ${name ?? 'one of its places'}. Remove the entry.`,
      );
    }
    yield* toolsIn(each, name, depth + 1);
  }
}

/** The members of a group. A record within a record is not a group but an incomplete tool. */
function entriesOf(source: unknown, isMember: boolean): [string | undefined, unknown][] | undefined {
  if (source instanceof Map)
    return [...(source as Map<unknown, unknown>)].map(([name, each]) => [String(name), each]);
  if (isIterable(source)) return Array.from(source, (each) => [undefined, each]);
  if (!isObject(source)) return undefined;
  const inner = membersOf(source);
  if (inner !== undefined) return entriesOf(inner, false);
  if (isMember || !isPlainObject(source)) return undefined;
  const entries = Object.entries(source);
  return entries.every(([, each]) => isObject(each)) ? entries : undefined;
}

/** True for an object that is callable, or that has the name of a tool. */
function isTool(value: SchemaFields): boolean {
  return (
    runnerOf(value) !== undefined || (typeof value['name'] === 'string' && membersOf(value) === undefined)
  );
}

/** The members of a toolset, or of a server that the bridge made. */
function membersOf(value: SchemaFields): object | undefined {
  const holder = value['type'] === 'sdk' && isObject(value['instance']) ? value['instance'] : value;
  const { tools } = holder;
  return typeof tools === 'object' && tools !== null ? tools : undefined;
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;

const isObject = (value: unknown): value is SchemaFields =>
  (typeof value === 'object' && value !== null && !Array.isArray(value)) || typeof value === 'function';
