import { array, assert, asyncProperty, constantFrom, oneof, string, uint8Array } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sized } from '../../tests/support/sized.ts';
import { extractPage } from './page.ts';

const ROUNDS = sized('arbitrary pages', { small: 30, large: 200, full: 2_000 });

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
const sentence =
  'Die Mühle am Fluß hielt dem Hochwasser stand, und das Wehr blieb die ganze Nacht geöffnet. ';
const article = `<html><head><title>Mühle</title></head><body><article><p>${sentence.repeat(8)}</p></article></body></html>`;

describe('extractPage', () => {
  test('F54: reads UTF-8, Latin-1 by header, Latin-1 by meta and UTF-16 alike', async () => {
    const expected = (await extractPage({ bytes: bytes(article) })).text;
    expect(expected).toContain('Mühle am Fluß');
    const meta = article.replace('<head>', '<head><meta charset="iso-8859-1">');
    const utf16 = new Uint8Array(Buffer.from(article, 'utf16le'));
    const pages = [
      { bytes: latin1(article), contentType: 'text/html; charset=ISO-8859-1' },
      { bytes: latin1(meta) },
      { bytes: utf16 },
      { bytes: Uint8Array.from([0xff, 0xfe, ...utf16]) },
    ];
    for (const page of pages) expect((await extractPage(page)).text).toBe(expected);
  });

  test('F54: a charset that the bytes contradict is not believed, and the guess is noted', async () => {
    const lying = await extractPage({ bytes: latin1(article), contentType: 'text/html; charset=utf-8' });
    expect(lying.text).toContain('Mühle am Fluß');
    expect(lying.warnings).toEqual(['charset_guess: read as windows-1252']);
    const other = await extractPage({
      bytes: bytes(article),
      contentType: 'text/html; charset=windows-1252',
    });
    expect(other.text).toContain('Mühle am Fluß');
  });

  test('F54: Latin-1 is windows-1252, with its quotes, dashes and euro sign', async () => {
    const page = latin1(
      '<meta charset="iso-8859-1"><p>\x93Only \x805\x94 \x96 at the mill\x92s gate\x85</p>',
    );
    expect((await extractPage({ bytes: page })).text).toBe('“Only €5” – at the mill’s gate…');
  });

  test('F54: unmarked Japanese charsets are recognised', async () => {
    const sjis = Uint8Array.from([
      0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x82, 0xcc, 0x83, 0x65, 0x83, 0x4c, 0x83, 0x58, 0x83, 0x67, 0x82,
      0xc5, 0x82, 0xb7,
    ]);
    expect((await extractPage({ bytes: sjis, contentType: 'text/plain' })).text).toBe('日本語のテキストです');
  });

  test('F55: the bytes decide what a page is, not its content type', async () => {
    expect((await extractPage({ bytes: bytes(article), contentType: 'image/png' })).kind).toBe('html');
    expect((await extractPage({ bytes: bytes('{"a":1}'), contentType: 'text/plain' })).kind).toBe('json');
    expect((await extractPage({ bytes: bytes('just words'), contentType: 'text/plain' })).kind).toBe('text');
    await expect(
      extractPage({
        bytes: Uint8Array.from({ length: 4_000 }, (_, index) => index % 17),
        contentType: 'image/png',
      }),
    ).rejects.toMatchObject({ code: 'unsupported_type' });
  });

  test('reads a feed as a list of entries', async () => {
    const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><description>All of it</description>
      <item><title>One &amp; only</title><link>https://example.org/1</link><pubDate>Sun, 01 Mar 2026 10:00:00 GMT</pubDate><description><![CDATA[<p>Hello <b>you</b></p>]]></description></item></channel></rss>`;
    const found = await extractPage({ bytes: bytes(feed), contentType: 'application/rss+xml' });
    expect(found).toMatchObject({ kind: 'feed', title: 'News', description: 'All of it', quality: 'ok' });
    expect(found.markdown).toBe(
      '## [One & only](https://example.org/1)\n\n2026-03-01T10:00:00Z\n\nHello **you**',
    );
    expect(found.links).toEqual([{ url: 'https://example.org/1', text: 'One & only' }]);
  });

  test('reads CDATA, character references, links of Atom and an entry that never ends', async () => {
    const feed = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Mill &amp; <![CDATA[<river> & gate]]></title>
      <link rel="self" href="https://mill.example/feed"/><entry><title type="html">&lt;b&gt;Gate&lt;/b&gt; &#8211; open</title><link rel="self" href="/self"/><link href="/gate"/>
      <updated>2026-03-01T10:00:00Z</updated><content type="html"><![CDATA[<p>It <b>held</b> &amp; stayed.</p>]]></content></entry>
      <entry><title><![CDATA[Second]]></title><link rel="alternate" href="/second"/><summary>Never <![CDATA[ends`;
    const found = await extractPage({ bytes: bytes(feed), url: 'https://mill.example/feed' });
    expect(found).toMatchObject({ kind: 'feed', title: 'Mill & <river> & gate' });
    expect(found.links).toEqual([
      { url: 'https://mill.example/gate', text: '<b>Gate</b> – open' },
      { url: 'https://mill.example/second', text: 'Second' },
    ]);
    expect(found.markdown).toContain('2026-03-01T10:00:00Z\n\nIt **held** & stayed.');
    expect(found.markdown).toContain('Never ends');
  });

  test('XML that is neither a page nor a feed is shown as it is', async () => {
    const xml = '<?xml version="1.0"?><mill><wheel rpm="12">big</wheel></mill>';
    const found = await extractPage({ bytes: bytes(xml), contentType: 'application/xml' });
    expect(found).toMatchObject({ kind: 'xml', quality: 'ok', markdown: `\`\`\`xml\n${xml}\n\`\`\`` });
    const xhtml = `<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"><html>${article}</html>`;
    for (const contentType of ['application/xhtml+xml', 'text/xml', ''])
      expect(await extractPage({ bytes: bytes(xhtml), contentType })).toMatchObject({
        kind: 'html',
        text: (await extractPage({ bytes: bytes(article) })).text,
      });
  });

  test('Markdown keeps its text and finds its title', async () => {
    const found = await extractPage({ bytes: bytes('# Title\n\nText *here*'), contentType: 'text/markdown' });
    expect(found).toMatchObject({ kind: 'markdown', title: 'Title', markdown: '# Title\n\nText *here*' });
  });

  test('JSON is shown as code', async () => {
    const found = await extractPage({ bytes: bytes('{"a":[1]}'), contentType: 'application/json' });
    expect(found.markdown).toBe('```json\n{\n  "a": [\n    1\n  ]\n}\n```');
  });

  test('reads the text of a PDF and says when there is none', async () => {
    const found = await extractPage({
      bytes: bytes(pdf('BT /F1 24 Tf 72 700 Td (Hello from a PDF) Tj ET')),
      contentType: 'text/html',
    });
    expect(found).toMatchObject({ kind: 'pdf', text: 'Hello from a PDF', quality: 'ok' });
    expect(await extractPage({ bytes: bytes(pdf('')) })).toMatchObject({
      quality: 'degraded',
      reason: expect.stringContaining('scanned'),
    });
  });

  test('F54: arbitrary bytes never crash it, give valid text, and the same text twice', async () => {
    await assert(
      asyncProperty(
        uint8Array({ maxLength: 400 }),
        constantFrom('text/html', 'text/plain', 'application/json', ''),
        async (noise, contentType) => {
          const page = { bytes: noise, contentType };
          const read = async () =>
            extractPage(page).then(
              (found) => `${found.title}\n${found.text}\n${found.markdown}`,
              (thrown: { code: string }) => thrown.code,
            );
          const first = await read();
          expect(Buffer.from(first).toString()).toBe(first);
          expect(await read()).toBe(first);
        },
      ),
      { numRuns: ROUNDS },
    );
  });

  test('arbitrary markup never crashes it and gives valid text', async () => {
    const piece = oneof(
      constantFrom(
        '<p>',
        '</p>',
        '<table><tr><td>',
        '</table>',
        '<li>',
        '<ul>',
        '</ul>',
        '<a href="x">',
        '</a>',
        '<b>',
        '</i>',
        '<pre>',
        '<!--',
        '-->',
        '<script>',
        '</script>',
        '<h1',
        '<br>',
        '&amp',
        '&#xD800;',
        '<',
        '>',
        '"',
        '<svg>',
        '<dl><dt>',
        '<dd>',
        '<math>',
        '<rt>',
        '<blockquote>',
      ),
      string({ unit: 'binary', maxLength: 12 }),
    );
    await assert(
      asyncProperty(array(piece, { maxLength: 60 }), async (pieces) => {
        const found = await extractPage({
          bytes: bytes(`<html>${pieces.join('')}`),
          contentType: 'text/html',
          url: 'https://example.org/',
        });
        const all = `${found.text}${found.markdown}${JSON.stringify([found.links, found.images])}`;
        expect(Buffer.from(all).toString()).toBe(all);
      }),
      { numRuns: ROUNDS },
    );
  });
});

/** The smallest PDF with one page that draws `content`. */
function pdf(content: string): string {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  let out = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = out.length;
    out += `${index + 1} 0 obj${object}endobj\n`;
    return at;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  return `${out}xref\n0 6\n0000000000 65535 f \n${table}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${out.length}\n%%EOF`;
}
