import { deflateSync } from 'node:zlib';

/** A text at a place of a page; `x` is its left end. */
export interface Drawn {
  text: string;
  x: number;
  y: number;
  size?: number;
  font?: keyof typeof FONTS;
}

/** The fonts; the last one has a code for every letter there is. */
const FONTS = {
  plain: 'Helvetica',
  bold: 'Helvetica-Bold',
  italic: 'Helvetica-Oblique',
  code: 'Courier',
  any: 'Any',
} as const;

/** The width of a text of this size. The fonts say the same of themselves, so that lines are as wide as they seem. */
export function widthOf(text: string, size: number, font: keyof typeof FONTS = 'plain'): number {
  if (font === 'code') return text.length * size * 0.6;
  if (font === 'any') return [...text].reduce((sum, char) => sum + (char === ' ' ? 0.3 : 0.5), 0) * size;
  return (Buffer.from(text, 'latin1').reduce((sum, code) => sum + charWidth(code), 0) * size) / 1000;
}

const charWidth = (code: number): number => {
  const char = String.fromCharCode(code);
  return ' .,:;ijltfI|!()[]-'.includes(char) ? 280 : 'mwMW'.includes(char) ? 830 : 540;
};

/** A PDF with these texts on its pages, and what it says of itself. */
export const drawPdf = (pages: Drawn[][], info: Record<string, string> = {}): Uint8Array =>
  assemble(
    pages.map((page) => deflateSync(page.map(draw).join('\n'))),
    info,
  );

function draw({ text, x, y, size = 12, font = 'plain' }: Drawn): string {
  const bytes = font === 'any' ? Buffer.from(text, 'utf16le').swap16() : Buffer.from(text, 'latin1');
  return `BT /F${Object.keys(FONTS).indexOf(font)} ${size} Tf ${x.toFixed(2)} ${y.toFixed(2)} Td <${bytes.toString('hex')}> Tj ET`;
}

/** A PDF of one page per text. */
export const pdfOf = (texts: string[], info: Record<string, string> = {}): Uint8Array =>
  drawPdf(
    texts.map((text) => [lineOf(text)]),
    info,
  );

const lineOf = (text: string): Drawn => ({ text, x: 72, y: 700 });

/** The same, followed by a page that takes many seconds to read and one that comes too late. */
export function slowPdf(texts: string[]): Uint8Array {
  const slow = `${'q Q '.repeat(8_000_000)}${draw(lineOf('Slow.'))}`;
  const streams = [...texts.map((text) => draw(lineOf(text))), slow, draw(lineOf('Late.'))];
  return assemble(streams.map((stream) => deflateSync(stream, { level: 1 })));
}

/** A string of a PDF in UTF-16, whatever is in it. */
const pdfString = (text: string): string =>
  `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}>`;

/** A PDF whose page unfolds to so many megabytes of nothing. */
export function pdfBomb(megabytes: number): Uint8Array {
  const nothing = Buffer.alloc(megabytes * 1024 * 1024, ' ');
  return assemble([deflateSync(nothing, { level: 1 })]);
}

const WIDTHS = Array.from({ length: 224 }, (_, index) => charWidth(index + 32)).join(' ');
const CODES = [
  '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Any def /CMapType 2 def',
  '1 begincodespacerange <0000> <FFFF> endcodespacerange',
  '1 beginbfrange <0020> <FEFF> <0020> endbfrange endcmap end end',
].join('\n');

function assemble(streams: Buffer[], info: Record<string, string> = {}): Uint8Array {
  const fonts = Object.values(FONTS);
  const first = 3 + fonts.length + 3;
  const pages = streams.map((_stream, index) => first + 2 * index);
  const resources = fonts.map((_font, index) => `/F${index} ${3 + index} 0 R`).join(' ');
  const objects: (string | Buffer)[][] = [
    ['<< /Type /Catalog /Pages 2 0 R >>'],
    [`<< /Type /Pages /Kids [${pages.map((id) => `${id} 0 R`).join(' ')}] /Count ${pages.length} >>`],
    ...fonts.map((font) => [
      font === 'Any'
        ? `<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H /DescendantFonts [${first - 3} 0 R] /ToUnicode ${first - 1} 0 R >>`
        : font === 'Courier'
          ? '<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>'
          : `<< /Type /Font /Subtype /Type1 /BaseFont /${font} /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 255 /Widths [${WIDTHS}] >>`,
    ]),
    [
      `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500 /W [32 [300]] /FontDescriptor ${first - 2} 0 R >>`,
    ],
    [
      '<< /Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 -200 1000 800] /Ascent 800 /Descent -200 /ItalicAngle 0 /CapHeight 700 /StemV 80 >>',
    ],
    [`<< /Length ${CODES.length} >>\nstream\n${CODES}\nendstream`],
    ...streams.flatMap((stream, index) => [
      [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << ${resources} >> >> /Contents ${first + 1 + 2 * index} 0 R >>`,
      ],
      [`<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`, stream, '\nendstream'],
    ]),
  ];
  const said = Object.entries(info).map(([name, text]) => `/${name} ${pdfString(text)}`);
  objects.push([`<< ${said.join(' ')} >>`]);
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let at = parts[0]?.length ?? 0;
  const add = (part: string | Buffer): void => {
    const bytes = Buffer.from(part);
    parts.push(bytes);
    at += bytes.length;
  };
  objects.forEach((object, index) => {
    offsets.push(at);
    for (const part of [`${index + 1} 0 obj\n`, ...object, '\nendobj\n']) add(part);
  });
  const start = at;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  add(
    `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R >>\nstartxref\n${start}\n%%EOF\n`,
  );
  return new Uint8Array(Buffer.concat(parts));
}
