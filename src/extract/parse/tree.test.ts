import { expect, test } from 'vitest';
import { extractHtml, htmlToMarkdown } from '../html.ts';

test.each([
  ['in code', '<pre class="language-yaml"><code>\n\t\t<xmp>a: "b" &amp; <b>c</b>\n  d</xmp>\n</code></pre>'],
  ['in a paragraph', '<p><xmp class="language-yaml">a: "b" &amp; <b>c</b>\n  d</xmp>'],
  ['with its end in capitals', '<div><XMP class="language-yaml">\na: "b" &amp; <b>c</b>\n  d</XMP></div>'],
])('the source in an xmp %s is code as it stands', (_, html) => {
  expect(htmlToMarkdown(`<p>Before</p>${html}<p>After</p>`)).toBe(
    'Before\n\n```yaml\na: "b" &amp; <b>c</b>\n  d\n```\n\nAfter',
  );
  expect(extractHtml(html).text).toBe('a: "b" &amp; <b>c</b>\n  d');
});

test.each([
  ['is hidden', '<div hidden><p>So.</p><xmp>a = 1</xmp></div>'],
  ['hides itself', '<xmp style="display:none">a = 1</xmp>'],
  ['is in what is not shown', '<template><xmp>a = 1</xmp></template>'],
])('an xmp that %s is not read', (_, html) => {
  expect(htmlToMarkdown(`<p>Before</p>${html}<p>After</p>`)).toBe('Before\n\nAfter');
});
