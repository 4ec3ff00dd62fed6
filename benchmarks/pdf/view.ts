import { type Figures, numberIn, rowsIn, shown, textIn, type View } from '../view.ts';

/** What is found in each, as a share. */
const STRUCTURES = ['headings', 'paragraphs', 'items', 'cells', 'notes'];

export function pdf(figures: Figures): View {
  const rows = rowsIn(figures, 'readers');
  return {
    title: 'PDFs',
    note: `${numberIn(figures, 'files')} made documents with ${numberIn(figures, 'pages')} pages, each in another style, four of them Arabic: the share of headings, paragraphs, list items, table cells and footnotes that are read as such. Hyphens are words that are still divided, per line end. The others write plain text; a line with wide gaps counts as a row.`,
    head: ['reader', ...STRUCTURES, 'hyphens per line end', 'CPU ms per page'],
    rows: rows.map((row) => [
      textIn(row, 'name'),
      ...STRUCTURES.map((name) => numberIn(row, name).toFixed(3)),
      numberIn(row, 'hyphensPerLineEnd').toFixed(4),
      // Another process does the work of pdftotext.
      textIn(row, 'name').startsWith('pdftotext') ? '–' : shown(numberIn(row, 'cpuMsPerPage')),
    ]),
    plot: {
      title: 'Paragraphs of PDFs that are whole',
      caption: 'share of paragraphs, longer is better',
      isLogarithmic: false,
      bars: rows.map((row) => ({
        label: textIn(row, 'name'),
        value: numberIn(row, 'paragraphs'),
        text: numberIn(row, 'paragraphs').toFixed(3),
        isOurs: textIn(row, 'name') === 'Headgate',
      })),
    },
  };
}
