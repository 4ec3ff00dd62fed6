import { describe, expect, test } from 'vitest';
import { extractHtml, htmlToMarkdown } from '../html.ts';
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
  [
    'a place that is named for notes',
    '<p>x<span id="fnref:why"><a href="#fn:why">1</a></span></p><ol><li id="fn:why">Why. <a href="#fnref:why">↩</a></li></ol>',
    'x[^1]\n\n[^1]: Why.',
  ],
  [
    'a place that is named for a note and its number',
    '<p>x<a href="#ch2note01">1</a></p><p id="ch2note01">1. Why.</p>',
    'x[^1]\n\n[^1]: Why.',
  ],
  [
    'a copy of Word',
    '<p>x <sup><a href="#_ftn1">[1]</a></sup></p><p><sup><a href="//6C#_ftnref1">[1]</a> </sup>Why.</p>',
    'x [^1]\n\n[^1]: Why.',
  ],
  [
    'numbers in brackets that the notes begin with',
    '<p>x <a href="#r1">[1]</a> y <a href="#r2">[2]</a></p><div><a id="r1">1.</a><div>A book.</div></div><div><a id="r2">2.</a><div>A film.</div></div>',
    'x [^1] y [^2]\n\n[^1]: A book.\n\n[^2]: A film.',
  ],
  [
    'numbers in brackets of a list',
    '<p>x <a href="#r1">[1]</a></p><ol><li><a id="r1"></a>A book.</li></ol>',
    'x [^1]\n\n[^1]: A book.',
  ],
  [
    'citations with brackets around their links',
    '<p>x [<a href="#b.1">1</a>, <a href="#b.2">2</a>]</p><ul><li id="b.1"><span>[1]</span><span>A book.</span></li><li id="b.2"><span>[2]</span> A film.</li></ul>',
    'x \\[[^1], [^2]\\]\n\n[^1]: A book.\n\n[^2]: A film.',
  ],
  [
    'headings that are numbers',
    '<p>x<a class="footnote" id="D1" href="#F1"><sup>1</sup></a></p><h4>Footnotes</h4><h5><a id="F1" href="#D1">(1)</a></h5><p>Why.</p>',
    'x[^1]\n\n#### Footnotes\n\n[^1]: Why.',
  ],
  [
    'paragraphs that line breaks part',
    '<p>x<a href="#one"><sup>1</sup></a> y<a href="#two"><sup>2</sup></a></p><p><a name="one"><sup>1</sup></a> Why. <a href="#">↩</a><br><br><a name="two"><sup>2</sup></a> How.</p>',
    'x[^1] y[^2]\n\n[^1]: Why.\n\n[^2]: How.',
  ],
  [
    'an old page in one font',
    '<table><tr><td><font size="2">x [<a href="#f1n">1</a>] y [<a href="#f2n">2</a>]<br><br>[<a name="f1n">1</a>] Why.<br><br>[<a name="f2n">2</a>] How.<br><br>Thanks.</font></td></tr></table>',
    'x \\[[^1]\\] y \\[[^2]\\]\n\n[^1]: Why.\n\n[^2]: How.\n\nThanks.',
  ],
  [
    'raised numbers without links',
    '<p>x<sup>1</sup></p><p class="footnote"><sup>1</sup>Why.</p><p>y<sup>2</sup> 10<sup>6</sup></p><p><b><sup>2</sup> Note:</b> How.</p>',
    'x[^1]\n\n[^1]: Why.\n\ny[^2] 10⁶\n\n[^2]: **Note:** How.',
  ],
  [
    'raised numbers and bold ones',
    '<p>x<sup>1</sup> y<sup>2</sup></p><hr><p><strong>1</strong> Why.</p><p>More.</p><p><strong>2</strong> How.</p>',
    'x[^1] y[^2]\n\n---\n\n[^1]: Why.\n\nMore.\n\n[^2]: How.',
  ],
  [
    'raised numbers and a list that is named for them',
    '<p>x<sup><a href="javascript:;">1</a></sup></p><h4>Notes</h4><ol><li id="footnote-1">Why.</li></ol>',
    'x[^1]\n\n#### Notes\n\n[^1]: Why.',
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

  test.each([
    ['an equation', '<p>See (<a href="#e1">1</a>).</p><table id="e1"><tr><td>(1)<td>x = y</table>'],
    ['a theorem', '<p>See <a href="#t1">1</a>.</p><ul><li><a name="t1"></a>Exercise 1. Show it.</li></ul>'],
    [
      'a figure',
      '<p>See Figure <a href="#S3.F1">1</a>.</p><figure id="S3.F1"><p>Figure 1: A gate.</p></figure>',
    ],
    ['a numbered step', '<p>See step <a href="#s1">1</a>.</p><ol><li id="s1">Wait.</li></ol>'],
    ['a chapter in brackets', '<p>See <a href="#c1">[1]</a>.</p><h2 id="c1">1. Gates</h2>'],
    [
      'notes of one paragraph',
      '<p>a<sup><a href="#a">1</a></sup><sup><a href="#b">2</a></sup></p><p><i id="a">1</i> A. <i id="b">2</i> B.</p>',
    ],
    [
      'an exponent',
      '<p>a<sup>1</sup> m<sup>2</sup> b<sup>2</sup></p><p><sup>1</sup> A.</p><p><sup>2</sup> B.</p>',
    ],
    ['two authors of one institute', '<p>Ann<sup>1</sup>, Bob<sup>1</sup></p><p><sup>1</sup> University</p>'],
    ['notes that do not follow', '<p><sup>1</sup> So it began.</p><p>a<sup>1</sup></p>'],
    ['notes that begin with two', '<p>a<sup>2</sup></p><p><sup>2</sup> B.</p>'],
    ['numbers that are all there is', '<p>a<sup>1</sup></p><p><sup>1</sup></p>'],
  ])('nothing: %s', (_, html) => {
    expect(htmlToMarkdown(html, { url })).not.toContain('[^');
  });

  test('a page whose table of contents has references', () => {
    const html =
      '<ul><li><a href="#References">References</a></li></ul><p>x<sup><a href="#n">1</a></sup></p><h2 id="References">References</h2><p id="n">Why.</p>';
    expect(htmlToMarkdown(html, { url })).toContain(`- [References](${url}#References)`);
  });

  test('GNU manuals, whose headings of notes are links', () => {
    const words = 'The gate lets water from the river into the canal, and measures how much of it there is. ';
    const note =
      '<h5><a id="F1" href="#D1">(1)</a></h5><p>Since the old gate was taken from the canal, the river has been measured here on every day.</p>';
    const html = `<article><h1>Gates</h1><p>${words}${words}<a class="footnote" id="D1" href="#F1"><sup>1</sup></a></p><p>${words}${words}</p>${note}</article>`;
    expect(extractHtml(html, { url }).markdown).toContain('\n\n[^1]: Since');
  });

  test('a note that another number leads to as well', () => {
    const html = '<p>x<sup><a href="#n">1</a></sup>, see [<a href="#n">7</a>]</p><p id="n">[7] Why.</p>';
    expect(htmlToMarkdown(html, { url })).toBe(`x[^1], see \\[[7](${url}#n)\\]\n\n[^1]: \\[7\\] Why.`);
  });

  test('a citation whose source is left out stays a link', () => {
    const tree = buildTree('<p>x [<a href="#b1">1</a>]</p><ul><li id="b1">[1] A book.</li></ul>');
    expect(writeMarkdown(tree, { keep: Uint8Array.from([1, 0]), url })).toBe(`x \\[[1](${url}#b1)\\]`);
  });

  test('a text whose notes are left out: the marks go, too', () => {
    const tree = buildTree(
      '<p>Rain<sup><a href="#fn1">1</a></sup> falls.<sup><a href="#fn2">2</a></sup></p><ol><li id="fn1">A book.<li id="fn2">Another.</ol>',
    );
    const keep = Uint8Array.from(tree.blocks, ({ text }) => (text === 'A book.' ? 0 : 1));
    expect(writeMarkdown(tree, { keep })).toBe('Rain falls.[^2]\n\n[^2]: Another.');
  });
});
