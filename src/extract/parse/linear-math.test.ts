import { describe, expect, test } from 'vitest';
import { extractHtml, htmlToMarkdown } from '../html.ts';

const i = (name: string): string => `<mi>${name}</mi>`;
const n = (number: number): string => `<mn>${number}</mn>`;
const o = (sign: string): string => `<mo>${sign}</mo>`;
const row = (...parts: string[]): string => `<mrow>${parts.join('\n ')}</mrow>`;
const of = (tag: string, ...parts: string[]): string => `<${tag}>${parts.join('')}</${tag}>`;

const CASES: [string, string, string][] = [
  ['a sum', i('x') + o('+') + n(1), 'x+1'],
  ['an equation', i('E') + o('=') + i('m') + of('msup', i('c'), n(2)), 'E = mc^2'],
  ['an index and a power', of('msubsup', i('x'), i('i'), n(2)), 'x_i^2'],
  ['powers side by side', of('msup', i('a'), n(2)) + of('msup', i('b'), n(2)), 'a^2 b^2'],
  ['an exponent of several parts', of('msup', i('x'), row(i('n'), o('+'), n(1))), 'x^(n+1)'],
  ['a power of a sum', of('msup', row(o('('), i('a'), o('+'), i('b'), o(')')), n(2)), '(a+b)^2'],
  ['a simple fraction', of('mfrac', i('a'), i('b')), 'a/b'],
  ['a fraction of sums', of('mfrac', row(i('a'), o('+'), i('b')), row(n(2), i('c'))), '(a+b)/(2c)'],
  ['a fraction as a factor', of('mfrac', n(1), n(2)) + i('m') + of('msup', i('v'), n(2)), '(1/2)mv^2'],
  ['a fraction in a sum', n(1) + o('+') + of('mfrac', n(1), n(2)), '1+1/2'],
  ['a power of a fraction', of('msup', of('mfrac', i('a'), i('b')), n(2)), '(a/b)^2'],
  ['a root', of('msqrt', i('x'), o('+'), n(1)), 'sqrt(x+1)'],
  ['another root', of('mroot', i('x'), n(3)), 'root(x, 3)'],
  [
    'a sum with bounds',
    of('munderover', o('∑'), row(i('i'), o('='), n(1)), i('n')) + of('msub', i('x'), i('i')),
    '∑\\_(i = 1)^n x_i',
  ],
  ['a limit', of('munder', o('lim'), row(i('x'), o('→'), n(0))) + i('x'), 'lim\\_(x → 0) x'],
  ['a function', i('sin') + o('&#8289;') + i('x'), 'sin x'],
  ['a function with parentheses', i('f') + o('&#8289;') + o('(') + i('x') + o(')'), 'f(x)'],
  ['fences', '<mfenced open="[" close=")"><mi>a</mi><mi>b</mi></mfenced>', '\\[a, b)'],
  ['a derivative', of('msup', i('f'), o('′')) + o('(') + i('x') + o(')'), 'f′(x)'],
  ['an angle', of('msup', n(90), o('∘')), '90°'],
  ['a mean', of('mover', i('x'), o('¯')), 'x\u0304'],
  [
    'a matrix',
    of(
      'mtable',
      of('mtr', of('mtd', i('a')), of('mtd', i('b'))),
      of('mtr', of('mtd', n(0)), of('mtd', n(1))),
    ),
    '\\[a, b; 0, 1\\]',
  ],
  [
    'a matrix in parentheses',
    o('(') + of('mtable', of('mtr', of('mtd', i('a')), of('mtd', i('b')))) + o(')'),
    '(a, b)',
  ],
  ['a matrix to a power', of('msup', of('mtable', of('mtr', of('mtd', i('a')))), n(2)), '\\[a\\]^2'],
  [
    'lines of a calculation',
    of(
      'mtable',
      of('mtr', of('mtd', i('x')), of('mtd', o('=') + n(1))),
      of('mtr', of('mtd', i('y')), of('mtd', o('=') + n(2))),
    ),
    'x = 1; y = 2',
  ],
  ['a choice', o('(') + '<mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac>' + o(')'), '(n choose k)'],
  ['words', i('x') + '<mtext>if</mtext>' + i('y') + o('&gt;') + n(0), 'x if y > 0'],
  ['an isotope', of('mmultiscripts', i('C'), '<none/><none/><mprescripts/>', n(6), n(14)), '\\_6^14C'],
  ['nothing', '', ''],
];

describe('a formula without its source', () => {
  test.each(CASES)('%s is written in a line', (_, formula, expected) => {
    expect(htmlToMarkdown(`<p><math>${formula}</math></p>`)).toBe(expected);
  });

  test('stands in its sentence, in the text as well', () => {
    const words =
      'The energy of a body at rest is its mass times the square of the speed of light, which every book on the subject tells. ';
    const html = `<article><p>${words}Here <math>${i('E')}${o('=')}${i('m')}${of('msup', i('c'), n(2))}</math> is it. ${words}</p></article>`;
    expect(extractHtml(html).text).toContain('tells. Here E = mc^2 is it. The');
  });

  test('is known by the prefix of its elements in XML, too', () => {
    const html =
      '<p><mml:math><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math> is it</p>';
    expect(htmlToMarkdown(html)).toBe('x^2 is it');
  });

  test('with its source keeps it as it is', () => {
    const annotation = '<annotation encoding="application/x-tex">x^{2}</annotation>';
    const html = `<p><math><semantics>${of('msup', i('x'), n(2))}${annotation}</semantics></math></p>`;
    expect(htmlToMarkdown(html)).toBe('$x^{2}$');
  });

  test.each([
    ['many parts', of('mrow', i('x').repeat(3_000))],
    ['many characters', i('x'.repeat(6_000))],
  ])('of %s is left as it is', (_, formula) => {
    expect(htmlToMarkdown(`<p><math>${formula}</math></p>`).replaceAll('x', '')).toBe('');
  });

  test('nested as deep as a page likes is read all the same', () => {
    const html = `<p>a<math>${'<msup><mi>x</mi>'.repeat(5_000)}</math>b</p>`;
    expect(htmlToMarkdown(html)).toMatch(/^ax+b$/);
  });

  test('in which a block ends loses nothing', () => {
    expect(htmlToMarkdown('<p>a<math><mi>x</mi><div>y</div><mi>z</mi></math>b</p>').replace(/\s/g, '')).toBe(
      'axyzb',
    );
  });
});
