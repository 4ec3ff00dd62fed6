import { createRequire } from 'node:module';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { ToolNotFoundError } from './errors.ts';
import { runnerOf } from './runner.ts';
import type { SchemaFields } from './schema/place.ts';
import type { ToolSource } from './toolset.ts';

type Module = Record<string, unknown>;

/**
 * Loads the tools that a module exports: under `exportName`, else `tools`, else its default export, else
 * every export that is a tool. A function is called for its tools.
 */
export async function loadTools(
  path: string,
  options: { cwd: string; exportName?: string },
): Promise<ToolSource> {
  const file = resolve(options.cwd, path);
  const module = await load(file, options.cwd);
  const source = choose(module, options.exportName, path);
  return isMaker(source) ? source() : source;
}

const TYPESCRIPT = new Set(['.ts', '.mts', '.cts', '.tsx']);

async function load(file: string, cwd: string): Promise<Module> {
  const url = pathToFileURL(file).href;
  const native = (process.features as { typescript?: unknown }).typescript;
  try {
    if (!TYPESCRIPT.has(extname(file)) || (native !== undefined && native !== false))
      return (await import(url)) as Module;
    const tsx = await loadTsx(cwd);
    return await tsx.tsImport(url, import.meta.url);
  } catch (cause) {
    if (cause instanceof HeadgateError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HeadgateError('invalid_config', own`Cannot load ${named(file)}: ${named(reason)}`, { cause });
  }
}

interface Tsx {
  tsImport(specifier: string, parent: string): Promise<Module>;
}

/**
 * Loads tsx from the project that has the tools, or from ours; this version of Node cannot read TypeScript.
 */
async function loadTsx(cwd: string): Promise<Tsx> {
  const places = [join(cwd, 'package.json'), import.meta.url];
  for (const place of places) {
    try {
      // `require` resolves to the CommonJS build, which cannot import; the other one is beside it.
      const file = createRequire(place)
        .resolve('tsx/esm/api')
        .replace(/\.cjs$/, '.mjs');
      return (await import(pathToFileURL(file).href)) as Tsx;
    } catch {
      // It is not installed there.
    }
  }
  throw new HeadgateError('invalid_config', 'Tools in TypeScript need the `tsx` package on this Node.', {
    remediation: 'Run `npm install --save-dev tsx`, or give a .js file.',
  });
}

function choose(module: Module, exportName: string | undefined, path: string): unknown {
  const names = Object.keys(module);
  if (exportName !== undefined) {
    if (!Object.hasOwn(module, exportName)) {
      throw new HeadgateError(
        'invalid_config',
        own`${named(path)} has no export '${named(exportName)}'. It has: ${named(names.join(', ') || 'none')}.`,
      );
    }
    return module[exportName];
  }
  const source = module['tools'] ?? unwrapDefault(module['default']);
  if (source !== undefined) return source;
  const tools = Object.entries(module).filter(([, each]) => isCallable(each));
  if (tools.length > 0) return Object.fromEntries(tools);
  throw new HeadgateError(
    'invalid_config',
    own`${named(path)} exports no tools. It has: ${named(names.join(', ') || 'no exports')}.`,
    {
      remediation: 'Export them as `tools`, or name the export with --export.',
    },
  );
}

/** An imported CommonJS module has its exports as its default. */
function unwrapDefault(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'tools' in value && !isCallable(value)
    ? value.tools
    : value;
}

const isCallable = (value: unknown): boolean =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  runnerOf(value as SchemaFields) !== undefined;

/** True for a function that creates tools, as opposed to a tool that is a function. */
const isMaker = (value: unknown): value is () => unknown => typeof value === 'function' && !isCallable(value);

/** Only the tools with these names. */
export function onlyTools<Tool extends { name: string }>(
  tools: readonly Tool[],
  names: readonly string[],
): Tool[] {
  const missing = names.filter((name) => tools.every((tool) => tool.name !== name));
  if (missing.length > 0)
    throw new ToolNotFoundError(
      missing,
      tools.map(({ name }) => name),
    );
  return tools.filter(({ name }) => names.includes(name));
}
