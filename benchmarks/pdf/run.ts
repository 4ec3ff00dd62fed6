/**
 * PDFs: `npm run benchmark -- pdf`. Reads twenty made documents, each in another style, and counts what was read as
 * what it is: by Headgate, by `pdftotext -layout` where it is installed, and as the plain text that unpdf gives. For
 * the others a line with wide gaps counts as a row of a table. Prints JSON to stdout.
 */
import { spawnSync } from 'node:child_process';
import { extractText, getDocumentProxy } from 'unpdf';
import type { Extracted } from '../../src/extract/extracted.ts';
import { composePdf, loadReader, type PdfPart, readPdf } from '../../src/extract/pdf.ts';
import { type MadePdf, makePdf, PDF_STYLES } from '../../tests/support/pdf-documents.ts';
import { type PdfScores, scorePdf } from '../../tests/support/pdf-score.ts';
import { report } from '../report.ts';

type Reader = (bytes: Uint8Array) => Promise<Extracted | undefined>;

const readers: Record<string, Reader> = {
  Headgate: async (bytes) => {
    const parts: PdfPart[] = [];
    await readPdf(bytes, (part) => parts.push(part));
    return composePdf(structuredClone(parts), 'https://example.org/x.pdf');
  },
  'unpdf, plain': async (bytes) => {
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)));
    return asExtracted(text.join('\n\n'));
  },
  'pdftotext -layout': async (bytes) => {
    const { status, stdout } = spawnSync('pdftotext', ['-layout', '-', '-'], {
      input: bytes,
      encoding: 'utf8',
    });
    return status === 0 ? asExtracted(stdout) : undefined;
  },
};

const made = PDF_STYLES.map(([name, style], index) => makePdf(name, index + 1, style));
await loadReader();
const ROUNDS = 6;
const cpuMs = await timeAll();
const rows = [];
for (const [name, read] of Object.entries(readers)) {
  if (cpuMs[name] === undefined) console.error(`${name} is not installed here and was left out.`);
  else
    rows.push({
      name,
      ...(await score(read)),
      cpuMsPerPage: Number((cpuMs[name] / countPages(made)).toFixed(2)),
    });
}
report('pdf', { files: made.length, pages: countPages(made), readers: rows });

/** The processor time of each reader for all files: the least of several rounds, in turns, since the first one compiles. */
async function timeAll(): Promise<Record<string, number>> {
  const least: Record<string, number> = {};
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, read] of Object.entries(readers)) {
      const begun = process.cpuUsage();
      const found = await Promise.all(made.map(({ bytes }) => read(bytes)));
      const { user, system } = process.cpuUsage(begun);
      if (!found.includes(undefined)) least[name] = Math.min(least[name] ?? Infinity, (user + system) / 1000);
    }
  return least;
}

async function score(read: Reader): Promise<Record<string, number>> {
  const totals = new Map<string, { right: number; all: number }>();
  for (const one of made) {
    const found = (await read(one.bytes)) as Extracted;
    for (const [structure, { right, all }] of Object.entries(scorePdf(one, found) satisfies PdfScores)) {
      const total = totals.get(structure) ?? { right: 0, all: 0 };
      totals.set(structure, { right: total.right + right, all: total.all + all });
    }
  }
  const shares = Object.fromEntries(
    [...totals].map(([structure, { right, all }]) => [structure, Number((right / all).toFixed(3))]),
  );
  const divided = totals.get('divided') ?? { right: 0, all: 0 };
  const lineEnds = made.reduce((sum, one) => sum + one.lineEnds, 0);
  return { ...shares, hyphensPerLineEnd: Number(((divided.all - divided.right) / lineEnds).toFixed(4)) };
}

function countPages(files: MadePdf[]): number {
  return files.reduce(
    (sum, { bytes }) =>
      sum +
      (Buffer.from(bytes)
        .toString('latin1')
        .match(/\/Type \/Page /g)?.length ?? 0),
    0,
  );
}

/** Plain text, with lines that have wide gaps as rows of a table. */
function asExtracted(text: string): Extracted {
  const markdown = text
    .split('\n')
    .map((line) => (/\S {2,}\S/.test(line) ? `| ${line.trim().split(/ {2,}/).join(' | ')} |` : line.trim()))
    .join('\n');
  return {
    kind: 'pdf',
    title: '',
    text,
    markdown,
    images: [],
    links: [],
    quality: 'ok',
    hiddenTextRemoved: 0,
    warnings: [],
  };
}
