import { expect, test } from 'vitest';
import { htmlToMarkdown } from '../html.ts';

const QUIET = 'style="margin-right:.4em;-webkit-user-select:none;user-select:none;color:gray"';

test.each([
  [
    'that nobody can select',
    `<pre><span style="display:flex"><span ${QUIET}> 9</span><span>a = 1\n</span></span><span style="display:flex"><span ${QUIET}>10</span><span>b = 2</span></span></pre>`,
  ],
  [
    'that a class keeps from being selected',
    '<pre><span class="pr-2 select-none">1</span>a = 1\n<span class="pr-2 select-none">2</span>b = 2</pre>',
  ],
  [
    'in a column of lines that end with elements',
    '<table><tr><td class="gutter"><pre><span>1</span><br><span>2</span><br></pre></td><td><pre><span>a = 1</span><br><span>b = 2</span><br></pre></td></tr></table>',
  ],
])('numbers of lines %s are left out', (_, html) => {
  expect(htmlToMarkdown(html)).toBe('```\na = 1\nb = 2\n```');
});

test('a long column of lines that end with elements is left out', () => {
  const lines = (write: (index: number) => string): string =>
    Array.from({ length: 12 }, (_, index) => `<span>${write(index)}</span><br>`).join('');
  const html = `<table><tr><td class="gutter"><pre>${lines((index) => `${index + 1}`)}</pre></td><td><pre>${lines(() => 'a;')}</pre></td></tr></table>`;
  expect(htmlToMarkdown(html)).toBe(`\`\`\`\n${Array(12).fill('a;').join('\n')}\n\`\`\``);
});

test('one line beside its number is code, not a table', () => {
  const html = '<table><tr><td class="gutter"><pre>1</pre></td><td><pre>a | b</pre></td></tr></table>';
  expect(htmlToMarkdown(html)).toBe('```\na | b\n```');
});

test('what nobody can select, but is no number, stays', () => {
  expect(htmlToMarkdown(`<pre><span ${QUIET}>$ </span>ls -1</pre>`)).toBe('```\n$ ls -1\n```');
});
