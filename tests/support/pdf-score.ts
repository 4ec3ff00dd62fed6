import type { Extracted } from '../../src/extract/extracted.ts';
import type { MadePdf } from './pdf-documents.ts';

interface Score {
  right: number;
  all: number;
}

export type PdfScores = Record<
  | 'title'
  | 'headings'
  | 'levels'
  | 'paragraphs'
  | 'items'
  | 'cells'
  | 'notes'
  | 'captions'
  | 'divided'
  | 'running',
  Score
>;

/** How much of a made document was read as what it is. A cell counts in its column and in the row of its first cell. */
export function scorePdf(made: MadePdf, { title, text, markdown }: Extracted): PdfScores {
  const lines = markdown.split('\n').map((line) => line.replace(/\[\^\d+\]$|\[\^\d+\](?= )/g, ''));
  const texts = new Set(
    lines.map((line) => line.replace(/^(?:#+|-|\[\^\d+\]:) /, '').replace(/\\(?=[-+.])/g, '')),
  );
  const rows = lines.filter((line) => line.startsWith('|')).map((line) => line.slice(2, -2).split(' | '));
  const cells = made.tables
    .flat()
    .flatMap((row) =>
      row.map((cell, at) =>
        rows.some((one) => one.length === row.length && one[0] === row[0] && one[at] === cell),
      ),
    );
  const isHeading = (heading: string): boolean =>
    lines.some((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  return {
    title: scoreOf([title === made.title]),
    headings: scoreOf(made.headings.map((heading) => isHeading(heading.text))),
    levels: scoreOf(
      made.headings.map((heading) => lines.includes(`${'#'.repeat(heading.level)} ${heading.text}`)),
    ),
    paragraphs: scoreOf(made.paragraphs.map((paragraph) => texts.has(paragraph))),
    items: scoreOf(made.items.map((item) => lines.includes(`- ${item}`))),
    cells: scoreOf(cells),
    notes: scoreOf(
      made.notes.map((note) => lines.some((line) => /^\[\^\d+\]: /.test(line) && line.endsWith(note))),
    ),
    captions: scoreOf(made.captions.map((caption) => texts.has(caption))),
    divided: scoreOf(made.divided.map((word) => text.includes(word))),
    running: scoreOf(made.running.map((line) => !text.includes(line))),
  };
}

const scoreOf = (found: boolean[]): Score => ({ right: found.filter(Boolean).length, all: found.length });
