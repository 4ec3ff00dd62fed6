import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FAILURES, HeadgateError, type FailureCode } from '../../src/core/errors.ts';
import { joinSentences } from '../../src/core/text.ts';
import { providers } from '../../src/providers/index.ts';

const SRC = resolve(import.meta.dirname, '../../src');

interface Literal {
  place: string;
  text: string;
}

/** A string or a template without another template in it. What goes on with `+` is left out. */
const LITERAL = "(?:own)?('(?:[^'\\\\\\n]|\\\\.)*'|`(?:[^`\\\\]|\\\\.)*`)(?!\\s*\\+)";
const MESSAGES = new RegExp(`new HeadgateError\\(\\s*(?:'[a-z_]+'|[\\w.]+),\\s*${LITERAL}`, 'g');
const REMEDIATIONS = new RegExp(`remediation:\\s*${LITERAL}`, 'g');

/** What the product says about its failures, read from its source. */
function literals(pattern: RegExp): Literal[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('sim/'))
    .flatMap((name) => {
      const source = readFileSync(join(SRC, name), 'utf8');
      return [...source.matchAll(pattern)].flatMap((match) => {
        const text = (match[1] ?? '').slice(1, -1);
        const isWhole = text.split('${').length === text.split('}').length;
        const line = source.slice(0, match.index).split('\n').length;
        return isWhole ? [{ place: `${name}:${line}`, text }] : [];
      });
    });
}

const isEnded = (text: string): boolean => /([.!?:…。][)\]"'”’`]*|\}|\\n|`)$/.test(text);
/** A sentence that was put in brings its own period. */
const isDoubled = (text: string): boolean =>
  /\$\{[^{}]*\b(reason|message|explanation)\b[^{}]*\}\./.test(text) || /[^.]\.\.([^.]|$)/.test(text);

/** Fixed by the APIs that they are part of. */
const WIRE = new Set([
  'Research task not found',
  'Research report not yet generated',
  "Research session '${named(id.slice(0, 40))}' not found",
  '[400] No starting url provided',
  'No query',
]);

describe('what the product says is made of sentences', () => {
  test.each([
    ['messages', MESSAGES, 250],
    ['remediations', REMEDIATIONS, 120],
  ] as const)('%s end, and do not end twice', (_name, pattern, atLeast) => {
    const found = literals(pattern);
    expect(found.length).toBeGreaterThan(atLeast);
    const wrong = found.filter(({ text }) => !WIRE.has(text) && (!isEnded(text) || isDoubled(text)));
    expect(wrong).toEqual([]);
  });

  const WORDS = ['Unauthorized', 'Unauthorized.', 'Why?', 'Unauthorized..', '', 'ends with a colon:'];

  test.each(
    providers
      .filter(({ builtIn }) => builtIn === undefined)
      .map((provider) => [provider.title, provider] as const),
  )('failures of %s are followed by what to do, after one mark', (_title, provider) => {
    for (const status of [400, 401, 403, 404, 408, 422, 429, 432, 500, 503]) {
      for (const words of WORDS) {
        const body = JSON.stringify({ detail: { error: words }, message: words, error: words });
        const headers = { 'content-type': 'application/json' };
        const error = provider.fail({ status, headers, body, url: 'https://api.example/' });
        const { explanation, remediation = '' } = error;
        expect(remediation).not.toBe('');
        const before = explanation.slice(0, -remediation.length);
        expect(explanation.endsWith(remediation)).toBe(true);
        expect(before).toMatch(/[^.!?:][.!?:][)"]* $/);
      }
    }
  });

  test('every failure joins message and remediation with one mark', () => {
    for (const code of Object.keys(FAILURES) as FailureCode[]) {
      const error = new HeadgateError(code, 'It went wrong', { remediation: 'Try again.' });
      expect(error.explanation).toBe('It went wrong. Try again.');
    }
  });

  test.each([
    [['A.', 'B.'], 'A. B.'],
    [['A', 'B'], 'A. B'],
    [['A..', 'B.'], 'A. B.'],
    [['Wait...', 'B.'], 'Wait... B.'],
    [['A (see `b`)', undefined, '', 'C.'], 'A (see `b`). C.'],
    [['He said “no.”', 'B.'], 'He said “no.” B.'],
    [['見つかりません。', '再試行してください。'], '見つかりません。 再試行してください。'],
    [['A:\n  b', '\n`c`.'], 'A:\n  b.\n`c`.'],
    [[undefined], ''],
  ])('%j is %j', (sentences, text) => {
    expect(joinSentences(...sentences)).toBe(text);
  });
});
