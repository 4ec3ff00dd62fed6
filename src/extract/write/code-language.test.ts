import { expect, test } from 'vitest';
import { htmlToMarkdown } from '../html.ts';

const inTable = (frame: string): string =>
  `${frame}<table><tbody><tr><td class="gutter"><pre>1\n2</pre></td><td class="code"><pre>a\nb</pre></td></tr></tbody></table>`;

test.each([
  ['behind another class', '<pre><code class="hljs language-bash">a\nb</code></pre>', 'bash'],
  ['in an attribute', '<pre language="tsx"><code>a\nb</code></pre>', 'tsx'],
  ['around a table', inTable('<div class="language-cpp"><div class="highlight">'), 'cpp'],
  ['at the frame of a table', inTable('<figure class="highlight sh">'), 'sh'],
  ['not in the name of a frame', '<div class="highlight-wrap"><pre>a\nb</pre></div>', ''],
])('the language of code is named %s', (_, html, language) => {
  expect(htmlToMarkdown(html)).toBe(`\`\`\`${language}\na\nb\n\`\`\``);
});
