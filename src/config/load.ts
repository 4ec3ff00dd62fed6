import type { z } from 'zod';
import { HeadgateError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { named, own } from '../core/own-text.ts';
import { providers } from '../providers/index.ts';
import { configSchema, type Config } from './schema.ts';
import { isSecret, settingAt, shownValue, shapeOf } from './secrets.ts';
import { ended } from '../core/text.ts';
import { parse, stringify, TomlError } from 'smol-toml';

type Tree = { [name: string]: unknown };

/** Where each effective value came from. Defaults have no entry. */
export type Origins = Record<string, string>;

export interface Loaded {
  config: Config;
  origins: Origins;
  /** The configuration file, and what its settings would be with another text. */
  file?: { name: string; load(text: string): Loaded };
  /** What is invalid, when invalid values were left out. */
  problem?: HeadgateError;
}

/** Names that other programs and people already use, with the key each stands for. */
export const WELL_KNOWN: Record<string, string> = {
  ...Object.fromEntries(
    providers.flatMap(({ id, keyVariable, urlVariable }) => [
      ...(keyVariable === undefined ? [] : [[keyVariable, `providers.${id}.api_key`]]),
      ...(urlVariable === undefined ? [] : [[urlVariable, `providers.${id}.base_url`]]),
    ]),
  ),
  HTTP_PROXY: 'network.http_proxy',
  HTTPS_PROXY: 'network.https_proxy',
  NO_PROXY: 'network.no_proxy',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'telemetry.otlp_endpoint',
  OTEL_EXPORTER_OTLP_HEADERS: 'telemetry.otlp_headers',
  OTEL_SERVICE_NAME: 'telemetry.service_name',
};

/** Our environment variables that are not configuration keys. */
const OTHER = new Set(['HEADGATE_CONFIG', 'HEADGATE_HOME']);

/** Merges keys of the console, file, environment and flags (later ones win) and validates the result. */
export function loadConfig(sources: {
  keys?: { name: string; providers: Record<string, string[]> };
  file?: { name: string; text: string };
  env?: Record<string, string | undefined>;
  flags?: Record<string, unknown>;
  /** Leaves out invalid values and reports them as `problem`, for commands that explain the configuration. */
  lenient?: boolean;
}): Loaded {
  const tree: Tree = {};
  const origins: Origins = {};
  const { file, keys } = sources;
  for (const [id, list] of Object.entries(keys?.providers ?? {}))
    put(tree, origins, `providers.${id}.api_key`, list, keys?.name ?? '');
  if (file !== undefined) {
    merge(tree, parseToml(file.text, file.name), [], (path) => {
      const line = lineOf(file.text, path);
      origins[path.join('.')] = line === undefined ? file.name : `${file.name}:${line}`;
    });
  }
  for (const [name, key] of environment(sources.env ?? {}))
    put(tree, origins, key, sources.env?.[name], name);
  for (const [key, value] of Object.entries(sources.flags ?? {})) put(tree, origins, key, value, `--${key}`);

  adoptModelKey(tree, origins, sources.env ?? {});

  const parsed = configSchema.safeParse(tree);
  if (parsed.success) return { config: parsed.data, origins };
  const problem = invalid(parsed.error.issues, tree, origins, file);
  if (sources.lenient !== true) throw problem;
  for (const issue of parsed.error.issues) leaveOut(tree, issue);
  const rest = configSchema.safeParse(tree);
  return rest.success ? { config: rest.data, origins, problem } : { ...loadConfig({}), problem };
}

/** Removes an invalid value from the tree, so that its default applies. */
function leaveOut(tree: Tree, issue: z.core.$ZodIssue): void {
  const path = issue.path.map(String);
  const keys = issue.code === 'unrecognized_keys' ? issue.keys : path.splice(-1);
  const here = valueAt(tree, path);
  if (isTree(here)) for (const key of keys) delete here[key];
}

const MODEL_KEYS: Record<string, string> = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' };

/** Uses a model key from the environment only if a model is configured. */
function adoptModelKey(tree: Tree, origins: Origins, env: Record<string, string | undefined>): void {
  const model = isTree(tree['model']) ? tree['model'] : {};
  const variable = MODEL_KEYS[String(model['provider'])];
  if (variable === undefined || model['api_key'] !== undefined || (env[variable] ?? '').trim() === '') return;
  put(tree, origins, 'model.api_key', env[variable], variable);
}

function* environment(env: Record<string, string | undefined>): Generator<[string, string]> {
  for (const [name, key] of Object.entries(WELL_KNOWN)) {
    if ((env[name] ?? '').trim() !== '') yield [name, key];
    else if ((env[name.toLowerCase()] ?? '').trim() !== '' && name.endsWith('_PROXY'))
      yield [name.toLowerCase(), key];
  }
  for (const name of Object.keys(env)) {
    if (!name.startsWith('HEADGATE_') || name.startsWith('HEADGATE_TEST_') || OTHER.has(name)) continue;
    yield [name, name.slice('HEADGATE_'.length).toLowerCase().split('__').join('.')];
  }
}

function merge(tree: Tree, from: Tree, path: string[], seen: (path: string[]) => void): void {
  for (const [name, value] of Object.entries(from)) {
    const here = [...path, name];
    if (isTree(value)) {
      const below: Tree = isTree(tree[name]) ? tree[name] : {};
      tree[name] = below;
      merge(below, value, here, seen);
    } else {
      tree[name] = value;
      seen(here);
    }
  }
}

function put(tree: Tree, origins: Origins, key: string, value: unknown, origin: string): void {
  const path = key.split('.');
  let here = tree;
  for (const name of path.slice(0, -1)) {
    const below: Tree = isTree(here[name]) ? here[name] : {};
    here[name] = below;
    here = below;
  }
  here[path.at(-1) ?? key] = value;
  origins[key] = origin;
}

/** One line per problem: the place, the key, the value and the rule. */
function invalid(
  issues: readonly z.core.$ZodIssue[],
  tree: Tree,
  origins: Origins,
  file: { name: string; text: string } | undefined,
): HeadgateError {
  const lines = issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code !== 'unrecognized_keys') return [problem(path, rule(issue))];
    return issue.keys.map((key) => problem([...path, key], `unknown key${suggestion(path, key)}`));
  });
  return new HeadgateError(
    'invalid_config',
    own`The configuration has ${named(lines.length === 1 ? 'a mistake' : 'mistakes')}:\n${named(lines.join('\n'))}`,
    {
      remediation: '\n`headgate config` lists every key with its rule.',
    },
  );

  function problem(path: string[], text: string): string {
    const key = path.join('.');
    const line = file === undefined ? undefined : lineOf(file.text, path);
    const origin =
      origins[key] ?? (file !== undefined && line !== undefined ? `${file.name}:${line}` : undefined);
    const value = valueAt(tree, path);
    const shown = value === undefined || isTree(value) ? '' : ` = ${shownAt(path, value)}`;
    return `  ${origin === undefined ? '' : `${origin}: `}${key}${shown}: ${text}`;
  }
}

