import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { warningJa, WARNINGS_JA } from '../../src/toolsets/compat/tavily-ja/warnings.ts';

const src = join(import.meta.dirname, '../../src');

/** The templates of the warnings in a file: `{0}` where a value stands. */
function templatesOf(file: string): string[] {
  const [, ...rest] = readFileSync(join(src, file), 'utf8').split(/(?<!`)\bwarned`/);
  return rest.map(templateAt);
}

/** The template that a text begins with, up to its closing backtick. */
function templateAt(text: string): string {
  let template = '';
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length && (depth > 0 || text[at] !== '`'); at += 1) {
    if (depth === 0 && text.startsWith('${', at)) template += `{${values++}}`;
    else if (text[at] === '{') depth += 1;
    else if (text[at] === '}') depth -= 1;
    else if (depth === 0) template += text[at];
  }
  return template;
}

/** What stands before a warning about a page, or behind it in the words of the page's own reader. */
const WRAPPER = '{0}: {1}';

const templates = (readdirSync(src, { recursive: true }) as string[])
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .flatMap(templatesOf)
  .filter((template) => template !== WRAPPER);

describe('warnings', () => {
  test('every one has a Japanese text, and every Japanese text has its warning', () => {
    expect(templates.length).toBeGreaterThan(60);
    expect([...new Set(templates)].sort()).toEqual(Object.keys(WARNINGS_JA).sort());
  });

  test.each(Object.keys(WARNINGS_JA))('in Japanese: %s', (template) => {
    const text = template.replace(/\{(\d)\}/g, (_, at: string) => `x${Number(at) + 7}`);
    for (const warning of [text, `https://a.example/: ${text}`]) {
      const said = warningJa(warning) ?? '';
      expect(said).toMatch(/[ぁ-ん]/);
      expect(said).not.toMatch(/\{|[a-z]{2,} [a-z]+ [a-z]+/i);
    }
  });

  test('what is none of them has no text', () => {
    expect(warningJa('Something else happened.')).toBeUndefined();
  });
});
