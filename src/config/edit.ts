import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { keyParts, parseToml, writeToml } from './load.ts';
import { isSecret, settingAt } from './secrets.ts';

/**
 * Settings that may be changed away from the machine. They neither name files, programs or addresses, nor decide who may do what: whoever
 * may change those could read the machine or send keys elsewhere.
 */
const CHANGEABLE: readonly RegExp[] = [
  /^(?:log|search|crawl|cache|limits|scale|calls|tiers|research)\./,
  /^extract\.provider$/,
  /^library\.(?:index_project|keep|keep_days|keep_megabytes)$/,
  /^model\.(?:max_output_tokens|timeout_ms|input_price|output_price|sampling)$/,
  /^mcp\.structured$/,
  /^bridge\.(?:credits|limits|credit_price)$/,
  /^server\.(?:requests_per_minute|requests_window_seconds|client_timeout_ms|drain_seconds)$/,
  /^telemetry\.(?:service_name|sample_ratio)$/,
  /^providers\.\w+\.(?:enabled|pace_ms|credit_price)$/,
];

/** Whether a setting may be changed in the console. */
export const isChangeable = (key: string): boolean =>
  CHANGEABLE.some((one) => one.test(key)) && !isSecret(settingAt(key.split('.')));

/** What a setting can be, where that is a short list. */
export function choicesOf(key: string): string[] | undefined {
  const found = z.toJSONSchema(settingAt(key.split('.')) as z.ZodType, {
    io: 'output',
    unrepresentable: 'any',
  });
  return found.type === 'boolean' ? ['true', 'false'] : (found.enum?.map(String) ?? undefined);
}

/** Sets a key in the text of a configuration file, or removes it. Everything else stays as it is, comments too. */
export function editSetting(
  file: { name: string; text: string },
  key: string,
  given: string | null,
): { text: string; line: number } {
  const path = key.split('.');
  const before = parseToml(file.text, file.name);
  // What does not fit stays a text: the loader says what is wrong with it.
  const value = given === null ? undefined : ((settingAt(path) as z.ZodType).safeParse(given).data ?? given);
  const { text, at } = edited(file.text, path, value);
  if (!isOnlyThat(text))
    throw new HeadgateError(
      'conflict',
      own`${named(key)} is written in ${named(file.name)} in a way that cannot be changed here.`,
      { remediation: 'Change it in the file.' },
    );
  return { text, line: text.slice(0, at).split('\n').length };

  function isOnlyThat(changed: string): boolean {
    try {
      const after = parseToml(changed, file.name);
      return (
        isDeepStrictEqual(without(after, path), without(before, path)) &&
        JSON.stringify(valueAt(after, path)) === JSON.stringify(value)
      );
    } catch {
      return false;
    }
  }
}

const HEADER = /^\s*\[\s*([^[\]]+?)\s*\]\s*(?:#.*)?$/;
const ASSIGNMENT = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/;

function edited(text: string, path: string[], value: unknown): { text: string; at: number } {
  const line = value === undefined ? '' : writeToml({ [path.at(-1) ?? '']: value }).trim();
  const table = path.slice(0, -1).join('.');
  let here = '';
  /** Where a new line of the table goes: after the last that it has. */
  let room: number | undefined;
  for (let at = 0; at < text.length;) {
    const end = lineEnd(text, at);
    const row = text.slice(at, end);
    const header = HEADER.exec(row)?.[1];
    const found = header === undefined ? ASSIGNMENT.exec(row) : null;
    const ends = found === null ? end : valueEnd(text, at + found[0].length);
    if (header !== undefined) here = keyParts(header).join('.');
    else if (/^\s*\[/.test(row)) here = '?';
    const key = found?.[1] === undefined ? '' : [here, ...keyParts(found[1])].filter(Boolean).join('.');
    if (key === path.join('.')) {
      const next = value === undefined ? lineEnd(text, ends) + 1 : ends;
      const start = value === undefined ? at : at + (found?.[0].length ?? 0);
      const instead = value === undefined ? '' : ` ${line.slice(line.indexOf('=') + 1).trim()}`;
      return { text: `${text.slice(0, start)}${instead}${text.slice(next)}`, at };
    }
    at = lineEnd(text, ends) + 1;
    if (here === table && (header !== undefined || found !== null)) room = at;
  }
  if (value === undefined) return { text, at: 0 };
  if (room === undefined) {
    const start = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    const added = `${start}${start === '' ? '' : '\n'}[${table}]\n${line}\n`;
    return { text: added, at: added.length - line.length - 1 };
  }
  const start = room > text.length ? `${text}\n` : text.slice(0, room);
  return { text: `${start}${line}\n${text.slice(room)}`, at: start.length };
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** Where a value ends that may go over several lines. A comment after it does not belong to it. */
function valueEnd(text: string, start: number): number {
  const part = /"""[^]*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[{]|[\]}]|\n/g;
  part.lastIndex = start;
  let depth = 0;
  let end = text.length;
  for (let found = part.exec(text); found !== null; found = part.exec(text)) {
    const [token] = found;
    if ('[{'.includes(token)) depth += 1;
    else if (']}'.includes(token)) depth -= 1;
    else if (depth <= 0 && (token === '\n' || token.startsWith('#'))) {
      end = found.index;
      break;
    }
  }
  return start + text.slice(start, end).trimEnd().length;
}

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const valueAt = (tree: unknown, path: string[]): unknown =>
  path.reduce<unknown>((here, name) => (isTree(here) ? here[name] : undefined), tree);

/** The settings without one of them, and without tables in which nothing is. */
function without(tree: Tree, [name = '', ...rest]: string[]): Tree {
  const below = tree[name];
  const kept = rest.length > 0 && isTree(below) ? without(below, rest) : {};
  const entries = Object.entries(tree).filter(([key]) => key !== name);
  return Object.fromEntries([...entries, ...(Object.keys(kept).length === 0 ? [] : [[name, kept] as const])]);
}
