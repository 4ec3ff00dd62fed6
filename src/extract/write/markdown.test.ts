import { describe, expect, test } from 'vitest';
import { extractHtml, htmlToMarkdown } from '../html.ts';

const url = 'https://example.org/docs/page.html';
const markdown = (html: string): string => htmlToMarkdown(html, { url });

const CASES: [string, string, string][] = [
  ['headings keep their level', '<h1>One</h1><h3>Three</h3>', '# One\n\n### Three'],
  ['a heading keeps its link', '<h2><a href="/a">Go</a></h2>', '## [Go](https://example.org/a)'],
  ['nested lists are indented below their item', '<ul><li>a<ul><li>b</ul><li>c</ul>', '- a\n  - b\n- c'],
  ['ordered lists keep their start', '<ol start="3"><li>x<li>y</ol>', '3. x\n4. y'],
  ['a list that counts down does so', '<ol reversed><li>x<li>y<li>z</ol>', '3. x\n2. y\n1. z'],
  ['paragraphs of an item stay in it', '<ul><li><p>a</p><p>b</p></li></ul>', '- a\n\n  b'],
  [
    'a table with a head',
    '<table><tr><th>A<th>B<tr><td>1<td>2</table>',
    '| A | B |\n| --- | --- |\n| 1 | 2 |',
  ],
  [
    'a table without a head',
    '<table><tr><td>k<td>v<tr><td>l<td>w</table>',
    '| k | v |\n| --- | --- |\n| l | w |',
  ],
  ['a bar in a cell is escaped', '<table><tr><td>a|b<td>c</table>', '| a\\|b | c |\n| --- | --- |'],
  [
    'a spanning cell leaves room',
    '<table><tr><th colspan=2>A<tr><td>1<td>2</table>',
    '| A |  |\n| --- | --- |\n| 1 | 2 |',
  ],
  [
    'a cell that spans rows leaves room in them',
    '<table><tr><th>S<th>Y<th>F<tr><td rowspan=2>N<td>1<td>5<tr><td>2<td>6<tr><td>S<td>1<td>7</table>',
    '| S | Y | F |\n| --- | --- | --- |\n| N | 1 | 5 |\n|  | 2 | 6 |\n| S | 1 | 7 |',
  ],
  [
    'a cell that spans both leaves room in both',
    '<table><tr><td rowspan=2 colspan=2>a<td>b<tr><td>c<tr><td>d<td>e<td>f</table>',
    '| a |  | b |\n| --- | --- | --- |\n|  |  | c |\n| d | e | f |',
  ],
  [
    'a last column that spans rows does, too',
    '<table><tr><td>a<td rowspan=9>b<tr><td>c<tr><td>d</table>',
    '| a | b |\n| --- | --- |\n| c |  |\n| d |  |',
  ],
  [
    'a table for layout is its contents',
    '<table role="presentation"><tr><td><p>a</p><td><p>b</p></table>',
    'a\n\nb',
  ],
  [
    'a table whose other cells only indent is its contents',
    '<table><tr><td><td><p>a</p><p>b</p><tr><td><td>c</table>',
    'a\n\nb\n\nc',
  ],
  [
    'a column that says nothing is left out',
    '<table><tr><td>1.<td><a href="/up"></a><td>a<tr><td>2.<td><td>b</table>',
    '| 1. | a |\n| --- | --- |\n| 2. | b |',
  ],
  [
    'code names its language',
    '<pre><code class="language-js">let a;\n  b</code></pre>',
    '```js\nlet a;\n  b\n```',
  ],
  [
    'code without a code element is fenced',
    '<div class="highlight-python3"><pre><span>x</span> = 1</pre></div>',
    '```python3\nx = 1\n```',
  ],
  ['a fence is longer than what it holds', '<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
  ['inline code may hold a backtick', '<p><code>a`b</code></p>', '``a`b``'],
  ['keys side by side stay apart', '<p>Press <kbd>Ctrl</kbd><kbd>K</kbd></p>', 'Press `Ctrl` `K`'],
  ['quotes nest', '<blockquote><p>a<blockquote>b</blockquote></blockquote>', '> a\n>\n> > b'],
  ['definition lists', '<dl><dt>Term<dd>Meaning</dl>', 'Term\n\n: Meaning'],
  [
    'footnotes',
    '<p>x<sup><a href="#fn1">1</a></sup></p><ol><li id="fn1">Note <a href="#fnref1">↩</a></ol>',
    'x[^1]\n\n[^1]: Note',
  ],
  ['math stays text', '<p><math alttext="x^2"><mi>x</mi></math></p>', '$x^2$'],
  ['math without source is written in a line', '<p><math><mi>x</mi><mo>+</mo><mn>1</mn></math></p>', 'x+1'],
  [
    'a formula that is drawn is its text, once',
    '<p>So <span><span style="display: none;"><math alttext="{\\displaystyle x_{1}^{2}}"><mi>x</mi></math></span><img src="/math/render/svg/1" class="mwe-math-fallback-image-inline" alt="{\\displaystyle x_{1}^{2}}"></span> it is.</p>',
    'So $x_{1}^{2}$ it is.',
  ],
  ['an emoji that is drawn is its character', '<p>Done <img alt="🎉" src="/e.png"> now</p>', 'Done 🎉 now'],
  [
    'relative links are resolved against the page',
    '<a href="next?q=1">n</a>',
    '[n](https://example.org/docs/next?q=1)',
  ],
  [
    'a base element moves relative links',
    '<base href="/b/"><a href="c">n</a>',
    '[n](https://example.org/b/c)',
  ],
  ['script links are only text', '<a href="javascript:alert(1)">x</a>', 'x'],
  ['parentheses in addresses are encoded', '<a href="/a_(b)">x</a>', '[x](https://example.org/a_%28b%29)'],
  [
    'images keep their description',
    '<img src="i.png" alt="A cat">',
    '![A cat](https://example.org/docs/i.png)',
  ],
  [
    'a lazy image is found',
    '<img src="data:image/gif;base64,x" data-src="/i.png" alt="c">',
    '![c](https://example.org/i.png)',
  ],
  [
    'an address in a set of images may hold commas',
    '<img srcset="/c_fill,w_80/i.jpg 80w, /c_fill,w_320/i.jpg 320w" alt="c">',
    '![c](https://example.org/c_fill,w_80/i.jpg)',
  ],
  ['entities become characters', '<p>&lt;b&gt; &eacute; &#x1F600; &nbsp;x</p>', '\\<b> é 😀 x'],
  ['ruby keeps its reading', '<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>', '漢字(かんじ)'],
  ['right-to-left text keeps its order', '<p dir="rtl">שלום <b>עולם</b></p>', 'שלום **עולם**'],
  ['emphasis is tight', '<p>a<b> b </b>c <i>d</i></p>', 'a **b** c *d*'],
  ['emphasis that ends in punctuation is kept readable', '<p><b>Note:</b>text</p>', '**Note:** text'],
  ['deleted text', '<p><del>old</del> new</p>', '~~old~~ new'],
  [
    'stars and underscores are escaped only where they would count',
    '<p>2 * 3 *x* snake_case _y_</p>',
    '2 * 3 \\*x\\* snake_case \\_y\\_',
  ],
  ['a paragraph that looks like a list is escaped', '<p>1. no</p><p># no</p>', '1\\. no\n\n\\# no'],
  ['a line break', '<p>a<br>b</p>', 'a  \nb'],
  ['two line breaks end a paragraph', '<div>a<br><br>b</div>', 'a\n\nb'],
  ['two line breaks end one in a font, too', '<div><font>a<br><br>b</font></div>', 'a\n\nb'],
  ['but not where it begins before the font', '<div>a <font>b<br><br>c</font></div>', 'a b  \nc'],
  [
    'a link around a card is a link on each line',
    '<a href="/c"><h3>T</h3><p>d</p></a>',
    '### [T](https://example.org/c)\n\n[d](https://example.org/c)',
  ],
  [
    'scripts and styles are not text',
    '<p>a</p><script>x</script><style>y</style><template>z</template>',
    'a',
  ],
  [
    'items in wrappers are items, and what stands between them is text',
    '<ul><div><li>a</li><li>b</li></div><div><span>Next</span><li>c</li></div></ul>',
    '- a\n- b\n\nNext\n\n- c',
  ],
  ['items without a list are one', '<div><li>a</li> <li>b</li></div>', '- a\n- b'],
  [
    'a list directly in a list belongs to the item before it',
    '<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>',
    '- a\n  - b\n- c',
  ],
  [
    'a line of code in a cell stays in its table',
    '<table><tr><td>Syntax:<td><pre>a | b;</pre></table>',
    '| Syntax: | `a \\| b;` |\n| --- | --- |',
  ],
  [
    'code of several lines is not squeezed into a cell',
    '<table><tr><td>x<td><pre>a\nb</pre></table>',
    'x\n\n```\na\nb\n```',
  ],
  ['neighbours with the same emphasis are one', '<p><b>a</b><b>:</b><b>b</b> c</p>', '**a:b** c'],
  ['a star of its own is a star', '<p><em><span>*</span><span>args</span></em></p>', '*\\*args*'],
  [
    'a list of tasks tells what is done',
    '<ul><li><input type="checkbox" checked disabled> a<li><input type="checkbox" disabled> b<li><input type="checkbox"> c</ul>',
    '- ☑ a\n- ☐ b\n- c',
  ],
  ['a rule', '<p>a</p><hr><p>b</p>', 'a\n\n---\n\nb'],
  ['rules that part nothing are left out', '<hr><p>a</p><hr><hr><p>b</p><hr>', 'a\n\n---\n\nb'],
  ['an item keeps its number', '<ol><li>a<li value="5">b<li>c</ol>', '1. a\n5. b\n6. c'],
  ['a number or a dash alone is no list', '<p>1.</p><p>-</p><p>#</p>', '1\\.\n\n\\-\n\n\\#'],
  ['a definition without its term is a paragraph', '<dl><dd>97%</dl>', '97%'],
  [
    'emphasis inside other elements that touches is one',
    '<p><b>trend</b><span><b>s</b></span> <b><i>a</i></b><b>b</b> <b>c</b><b><i>d</i></b> <i>e</i><b>f</b></p>',
    '**trends** ***a*b** **c*d*** *e***f**',
  ],
  [
    'what has no width is no paragraph, heading or link',
    '<h2>\u200B</h2><p>\u200D</p><p>a\u200Bb<a href="#x">\u200B</a> c</p>',
    'ab c',
  ],
  [
    'code of which each line is an element',
    '<pre><div>a {</div><div>  <span>b</span></div><div>}</div></pre>',
    '```\na {\n  b\n}\n```',
  ],
  [
    'a language that is a class by itself',
    '<pre class="rust rust-example"><code>x</code></pre>',
    '```rust\nx\n```',
  ],
  [
    'the language of a wiki',
    '<div class="mw-highlight mw-highlight-lang-ini"><pre>a=1</pre></div>',
    '```ini\na=1\n```',
  ],
  [
    'numbers beside the lines of code are left out',
    '<table><tr><td class="lntd"><pre><span class="lnt">1</span>\n<span class="lnt">2</span></pre><td class="lntd"><pre>a\nb</pre></table>',
    '```\na\nb\n```',
  ],
  [
    'numbers before the lines of code are left out',
    '<pre><span class="lineno">1</span>a = 1\n<span class="lineno">2</span>b</pre>',
    '```\na = 1\nb\n```',
  ],
  ['numbers that are the code are kept', '<pre class="line-numbers"><code>42</code></pre>', '```\n42\n```'],
  [
    'footnotes as GitHub writes them',
    '<p>x<sup><a href="#user-content-fn-1">1</a></sup></p><ol><li id="user-content-fn-1">Note <a href="#user-content-fnref-1">↩</a></ol>',
    'x[^1]\n\n[^1]: Note',
  ],
  ['a script that looks empty is none', '<p>a</p><script src="x"/>let b;</script><p>c</p>', 'a\n\nc'],
  [
    'buttons and tabs side by side stay apart',
    '<p><button>Python</button><button>Go</button><span role="tab">C</span></p>',
    'Python Go C',
  ],
  [
    'tildes are escaped only where they would count',
    '<p>~~~~~~</p><p>a ~~b~~ c ~~~</p>',
    '\\~~~~~~\n\na \\~\\~b\\~\\~ c ~~~',
  ],
  ['an empty script hides nothing', '<p>a</p><script src="x"/><p>b</p><script>c</script>', 'a\n\nb'],
];

describe('Markdown of', () => {
  test.each(CASES)('%s', (_, html, expected) => {
    expect(markdown(html)).toBe(expected);
  });
});

const WORDS =
  'The gate lets water from the river into the canal, and measures how much of it there is on every day. ';
const PICTURE = '<img src="/i.png" alt="">';

describe('a picture that is left out', () => {
  test.each([
    ['before a comma', `Press ${PICTURE}, then wait.`, 'Press, then wait.'],
    ['before a full stop', `Press ${PICTURE} .`, 'Press.'],
    ['between spaces', `Press ${PICTURE} twice.`, 'Press twice.'],
    ['in parentheses', `Press Save (${PICTURE}) twice.`, 'Press Save twice.'],
    ['in a link', `Press <a href="/x">${PICTURE}</a>, then wait.`, 'Press, then wait.'],
    ['in a row', `Press ${PICTURE} ${PICTURE}; then wait.`, 'Press; then wait.'],
    ['before a name with a dot', `Use ${PICTURE} .NET here.`, 'Use .NET here.'],
    ['between words', `in 2024${PICTURE}If you`, 'in 2024 If you'],
    ['between words, in a link', `in 2024.<a href="/x">${PICTURE}</a>If you`, 'in 2024. If you'],
    ['between characters that know no space', `東京${PICTURE}都`, '東京都'],
  ])('leaves no gap %s', (_, html, expected) => {
    const page = extractHtml(`<article><p>${WORDS}${html} ${WORDS}</p></article>`, { url });
    expect([page.text, page.markdown]).toEqual(Array(2).fill(`${WORDS}${expected} ${WORDS}`.trim()));
  });

  test('and one that is shown keeps its place', () => {
    const html = `<article><p>${WORDS}Press ${PICTURE}, then wait.</p></article>`;
    const { markdown: shown } = extractHtml(html, { url, images: true });
    expect(shown).toContain('Press ![](https://example.org/i.png), then');
  });
});

describe('what stands on a page for the hand', () => {
  test.each([
    ['a button before code', '<button class="copybutton">Copy</button><pre>a = 1\nb = 2</pre>'],
    ['a button in code', '<pre><button>Copy code</button><code>a = 1\nb = 2</code></pre>'],
    [
      'a button behind code',
      '<div><pre>a = 1\nb = 2</pre><div class="copy-btn"><span>コピー</span></div></div>',
    ],
    [
      'numbers of lines that are elements',
      '<pre><div><span>1</span><div>a = 1\n</div></div><div><span>2</span><div>b = 2\n</div></div></pre>',
    ],
    ['a link that is an icon', '<a href="/x">\uE001</a><pre>a = 1\nb = 2</pre>'],
    [
      'numbers of lines',
      '<pre><span class="line-number">1</span>a = 1\n<span class="line-number">2</span>b = 2</pre>',
    ],
  ])('is not read: %s', (_, html) => {
    const page = extractHtml(`<article><p>${WORDS}</p>${html}</article>`, { url });
    expect(page.text).toBe(`${WORDS.trim()}\n\na = 1\nb = 2`);
    expect(page.markdown).toBe(`${WORDS.trim()}\n\n\`\`\`\na = 1\nb = 2\n\`\`\``);
  });
});

test('a sign behind a heading that links to it from elsewhere is not read', () => {
  const html = `<article><h2>Gates <span><a href="/find?name=gates">🔗</a></span></h2><p>${WORDS}</p></article>`;
  expect(extractHtml(html, { url })).toMatchObject({
    title: 'Gates',
    markdown: `## Gates\n\n${WORDS.trim()}`,
  });
});

test('a heading that is a link to itself is a heading', () => {
  const html = `<article><h2 id="a"><a href="#a">Gates and water</a></h2><p>${WORDS}</p></article>`;
  expect(extractHtml(html, { url }).markdown).toBe(`## Gates and water\n\n${WORDS.trim()}`);
});
