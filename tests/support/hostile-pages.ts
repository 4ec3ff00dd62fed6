const MEGABYTE = 1_000_000;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** F54–F56: pages that try to make a reader hang, overflow or swallow the memory. Made when asked for, because they are large. */
export const HOSTILE_PAGES: Record<string, () => { bytes: Uint8Array; contentType: string }> = {
  'nested 100,000 deep': () => html('<div>'.repeat(100_000) + 'text '.repeat(50) + '</div>'.repeat(100_000)),
  'formatting nested 100,000 deep': () => html('<b><i>'.repeat(50_000) + 'text '.repeat(50)),
  'lists nested 50,000 deep': () => html('<ul><li>x'.repeat(50_000)),
  'quotes nested 50,000 deep': () => html('<blockquote><p>x'.repeat(50_000)),
  'stray end tags': () => html('<a>'.repeat(200_000) + '</b>'.repeat(300_000)),
  'a million attributes': () => html(`<p ${'a=1 '.repeat(1_000_000)}>text</p>`),
  'a million attributes of one name': () => html(`<p ${'class=x '.repeat(500_000)}>text</p>`),
  'a megabyte of class names': () =>
    html(`<p class="${'aB-c_d '.repeat(150_000)}">${'text '.repeat(50)}</p>`),
  'unclosed tables': () => html('<table><tr><td>x'.repeat(100_000)),
  'a table of 200,000 cells': () =>
    html(`<table>${`<tr>${'<td>x</td>'.repeat(20)}</tr>`.repeat(10_000)}</table>`),
  'cells that span everything': () =>
    html(`<table>${'<tr><td colspan=1000 rowspan=65534>x</td></tr>'.repeat(5_000)}</table>`),
  'line breaks': () => html('x<br><br>'.repeat(200_000)),
  'blank runs': () => html(`<p>${'<b> </b>'.repeat(300_000)}x`),
  'stars and underscores': () => html(`<p>${'*'.repeat(500_000)}</p><p>${'_a'.repeat(300_000)}</p>`),
  'beginnings of formulas': () =>
    html(`<p>${'\\['.repeat(400_000)}${'\\('.repeat(400_000)}${'$a '.repeat(200_000)}</p>`),
  'scripts behind a formula': () =>
    html(
      `<p><span class="MathJax">${'<i>x</i>'.repeat(50_000)}</span>${'<script type="math/tex">x</script>'.repeat(50_000)}</p>`,
    ),
  'terms without a meaning': () => html(`<dl>${'<dt>x'.repeat(200_000)}</dl>`),
  'texts for the ear and the eye': () =>
    html(`<p>${'<span>$1</span><span aria-hidden="true">$1</span>'.repeat(50_000)}</p>`),
  'raised numbers': () => html('<p>x<sup>1</sup></p>'.repeat(100_000)),
  'a long style': () => html(`<p style="${'overflow:hidden;'.repeat(100_000)}">x`),
  'open comments': () => html('<!-- '.repeat(300_000)),
  'open scripts': () => html('<script>'.repeat(300_000)),
  'opening brackets': () => html('<'.repeat(2 * MEGABYTE)),
  'character references': () => html(`<p>${'&amp;&#x1F600;&bogus;&#99999999;'.repeat(100_000)}`),
  'one long word': () => html('a'.repeat(5 * MEGABYTE)),
  spaces: () => html(`${' '.repeat(4 * MEGABYTE)}x`),
  'a hundred thousand paragraphs': () =>
    html('<p>One of very many sentences, with a comma.</p>'.repeat(100_000)),
  'a hundred thousand links': () => html('<a href="/a/b-c-d">Link words here</a> '.repeat(100_000)),
  'JSON-LD nested 100,000 deep': () =>
    html(`<script type="application/ld+json">${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}</script><p>x`),
  'state of two megabytes': () =>
    html(
      `<script type="application/json">{"items":[${'{"body":"words and more words"},'.repeat(60_000)}{}]}</script><p>x`,
    ),
  'a line of 50 MB': () => ({ bytes: new Uint8Array(50 * MEGABYTE).fill(97), contentType: 'text/html' }),
  'JSON nested 100,000 deep': () => ({
    bytes: encode('['.repeat(100_000) + ']'.repeat(100_000)),
    contentType: 'application/json',
  }),
  'a feed of 100,000 entries': () => ({
    bytes: encode(
      `<rss><channel>${'<item><title>x</title><description>y</description></item>'.repeat(100_000)}`,
    ),
    contentType: 'application/rss+xml',
  }),
  'a PDF that is none': () => ({
    bytes: encode(`%PDF-1.7\n${'1 0 obj << /Type /Page >> endobj\n'.repeat(50_000)}`),
    contentType: 'application/pdf',
  }),
  'lone surrogates and zero bytes': () => ({
    bytes: new Uint8Array(2 * MEGABYTE).map((_, index) => [0xd8, 0x00, 0x3c, 0x70][index % 4] ?? 0),
    contentType: 'text/html; charset=utf-16',
  }),
};

const html = (text: string): { bytes: Uint8Array; contentType: string } => ({
  bytes: encode(text),
  contentType: 'text/html',
});
