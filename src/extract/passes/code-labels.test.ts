import { expect, test } from 'vitest';
import { buildTree } from '../parse/tree.ts';
import { writeMarkdown } from '../write/markdown.ts';
import { codeLabels } from './code-labels.ts';

const CODE = '<pre class="language-js">let a;</pre>';
const FENCE = '```js\nlet a;\n```';

test.each([
  ['its name', `<div><p>js</p>${CODE}</div>`, FENCE],
  ['another name of it', `<div><div><span>JavaScript</span></div>${CODE}</div>`, FENCE],
  [
    'its name, inside the code',
    '<pre><code class="hljs language-js"><div><span>js</span></div><div>let a;</div></code></pre>',
    FENCE,
  ],
  ['its name, as all of the code', '<div><pre class="language-js">js</pre></div>', '```js\njs\n```'],
  ['the name of a file', `<div><p>main.js</p>${CODE}</div>`, `main.js\n\n${FENCE}`],
  ['another language', `<div><p>Rust</p>${CODE}</div>`, `Rust\n\n${FENCE}`],
  ['a heading', `<div><h3>JavaScript</h3>${CODE}</div>`, `### JavaScript\n\n${FENCE}`],
  ['a word elsewhere', `<div>js</div><div><div>${CODE}</div></div>`, `js\n\n${FENCE}`],
  ['a name, where the code has none', '<div><p>js</p><pre>let a;</pre></div>', 'js\n\n```\nlet a;\n```'],
])('above code of a known language: %s', (_, html, expected) => {
  const tree = buildTree(html);
  const keep = new Uint8Array(tree.blocks.length).fill(1);
  codeLabels.run({ tree, keep });
  expect(writeMarkdown(tree, { keep })).toBe(expected);
});
