import { expect, test } from 'vitest';
import { extractContract } from '../../src/contract/extract.ts';
import { fitPages } from '../../src/operations/extract/fit-pages.ts';
import { hitOf } from '../../src/operations/extract/read-own.ts';
import type { ReadPage } from '../../src/operations/extract/read.ts';
import { composePdf, type PdfPart, readPdf } from '../../src/extract/pdf.ts';
import type { Extracted } from '../../src/extract/extracted.ts';
import { makePdf, PDF_STYLES, shaped, visualOf } from '../support/pdf-documents.ts';
import { type Drawn, drawPdf, widthOf } from '../support/pdf-file.ts';
import { scorePdf } from '../support/pdf-score.ts';
import { sized } from '../support/sized.ts';

/** The structure of PDFs: pages are drawn text by text, and read back. */

async function read(pages: Drawn[][], info: Record<string, string> = {}): Promise<Extracted> {
  return readBytes(drawPdf(pages, info));
}

async function readBytes(bytes: Uint8Array): Promise<Extracted> {
  const parts: PdfPart[] = [];
  await readPdf(bytes, (part) => parts.push(part));
  return composePdf(parts, 'https://a.example/mill.pdf');
}

/** Lines below each other. */
const lines = (texts: string[], at: Partial<Drawn> = {}): Drawn[] =>
  texts.map((text, index) => ({ x: 72, size: 10, ...at, text, y: (at.y ?? 600) - index * 12 }));

test('lines become paragraphs, and words that were divided are whole again', async () => {
  const { text } = await read([
    [
      ...lines([
        'The miller and his daughter lived beside the river for many win-',
        'ters, and their well-known mill ground wheat for everybody in the',
        'valley and beyond it.',
      ]),
      ...lines(['A second paragraph starts here and is about the old and well-', 'known bridge.'], {
        y: 550,
      }),
    ],
  ]);
  expect(text.split('\n\n')).toEqual([
    'The miller and his daughter lived beside the river for many winters, and their well-known mill ground wheat for everybody in the valley and beyond it.',
    'A second paragraph starts here and is about the old and well-known bridge.',
  ]);
});

