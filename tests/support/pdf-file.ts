import { deflateSync } from 'node:zlib';

/** A PDF of one page per text, with what it says of itself. */
export function pdfOf(texts: string[], info: Record<string, string> = {}): Uint8Array {
  return assemble(
    texts.map((text) => deflateSync(lineOf(text))),
    info,
  );
}

const lineOf = (text: string): string => `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`;

/** The same, followed by a page that takes many seconds to read and one that comes too late. */
export function slowPdf(texts: string[]): Uint8Array {
  const slow = `${'q Q '.repeat(8_000_000)}${lineOf('Slow.')}`;
  const streams = [...texts.map(lineOf), slow, lineOf('Late.')];
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

function assemble(streams: Buffer[], info: Record<string, string> = {}): Uint8Array {
  const pages = streams.map((_stream, index) => 4 + 2 * index);
  const objects: (string | Buffer)[][] = [
    ['<< /Type /Catalog /Pages 2 0 R >>'],
    [`<< /Type /Pages /Kids [${pages.map((id) => `${id} 0 R`).join(' ')}] /Count ${pages.length} >>`],
    ['<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'],
    ...streams.flatMap((stream, index) => [
      [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
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
