import { ended } from '../core/text.ts';
import { parse, TomlError } from 'smol-toml';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';

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
export function lineOf(text: string, path: readonly string[]): number | undefined {
  let table: string[] = [];
  let best: { depth: number; line: number } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const header = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?/.exec(line);
    if (header?.[1] !== undefined) table = splitKey(header[1]);
    const key =
      header === null
        ? /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/.exec(line)?.[1]
        : '';
    if (key === undefined) continue;
    const here = key === '' ? table : [...table, ...splitKey(key)];
    const depth = here.length;
    if (here.every((part, position) => part === path[position]) && depth > (best?.depth ?? 0))
      best = { depth, line: index + 1 };
  }
  return best?.line;
}

const splitKey = (key: string): string[] =>
  key.split('.').map((part) => part.trim().replace(/^["']|["']$/g, ''));