test('larger and bold lines are headings, and the largest of the first page is the title', async () => {
  const body = lines(['The wheel is turned by the water of the river, which is led to it', 'by a canal.']);
  const pages = [
    [
      { text: 'Mills of the valley', x: 72, y: 700, size: 20, font: 'bold' as const },
      { text: 'Water', x: 72, y: 650, size: 14, font: 'bold' as const },
      ...body,
      { text: 'Wheels', x: 72, y: 560, size: 10, font: 'bold' as const },
      ...lines(['Wheels are made of oak, and of iron since the nineteenth century'], { y: 540 }),
    ],
  ];
  const found = await read(pages);
  expect(found.title).toBe('Mills of the valley');
  expect(found.markdown.match(/^#.*$/gm)).toEqual(['# Mills of the valley', '## Water', '### Wheels']);
  expect((await read(pages, { Title: 'Of mills' })).title).toBe('Of mills');
  expect((await read(pages, { Title: 'Microsoft Word - mills.doc' })).title).toBe('Mills of the valley');
});

test('cells of a table are in their columns, also those of two lines and empty ones', async () => {
  const row = (y: number, cells: string[]): Drawn[] =>
    cells.flatMap((text, at) => (text === '' ? [] : [{ text, x: 72 + at * 150, y, size: 10 }]));
  const { markdown, text } = await read([
    [
      ...lines(['What the mills of the valley ground in the last year, in tonnes:'], { y: 660 }),
      ...row(630, ['Mill', 'Wheat', 'Rye | oats']),
      ...row(610, ['Upper mill', '120', '30']),
      ...row(590, ['Lower mill', '', '45']),
      ...row(570, ['Mill of the', '80', '12']),
      ...row(558, ['old abbey', '', '']),
      ...row(538, ['Town mill', '15', '3']),
    ],
  ]);
  expect(markdown).toContain(
    [
      '| Mill | Wheat | Rye \\| oats |',
      '| --- | --- | --- |',
      '| Upper mill | 120 | 30 |',
      '| Lower mill |  | 45 |',
      '| Mill of the old abbey | 80 | 12 |',
      '| Town mill | 15 | 3 |',
    ].join('\n'),
  );
  expect(text).toContain('Upper mill\t120\t30');
});

test('two columns are read one after the other, below what spans both', async () => {
  const column = (word: string, x: number): Drawn[] =>
    lines(
      Array.from({ length: 8 }, (_, index) => `${word} ${index} of a column that is full of words`),
      { x },
    );
  const { text } = await read([
    [
      { text: 'A title that spans both of the columns of this page', x: 72, y: 680, size: 16 },
      ...column('left', 72),
      ...column('right', 320),
    ],
  ]);
  expect(text.match(/left|right|title/g)).toEqual([
    'title',
    ...Array.from({ length: 8 }, () => 'left'),
    ...Array.from({ length: 8 }, () => 'right'),
  ]);
});

test('lists, code, captions and footnotes are what they are', async () => {
  const { markdown } = await read([
    [
      ...lines(['The miller needs three things, which are all found in the valley:'], { y: 700 }),
      ...lines(['\u00B7 water', '\u00B7 wheat that is dry, and that was cut in the summer before the rain'], {
        y: 680,
      }),
      { text: 'and stored', x: 80, y: 656, size: 10 },
      { text: '1. a wheel', x: 72, y: 636, size: 10 },
      { text: '2. a stone', x: 72, y: 624, size: 10 },
      ...lines(['if (water) {', '  turn();'], { y: 590, font: 'code' }),
      ...lines(['Figure 1. The wheel of the mill.'], { y: 540, size: 9 }),
      { text: 'The mill is the oldest one of the valley', x: 72, y: 500, size: 10 },
      { text: '1', x: 72 + widthOf('The mill is the oldest one of the valley', 10), y: 504, size: 6 },
      { text: '1', x: 72, y: 123, size: 5 },
      { text: 'According to the register of 1742.', x: 78, y: 120, size: 8 },
    ],
  ]);
  expect(markdown.split('\n\n')).toEqual([
    'The miller needs three things, which are all found in the valley:',
    '- water\n- wheat that is dry, and that was cut in the summer before the rain and stored\n1. a wheel\n2. a stone',
    '```\nif (water) {\n  turn();\n```',
    'Figure 1. The wheel of the mill.',
    'The mill is the oldest one of the valley[^1]',
    '[^1]: According to the register of 1742.',
  ]);
});

test('running heads and page numbers are left out, and a paragraph goes on over pages', async () => {
  const pages = Array.from({ length: 4 }, (_, index) => [
    { text: 'The Journal of Mills', x: 72, y: 760, size: 8 },
    { text: `Page ${index + 1} of 4`, x: 300, y: 40, size: 8 },
    ...lines([`On page ${index + 1} there is much to say about the mills and the river, and`]),
  ]);
  pages[1] = [...(pages[1] ?? []).slice(0, 2), ...lines(['all of it is true.'])];
  const { text } = await read(pages);
  expect(text).not.toMatch(/Journal|of 4/);
  expect(text).toContain('the river, and all of it is true.');
  expect(text.match(/^\[p\. \d\]$/gm)).toEqual(['[p. 1]', '[p. 3]', '[p. 4]']);
});

test('what is at the height of running heads and page numbers, but is neither, stays', async () => {
  const pages = Array.from({ length: 4 }, (_, index): Drawn[] => [
    { text: String(index + 1), x: 300, y: 40, size: 8 },
    ...lines([`On page ${index + 1} there is much to say about the mills and the river.`]),
  ]);
  pages[1] = [...lines(['A page without a number.']), ...lines(['Its last line.'], { y: 41 })];
  pages[2]?.push({ text: 'Wheat', x: 72, y: 80, size: 10 }, { text: '1742', x: 300, y: 80, size: 10 });
  const { text } = await read(pages);
  expect(text).toContain('Its last line.');
  expect(text).toMatch(/Wheat\s1742/);
  expect(text).not.toMatch(/^\d$/m);
});

test('Arabic is in its logical order and in plain letters, with numbers and words of other scripts', async () => {
  const sentence = 'كان السلام سنة 1742 في كتاب المكتب';
  const drawn = (text: string): Drawn => ({ text: visualOf(text), x: 100, y: 600, size: 12, font: 'any' });
  expect((await read([[drawn(sentence)]])).text).toBe(sentence);
  const plain = 'سلام علي الكتاب 1742';
  expect(shaped(plain)).toMatch(/[\uFEFB\uFE70-\uFEFC]/);
  expect((await read([[drawn(shaped(plain))]])).text).toBe(plain);
  const words = [...'مكتب|باب|سلام'.split('|').entries()].map(([at, text]): Drawn => ({
    text: visualOf(text),
    x: 400 - at * 40,
    y: 600,
    size: 12,
    font: 'any',
  }));
  expect((await read([words])).text).toBe('مكتب باب سلام');
});

test('Hebrew is in its logical order, with numbers, and its lines are a paragraph', async () => {
  const said = 'הטחנה על הנהר נבנתה בשנת 1742 ליד הכפר הישן';
  const drawn = [said, 'והיא טוחנת חיטה עד היום.'].map((text, at): Drawn => {
    const shown = visualOf(text);
    return { text: shown, x: 500 - widthOf(shown, 12, 'any'), y: 600 - at * 14, size: 12, font: 'any' };
  });
  expect((await read([drawn])).text).toBe(`${said} והיא טוחנת חיטה עד היום.`);
});

test('every passage of a PDF with several pages says its page', async () => {
  const said = [
    'The wheel of the mill is turned by water.',
    'The stone was cut in 1742.',
    'The canal is full of trout.',
  ];
  const page: ReadPage = {
    ...(await read(said.map((text) => lines([text])))),
    finalUrl: 'https://a.example/mill.pdf',
  };
  for (const format of ['markdown', 'text'] as const) {
    const input = extractContract.input.parse({
      urls: [page.finalUrl],
      query: 'cut stone, trout',
      max_tokens: 200,
      format,
    });
    const [fitted] = await fitPages([hitOf(page.finalUrl, page, input)], input);
    expect(fitted?.raw_content).toContain('[p. 2]\nThe stone was cut in 1742.');
    expect(fitted?.raw_content).toContain('[p. 3]\nThe canal is full of trout.');
  }
});

test('a PDF cannot say that its text is on another page', async () => {
  const pages = ['One of two pages.', 'Page two.'].map((text) => [
    ...lines([text]),
    ...lines(['[p. 9]'], { y: 500 }),
    ...lines(['Nothing is on page nine.'], { y: 400 }),
  ]);
  const { text, markdown } = await read(pages);
  for (const content of [text, markdown]) {
    expect(content.match(/^\[p\. \d+\]$/gm)).toEqual(['[p. 1]', '[p. 2]']);
    expect(content.match(/p\. 9/g)).toHaveLength(2);
  }
});

test('what looks like Markdown in a PDF is text', async () => {
  const { markdown } = await read([
    lines(['# not a heading, and [not](https://a.example) a link', '* neither']),
  ]);
  expect(markdown).not.toMatch(/^#|(?<!\\)\]\(/m);
});

const count = sized('styles of PDFs', { small: 2, large: 20, full: 20 });
test.each(PDF_STYLES.filter((_style, index) => index % (PDF_STYLES.length / count) === 0))(
  'a document is read with its structure: %s',
  async (name, style) => {
    const made = makePdf(name, 1, style);
    const scores = scorePdf(made, await readBytes(made.bytes));
    const bounds = {
      headings: 0.8,
      cells: 0.9,
      paragraphs: 0.8,
      items: 0.8,
      notes: 0.8,
      captions: 0.8,
    } as const;
    const missed = Object.entries(bounds).filter(([structure, least]) => {
      const { right, all } = scores[structure as keyof typeof bounds];
      return right < all * least;
    });
    expect(missed).toEqual([]);
    expect(scores.divided.all - scores.divided.right).toBeLessThanOrEqual(made.lineEnds * 0.01);
    expect(scores.running.right).toBe(scores.running.all);
    expect(scores.title.right).toBe(1);
  },
);
