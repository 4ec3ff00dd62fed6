import { describe, expect, test } from 'vitest';
import { htmlToMarkdown } from '../html.ts';
import { buildTree } from '../parse/tree.ts';
import { writeMarkdown } from './markdown.ts';

const url = 'https://example.org/docs/page.html';

const CASES: [string, string, string][] = [
  [
    'Sphinx',
    '<p>Slow <a class="footnote-reference brackets" href="#id2" id="id1" role="doc-noteref"><span class="fn-bracket">[</span>1<span class="fn-bracket">]</span></a>.</p><aside class="footnote brackets" id="id2" role="doc-footnote"><span class="label"><span class="fn-bracket">[</span><a role="doc-backlink" href="#id1">1</a><span class="fn-bracket">]</span></span><p>Not always.</p></aside>',
    'Slow [^1].\n\n[^1]: Not always.',
  ],
  [
    'Sphinx, a note with two marks',
    '<p>a <a class="footnote-reference brackets" href="#n" id="id1">1</a> b <a class="footnote-reference brackets" href="#n" id="id2">1</a></p><aside class="footnote" id="n"><span class="label">[1]</span><span class="backrefs">(<a href="#id1">1</a>,<a href="#id2">2</a>)</span><p>Both.</p></aside>',
    'a [^1] b [^1]\n\n[^1]: Both.',
  ],
  [
    'docutils, definitions',
    '<p>a <a class="footnote-reference brackets" href="#id3" id="id1">1</a> b <a class="footnote-reference brackets" href="#id4" id="id2">2</a></p><dl class="footnote brackets"><dt class="label" id="id3"><span class="brackets"><a class="fn-backref" href="#id1">1</a></span></dt><dd><p>First.</p></dd><dt class="label" id="id4"><span class="brackets"><a class="fn-backref" href="#id2">2</a></span></dt><dd><p>Second.</p></dd></dl>',
    'a [^1] b [^2]\n\n[^1]: First.\n\n[^2]: Second.',
  ],
  [
    'docutils, a table',
    '<p>a <a class="footnote-reference" href="#id2" id="id1">[1]</a></p><table class="docutils footnote" id="id2"><tbody><tr><td class="label"><a class="fn-backref" href="#id1">[1]</a></td><td>Old, but kept.</td></tr></tbody></table>',
    'a [^1]\n\n[^1]: Old, but kept.',
  ],
  [
    'Wikipedia',
    '<p>Rain<sup id="cite_ref-Referee_1-0" class="reference"><a href="#cite_note-Referee-1"><span>[</span>1<span>]</span></a></sup> falls<sup id="cite_ref-Referee_1-1" class="reference"><a href="#cite_note-Referee-1">[1]</a></sup>.</p><ol class="references"><li id="cite_note-Referee-1"><span class="mw-cite-backlink">^ <a href="#cite_ref-Referee_1-0"><sup><i><b>a</b></i></sup></a> <a href="#cite_ref-Referee_1-1"><sup><i><b>b</b></i></sup></a></span> <span class="reference-text">A book.</span></li></ol>',
    'Rain[^1] falls[^1].\n\n[^1]: A book.',
  ],
  [
    'a saved page with full addresses',
    `<p>Rain<sup id="cite_ref-1"><a href="${url}#cite_note-1">[1]</a></sup></p><ol><li id="cite_note-1"><b><a href="${url}#cite_ref-1">^</a></b> A book.</li></ol>`,
    'Rain[^1]\n\n[^1]: A book.',
  ],
  [
    'WordPress',
    '<p>x<sup data-fn="5e7c" class="fn"><a href="#5e7c" id="5e7c-link">1</a></sup></p><ol class="wp-block-footnotes"><li id="5e7c">Why. <a href="#5e7c-link">↩︎</a></li></ol>',
    'x[^1]\n\n[^1]: Why.',
  ],
  [
    'Substack',
    '<p>x<a class="footnote-anchor" id="footnote-anchor-1-9" href="#footnote-1-9">1</a></p><div class="footnote"><a id="footnote-1-9" href="#footnote-anchor-1-9" class="footnote-number">1</a><div class="footnote-content"><p>Why.</p></div></div>',
    'x[^1]\n\n[^1]: Why.',
  ],
  [
    'Word',
    '<p>x<a href="#_ftn1" name="_ftnref1"><sup>[1]</sup></a></p><p><a href="#_ftnref1" name="_ftn1">[1]</a> Why.</p>',
    'x[^1]\n\n[^1]: Why.',
  ],
  [
    'a hand',
    '<p>x<sup><a href="#why">*</a></sup></p><p id="why"><sup>*</sup> Why.</p>',
    'x[^*]\n\n[^*]: Why.',
  ],
  [
    'two lists that count from one',
    '<p>x<sup><a href="#n1">1</a></sup> y<sup><a href="#m1">1</a></sup></p><p id="n1">Note.</p><p id="m1">Source.</p>',
    'x[^1] y[^1-2]\n\n[^1]: Note.\n\n[^1-2]: Source.',
  ],
];

describe('Footnotes of', () => {
  test.each(CASES)('%s', (_, html, expected) => {
    expect(htmlToMarkdown(html, { url })).toBe(expected);
  });

  test.each([
    ['a section', '<p>x<sup><a href="#s">1</a></sup></p><div id="s"><h2>Sources</h2><p>Books.</p></div>'],
    ['a place that is missing', '<p>x<sup><a href="#s">1</a></sup></p>'],
    ['another page', '<p>x<sup><a href="/other#s">1</a></sup></p><p id="s">Here.</p>'],
    [
      'a note for all',
      '<p>x<sup><a href="#s">1</a></sup> y<sup><a href="#s">2</a></sup></p><p id="s">1 A. 2 B.</p>',
    ],
  ])('nothing: a link to %s is a link', (_, html) => {
    expect(htmlToMarkdown(html, { url })).toMatch(/^x\[1\]\(https:/);
  });

  test('a text whose notes are left out: the marks go, too', () => {
    const tree = buildTree(
      '<p>Rain<sup><a href="#fn1">1</a></sup> falls.<sup><a href="#fn2">2</a></sup></p><ol><li id="fn1">A book.<li id="fn2">Another.</ol>',
    );
    const keep = Uint8Array.from(tree.blocks, ({ text }) => (text === 'A book.' ? 0 : 1));
    expect(writeMarkdown(tree, { keep })).toBe('Rain falls.[^2]\n\n[^2]: Another.');
  });
});