/** Words and small numbers, which no secret is. The environment has nothing but strings. */
const PLAIN = /^(?:\d{1,5}|true|false|yes|no|on|off)$/i;

/** Nobody knows whether the text of an unknown key is a secret, so it is not shown. */
function shownAt(path: string[], value: unknown): string {
  const setting = settingAt(path);
  const isHidden =
    setting === undefined ? typeof value === 'string' && !PLAIN.test(value) : isSecret(setting);
  return isHidden ? '[redacted]' : shownValue(setting, value);
}

function rule(issue: z.core.$ZodIssue): string {
  if (issue.message.endsWith('.')) return issue.message.slice(0, -1);
  switch (issue.code) {
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_type':
      return `must be a ${issue.expected === 'object' ? 'section' : issue.expected}`;
    default:
      return issue.message;
  }
}

/** Suggests the known key with the closest spelling, if one is close. */
function suggestion(path: string[], key: string): string {
  const known = keysAt(path);
  const best = nearest(key, known);
  if (best !== undefined) return `; did you mean ${[...path, best].join('.')}?`;
  return known.length === 0 ? '' : `; known here: ${known.join(', ')}`;
}

const keysAt = (path: string[]): string[] => Object.keys(shapeOf(settingAt(path)) ?? {});

function valueAt(tree: Tree, path: string[]): unknown {
  return path.reduce<unknown>((here, name) => (isTree(here) ? here[name] : undefined), tree);
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Writes TOML. */
export const writeToml = (value: object): string => stringify(value);

/** Parses TOML, or throws with the file and line. */
export function parseToml(text: string, file: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (thrown) {
    const line = thrown instanceof TomlError ? `:${thrown.line}` : '';
    const reason = thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : 'not TOML';
    throw new HeadgateError(
      'invalid_config',
      ended(own`${named(file)}${named(line)} is not valid TOML: ${named(reason)}`),
      { remediation: 'Correct that line.', cause: thrown },
    );
  }
}

/** The line on which a key is set. The parser reports no positions, so the text is searched. */
function lineOf(text: string, path: readonly string[]): number | undefined {
  let table: string[] = [];
  let best: { depth: number; line: number } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const header = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?/.exec(line);
    if (header?.[1] !== undefined) table = keyParts(header[1]);
    const key =
      header === null
        ? /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/.exec(line)?.[1]
        : '';
    if (key === undefined) continue;
    const here = key === '' ? table : [...table, ...keyParts(key)];
    const depth = here.length;
    if (here.every((part, position) => part === path[position]) && depth > (best?.depth ?? 0))
      best = { depth, line: index + 1 };
  }
  return best?.line;
}

/** The parts of a dotted key. */
export const keyParts = (key: string): string[] =>
  key.split('.').map((part) => part.trim().replace(/^["']|["']$/g, ''));
