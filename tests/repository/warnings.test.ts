import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { warningJa, WARNINGS_JA } from '../../src/toolsets/compat/tavily-ja/warnings.ts';

const src = join(import.meta.dirname, '../../src');

/** The templates of a tag in the whole source: `{0}` where a value stands. */
const templatesOf = (tag: string): string[] =>
  files.flatMap((text) =>
    text
      .split(new RegExp(`(?<!\`)\\b${tag}\``))
      .slice(1)
      .map(templateAt),
  );

/** The template that a text begins with, up to its closing backtick. */
function templateAt(text: string): string {
  let template = '';
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length && (depth > 0 || text[at] !== '`'); at += 1) {
    if (depth === 0 && text[at] === '\\') template += text[++at];
    else if (depth === 0 && text.startsWith('${', at)) template += `{${values++}}`;
    else if (text[at] === '{') depth += 1;
    else if (text[at] === '}') depth -= 1;
    else if (depth === 0) template += text[at];
  }
  return template;
}

/** What stands before a warning about a page, or behind it in the words of the page's own reader. */
const WRAPPER = '{0}: {1}';

const files = (readdirSync(src, { recursive: true }) as string[])
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(src, file), 'utf8'));
const templates = templatesOf('warned').filter((template) => template !== WRAPPER);

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

describe('what the gateway says of its setup and of reports', async () => {
  const module = join(src, 'gateway/console/static/said-ja.js');
  const { SAID_JA, translator } = (await import(module)) as {
    SAID_JA: Record<string, string>;
    translator(
      texts: Record<string, string>,
    ): (text: string) => { said: string; isWhole: boolean } | undefined;
  };
  const translate = translator(SAID_JA);

  test('every sentence has a Japanese text, and every Japanese text has words in the source', () => {
    const found = new Set(templatesOf('diagnosed'));
    expect(found.size).toBeGreaterThan(60);
    expect([...found].filter((template) => !(template in SAID_JA))).toEqual([]);
    const parts = (template: string) =>
      template.split(/\{\d\}|date: |figure: |name: /).map((part) => part.trim());
    const others = Object.keys(SAID_JA).filter((template) => !found.has(template));
    const isSaid = (template: string) =>
      files.some((text) => parts(template).every((part) => text.includes(part)));
    expect(others.filter((template) => !isSaid(template))).toEqual([]);
  });

  test('one sentence inside another is in Japanese too, and what has no Japanese is told apart', () => {
    expect(translate('set up with 2 keys; reads pages. Searching needs a key: set JINA_API_KEY.')).toEqual({
      said: '設定済みです（キー 2 個）。ページの読み取りに使えます。検索にはキーが必要です。JINA_API_KEY を設定してください。',
      isWhole: true,
    });
    expect(translate('key 2 is accepted; 850 credits are left.')?.said).toBe(
      'キー 2 は有効です。残りは 850 クレジットです。',
    );
    expect(translate('1 claim of the model had no place in a source and was removed.')).toEqual({
      said: 'モデルの記述のうち 1 件は情報源に根拠がないため、除外しました。',
      isWhole: true,
    });
    expect(translate('answers with problems: It sent nothing.')?.isWhole).toBe(false);
    expect(translate('DuckDuckGo asks for a captcha.')).toBeUndefined();
  });
});
