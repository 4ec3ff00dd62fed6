import { expect, test } from 'vitest';
import { extractHtml, htmlToMarkdown } from '../html.ts';

const GATSBY = 'class="gatsby-highlight-code-line"';

test.each([
  ['that a class names', '<span class="line">a</span><span class="line">b</span>', 'a\nb'],
  [
    'with a class among others',
    '<span class="hljs Code-line x">a</span><span class="x cm-line">b</span>c',
    'a\nb\nc',
  ],
  [
    'with the style of a block',
    '<span style="display: flex">a</span><span style="x:y;display:block">b</span>c',
    'a\nb\nc',
  ],
  ['with text behind them', `<span ${GATSBY}>a</span><span ${GATSBY}>  b</span>    c\nd`, 'a\n  b\n    c\nd'],
  ['before an empty one in the text', `<span ${GATSBY}>a</span>\nb`, 'a\n\nb'],
  [
    'that are empty',
    '<span class="line">a</span><span class="line"></span><span class="line">b</span>',
    'a\n\nb',
  ],
  [
    'in each other',
    '<span class="highlight-line"><span class="code-line">a</span></span><span class="highlight-line"><span class="code-line">b</span></span>',
    'a\nb',
  ],
  [
    'with numbers',
    '<span class="line"><span class="line-number">1</span>a</span><span class="line"><span class="line-number">2</span>b</span>',
    'a\nb',
  ],
  [
    'with a block that holds only a break',
    '<div class="cm-line">a</div><div class="cm-line"><br></div><div class="cm-line">b</div>',
    'a\n\nb',
  ],
  [
    'with and without blocks inside',
    '<div class="cm-line"><div>a</div></div><div class="cm-line"><div>b</div></div><div class="cm-line">c</div>',
    'a\nb\nc',
  ],
])('lines of code %s are ended', (_, code, expected) => {
  expect(readCode(code)).toEqual([expected, expected]);
});

test.each([
  [
    'behind the line',
    '<span class="line">a</span>\n<span class="line"></span>\n<span class="line">b</span>\n',
    'a\n\nb',
  ],
  ['behind the line and a space', '<span class="line">a</span> \r\n<span class="line">b</span>', 'a\nb'],
  [
    'in the line',
    '<span class="line">a\n</span><span class="line"><i>\n</i></span><span class="line">b\n</span>',
    'a\n\nb',
  ],
  [
    'around the line',
    '<span class="code-line"><span class="line">a</span>\n</span><span class="line">b</span>',
    'a\nb',
  ],
  ['behind a block', '<div>a</div>\nb', 'a\nb'],
  ['as an element behind it', '<span class="line">a</span><br><span class="line"></span><br>b', 'a\n\nb'],
  [
    'as an element in it',
    '<span class="token-line">a<br></span><span class="token-line">b<br></span>',
    'a\nb',
  ],
])('a line that the page ends %s gets no second end', (_, code, expected) => {
  expect(readCode(code)).toEqual([expected, expected]);
});

test.each([
  ['its number', '<span class="line-number">a</span><span class="lineno">b</span>'],
  ['a word of it', '<span class="underline">a</span><span class="token inline">b</span>'],
  ['a box in it', '<span style="display:inline-block">a</span><span style="display:inline-flex">b</span>'],
])('what is no line of code, but %s, ends none', (_, code) => {
  expect(readCode(code)).toEqual(['ab', 'ab']);
});

test('the end of a line is not looked for in the next piece of code', () => {
  expect(htmlToMarkdown('<pre><span class="line">a</span></pre><pre>\n\nb</pre>')).toBe(
    '```\na\n```\n\n```\n\nb\n```',
  );
});

test('outside of code no line is ended', () => {
  expect(htmlToMarkdown('<p><span class="line">a</span><span class="line">b</span></p>')).toBe('ab');
});

/** What text and Markdown say, without the fence of the latter. */
function readCode(code: string): string[] {
  const html = `<pre><code>${code}</code></pre>`;
  return [extractHtml(html).text, htmlToMarkdown(html).replace(/^```\n|\n```$/g, '')];
}
