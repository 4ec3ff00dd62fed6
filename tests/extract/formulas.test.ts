import { describe, expect, test } from 'vitest';
import { extractHtml, htmlToMarkdown } from '../../src/extract/html.ts';

const TEX = String.raw`\frac{q}{A}`;

describe('a formula', () => {
  test.each([
    ['for MathJax 2', `So <script type="math/tex">${TEX}</script> it is.`, `So $${TEX}$ it is.`],
    [
      'for MathJax 2 as XHTML',
      `So <script type="math/tex">% <![CDATA[\n${TEX} %]]></script> it is.`,
      `So $${TEX}$ it is.`,
    ],
    [
      'on a line of its own',
      `So:<script type="math/tex; mode=display">\n${TEX}\n</script>it is.`,
      `So:\n\n$${TEX}$\n\nit is.`,
    ],
    [
      'that MathJax 2 has drawn, once',
      `So <span class="MathJax"><span class="MJX_Assistive_MathML"><math alttext="${TEX}"></math></span></span><script type="math/tex">${TEX}</script> it is.`,
      `So $${TEX}$ it is.`,
    ],
    [
      'that MathJax 3 has drawn',
      `So <mjx-container><svg></svg><mjx-assistive-mml style="clip: rect(1px, 1px, 1px, 1px)"><math alttext="${TEX}"></math></mjx-assistive-mml></mjx-container> it is.`,
      `So $${TEX}$ it is.`,
    ],
    [
      'in an attribute',
      `So <span class="math-inline" data-math="${TEX}"><span>qA</span></span> it is.`,
      `So $${TEX}$ it is.`,
    ],
    [
      'in an attribute of what is hidden',
      `So <span style="display:none" class="math" data-tex="${TEX}">q</span> it is.`,
      'So it is.',
    ],
    ['in an attribute that is none', 'So <span class="text" data-math="true">it</span> is.', 'So it is.'],
    ['as a picture that tells it', `So <img alt="${TEX}" src="/flow.svg"> it is.`, `So $${TEX}$ it is.`],
    [
      'as a picture with it in the address',
      `So <img src="https://latex.codecogs.com/svg.image?${encodeURIComponent(TEX)}"> it is.`,
      `So $${TEX}$ it is.`,
    ],
    [
      'with lines that a program broke',
      `So <math alttext="q=%\n${TEX}"></math> it is.`,
      `So $q=${TEX}$ it is.`,
    ],
    [
      'with a percentage',
      String.raw`So <math alttext="5\% + x"></math> it is.`,
      String.raw`So $5\% + x$ it is.`,
    ],
  ])('%s', (_, html, expected) => {
    expect(htmlToMarkdown(`<p>${html}</p>`)).toBe(expected);
  });

  test.each([
    ['between dollars', String.raw`A $\sum_{i} q_{i}*[a]$ it is.`, String.raw`A $\sum_{i} q_{i}*[a]$ it is.`],
    ['displayed', String.raw`$$\sum_{i} q_{i}$$`, String.raw`$$\sum_{i} q_{i}$$`],
    ['in parentheses', String.raw`A \(q_{i}=1\) it is.`, 'A $q_{i}=1$ it is.'],
    ['in brackets', String.raw`\[ q_{i}=1 \]`, '$$q_{i}=1$$'],
    [
      'that is no formula',
      String.raw`Write \( and \) as they are.`,
      String.raw`Write \\( and \\) as they are.`,
    ],
    ['that is two prices', 'From $5 *each* to $6 *each*.', String.raw`From $5 \*each\* to $6 \*each\*.`],
    ['with code in it', 'A $x_`a`_$ it is.', 'A $x\\_\\`a\\`\\_$ it is.'],
    ['with a tag in it', 'A $x_&lt;b>$ it is.', 'A $x\\_\\<b>$ it is.'],
  ])('that the page leaves to a script is not escaped: %s', (_, html, expected) => {
    expect(htmlToMarkdown(`<p>${html}</p>`)).toBe(expected);
  });

  test('with its number in a table is a line', () => {
    const table = `<table class="ltx_equation ltx_eqn_table"><tr><td><td><math alttext="q=Av"></math><td><td>(1)</table>`;
    expect(htmlToMarkdown(`<p>Flow:</p>${table}<p>where</p>`)).toBe('Flow:\n\n$q=Av$ (1)\n\nwhere');
  });
});

describe('raised and lowered text', () => {
  test.each([
    ['10<sup>6</sup> m<sup>2</sup>', '10⁶ m²'],
    ['10<sup>-3</sup> or 10<sup>−3</sup>', '10⁻³ or 10⁻³'],
    ['$19<sup>99</sup>', '$19⁹⁹'],
    ['water<sup>1,2</sup>', 'water¹,²'],
    ['2<sup>n</sup>, x<sup>k+1</sup>, y<sup>2n</sup>', '2ⁿ, xᵏ⁺¹, y²ⁿ'],
    ['Ca<sup>2+</sup>, Cl<sup>−</sup>', 'Ca²⁺, Cl⁻'],
    ['<sup>5</sup>&frasl;<sub>8</sub>', '⁵⁄₈'],
    ['10<sup>3.5</sup>', '10^(3.5)'],
    ['1<sup>st</sup>, XIX<sup>e</sup>, M<sup>me</sup>, Gate<sup>®</sup>', '1st, XIXe, Mme, Gate®'],
    ['CO<sub>2</sub>, H<sub>2</sub>O', 'CO2, H2O'],
    ['101<sub>2</sub>, x<sub>i</sub>, V<sub>max</sub>', '101₂, xᵢ, Vmax'],
    ['<code>a<sup>2</sup></code>', '`a²`'],
    ['<pre>a<sup>2</sup></pre>', '```\na2\n```'],
  ])('%s', (html, expected) => {
    expect(htmlToMarkdown(`<div>${html}</div>`)).toBe(expected);
  });

  test('is the same in plain text', () => {
    const sentence = 'The gate lets water from the river into the canal and measures it on every day. ';
    const { text } = extractHtml(
      `<article><p>${sentence.repeat(3)}About 10<sup>6</sup> litres.</p></article>`,
    );
    expect(text).toContain('About 10⁶ litres.');
  });
});
