import { type Drawn, drawPdf, widthOf } from './pdf-file.ts';
import { seededRandom } from './seeded-random.ts';

/** What a made document says, by structure: what a reader should find in it. */
export interface MadePdf {
  name: string;
  bytes: Uint8Array;
  title: string;
  headings: { text: string; level: number }[];
  paragraphs: string[];
  items: string[];
  tables: string[][][];
  notes: string[];
  captions: string[];
  /** Words that were divided at the end of a line. */
  divided: string[];
  lineEnds: number;
  /** What should be left out: running heads and page numbers. */
  running: string[];
}

interface PdfStyle {
  columns: 1 | 2;
  size: number;
  isJustified: boolean;
  isIndented: boolean;
  /** Headings are larger, or only bold. */
  headings: 'large' | 'bold';
  hasRunning: boolean;
  isRtl: boolean;
  /** Whether Arabic letters are written in the forms that they have in a word. */
  hasForms: boolean;
}

const PAGE = { left: 72, right: 540, top: 700, bottom: 90, gutter: 24 };

/** Makes a document in a style: sections with paragraphs, a list, a table with a caption and a footnote. */
export function makePdf(name: string, seed: number, style: PdfStyle, sections = 4): MadePdf {
  const random = seededRandom(seed);
  const made: Omit<MadePdf, 'bytes'> = {
    name,
    title: '',
    headings: [],
    paragraphs: [],
    items: [],
    tables: [],
    notes: [],
    captions: [],
    divided: [],
    lineEnds: 0,
    running: [],
  };
  const words = createWords(random, style.isRtl);
  const flow = createFlow(style, made, random);
  made.title = words.title(5);
  flow.title(made.title);
  for (let section = 1; section <= sections; section++) {
    flow.heading(`${section} ${words.title(3)}`, 2);
    flow.paragraph(words.paragraph(5));
    flow.paragraph(words.paragraph(4), section === 2 && !style.isRtl ? words.sentence() : undefined);
    flow.heading(`${section}.1 ${words.title(2)}`, 3);
    flow.paragraph(words.paragraph(6));
    if (section % 2 === 1) flow.list([words.sentence(), words.sentence(), words.sentence()]);
    if (section % 2 === 0)
      flow.table(words.table(5, style.columns === 1 ? 4 : 3), `Table ${section}. ${words.sentence()}`);
    flow.paragraph(words.paragraph(5));
  }
  const pages = flow.end();
  return { ...made, bytes: drawPdf(pages) };
}

/** The twenty styles that are measured. */
export const PDF_STYLES: [string, PdfStyle][] = (() => {
  const base: PdfStyle = {
    columns: 1,
    size: 10,
    isJustified: true,
    isIndented: false,
    headings: 'large',
    hasRunning: true,
    isRtl: false,
    hasForms: false,
  };
  const latin = ([1, 2] as const).flatMap((columns) =>
    [true, false].flatMap((isJustified) =>
      (['large', 'bold'] as const).flatMap((headings) =>
        [true, false].map((isIndented): [string, PdfStyle] => [
          `${columns === 1 ? 'one column' : 'two columns'}, ${isJustified ? 'justified' : 'ragged'}, ${headings} headings, ${isIndented ? 'indented' : 'spaced'}`,
          {
            ...base,
            columns,
            isJustified,
            headings,
            isIndented,
            size: isIndented ? 9 : 11,
            hasRunning: columns === 2 || isJustified,
          },
        ]),
      ),
    ),
  );
  const rtl = ([1, 2] as const).flatMap((columns) =>
    [true, false].map((hasForms): [string, PdfStyle] => [
      `Arabic, ${columns === 1 ? 'one column' : 'two columns'}, ${hasForms ? 'forms' : 'letters'}`,
      { ...base, columns, isRtl: true, hasForms, isJustified: false },
    ]),
  );
  return [...latin, ...rtl];
})();

interface Words {
  title(count: number): string;
  sentence(): string;
  paragraph(sentences: number): string;
  table(rows: number, columns: number): string[][];
}

const SYLLABLES = 'ba be do ga ka le li ma mo na ne no pa ra re ri sa se so ta te ti to va ve vi'.split(' ');
const ENDS = 'n r s t l nd st m ck'.split(' ');
/** Letters with their forms by themselves, at the end, the start and in the middle of a word. */
const ARABIC: Record<string, string> = {
  ا: '\uFE8D\uFE8E',
  ب: '\uFE8F\uFE90\uFE91\uFE92',
  ت: '\uFE95\uFE96\uFE97\uFE98',
  ح: '\uFEA1\uFEA2\uFEA3\uFEA4',
  د: '\uFEA9\uFEAA',
  ر: '\uFEAD\uFEAE',
  س: '\uFEB1\uFEB2\uFEB3\uFEB4',
  ع: '\uFEC9\uFECA\uFECB\uFECC',
  ك: '\uFED9\uFEDA\uFEDB\uFEDC',
  ل: '\uFEDD\uFEDE\uFEDF\uFEE0',
  م: '\uFEE1\uFEE2\uFEE3\uFEE4',
  ن: '\uFEE5\uFEE6\uFEE7\uFEE8',
  و: '\uFEED\uFEEE',
  ي: '\uFEF1\uFEF2\uFEF3\uFEF4',
};

function createWords(random: () => number, isRtl: boolean): Words {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const word = (): string => {
    const length = 1 + Math.floor(random() * 4);
    if (isRtl) return Array.from({ length: length + 2 }, () => pick(Object.keys(ARABIC))).join('');
    return Array.from({ length }, () => pick(SYLLABLES)).join('') + (random() < 0.6 ? pick(ENDS) : '');
  };
  const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
  const sentence = (): string => {
    const words = Array.from({ length: 6 + Math.floor(random() * 12) }, word);
    if (random() < 0.3) words.splice(3, 0, String(1000 + Math.floor(random() * 1000)));
    return `${capital(words.join(' '))}.`;
  };
  const name = (): string => capital(word() + (isRtl ? '' : pick(SYLLABLES)));
  return {
    sentence,
    title: (count) =>
      capital(Array.from({ length: count }, () => word() + (isRtl ? '' : pick(SYLLABLES))).join(' ')),
    paragraph: (sentences) => Array.from({ length: sentences }, sentence).join(' '),
    table: (rows, columns) => [
      Array.from({ length: columns }, name),
      ...Array.from({ length: rows }, () => [
        `${name()} ${word()}`,
        ...Array.from({ length: columns - 1 }, () => (isRtl ? word() : (random() * 1000).toFixed(1))),
      ]),
    ],
  };
}

interface Flow {
  title(text: string): void;
  heading(text: string, level: number): void;
  paragraph(text: string, note?: string): void;
  list(items: string[]): void;
  table(rows: string[][], caption: string): void;
  end(): Drawn[][];
}

/** Sets texts one below the other, in columns and pages. */
function createFlow(style: PdfStyle, made: Omit<MadePdf, 'bytes'>, random: () => number): Flow {
  const pages: Drawn[][] = [[]];
  const width = style.columns === 1 ? PAGE.right - PAGE.left : (PAGE.right - PAGE.left - PAGE.gutter) / 2;
  const leading = style.size * 1.25;
  let [column, y, top] = [0, PAGE.top, PAGE.top];
  /** Footnotes take room at the bottom of the column. */
  let bottom = PAGE.bottom;
  const left = (): number => {
    const place = style.isRtl ? style.columns - 1 - column : column;
    return PAGE.left + place * (width + PAGE.gutter);
  };
  const room = (height: number): void => {
    if (y - height >= bottom) return;
    column += 1;
    bottom = PAGE.bottom;
    y = top;
    if (column < style.columns) return;
    column = 0;
    y = top = PAGE.top;
    pages.push([]);
  };
  const put = (text: string, indent: number, size: number, font: Drawn['font'], isFull = false): void => {
    const page = pages.at(-1) as Drawn[];
    if (style.isRtl) {
      const shown = style.hasForms ? shaped(text) : text;
      const visual = visualOf(shown);
      page.push({
        text: visual,
        x: left() + width - indent - widthOf(visual, size, 'any'),
        y,
        size,
        font: 'any',
      });
      return;
    }
    const words = text.split(' ');
    const spare = width - indent - widthOf(text, size, font);
    const space = widthOf(' ', size, font) + (isFull && words.length > 1 ? spare / (words.length - 1) : 0);
    let x = left() + indent;
    for (const word of words) {
      page.push({ text: word, x, y, size, font });
      x += widthOf(word, size, font) + space;
    }
  };
  const lines = (text: string, size: number, font: Drawn['font'], indents: [number, number]): void => {
    const set = wrap(text, {
      width,
      indents,
      size,
      font: style.isRtl ? 'any' : font,
      made,
      random,
      isRtl: style.isRtl,
    });
    for (const [index, line] of set.entries()) {
      room(leading);
      put(
        line,
        index === 0 ? indents[0] : indents[1],
        size,
        font,
        style.isJustified && index < set.length - 1,
      );
      y -= Math.max(leading, size * 1.25);
    }
  };
  return {
    title: (text) => {
      made.headings.push({ text, level: 1 });
      put(text, 0, style.size * 1.8, 'bold');
      top = y -= style.size * 3;
    },
    heading: (text, level) => {
      made.headings.push({ text, level });
      room(leading * 5);
      if (y < top) y -= leading * 0.7;
      const size =
        style.headings === 'bold' && !style.isRtl ? style.size : style.size * (level === 2 ? 1.45 : 1.2);
      put(text, 0, size, 'bold');
      y -= Math.max(leading, size) * 1.3;
    },
    paragraph: (text, note) => {
      made.paragraphs.push(text);
      if (note !== undefined) {
        const label = String(made.notes.length + 1);
        made.notes.push(note);
        const small = style.size * 0.8;
        room(leading * 6);
        const keep = y;
        const noted = wrap(note, {
          width,
          indents: [8, 8],
          size: small,
          font: 'plain',
          made,
          random,
          isRtl: false,
        });
        bottom += noted.length * small * 1.25 + leading;
        y = PAGE.bottom + (noted.length - 1) * small * 1.25;
        (pages.at(-1) as Drawn[]).push({ text: label, x: left(), y: y + small * 0.4, size: small * 0.7 });
        for (const line of noted) {
          put(line, 8, small, 'plain');
          y -= small * 1.25;
        }
        y = keep;
      }
      lines(text, style.size, 'plain', style.isIndented ? [style.size * 1.5, 0] : [0, 0]);
      if (!style.isIndented) y -= leading * 0.6;
    },
    list: (items) => {
      for (const item of items) {
        made.items.push(item);
        room(leading);
        if (style.isRtl) lines(`- ${item}`, style.size, 'plain', [12, 12]);
        else {
          (pages.at(-1) as Drawn[]).push({ text: '\u00B7', x: left() + 8, y, size: style.size });
          lines(item, style.size, 'plain', [20, 20]);
        }
      }
      y -= leading * 0.6;
    },
    table: (rows, caption) => {
      made.tables.push(rows);
      if (!style.isRtl) made.captions.push(caption);
      room(leading * (rows.length + 4));
      y -= leading * 0.5;
      if (!style.isRtl) lines(caption, style.size * 0.9, 'italic', [0, 0]);
      y -= leading * 0.5;
      // The first column has the names and is wider.
      const first = width * 0.5;
      const step = (width - first) / ((rows[0] as string[]).length - 1);
      const start = (at: number): number => (at === 0 ? 0 : first + (at - 1) * step);
      for (const [index, row] of rows.entries()) {
        for (const [at, cell] of row.entries()) {
          const font = index === 0 ? 'bold' : 'plain';
          const size = style.size * 0.9;
          if (style.isRtl) put(cell, start(at), size, font);
          else {
            const shift = at === 0 ? 0 : step * 0.9 - widthOf(cell, size, font);
            (pages.at(-1) as Drawn[]).push({
              text: cell,
              x: left() + start(at) + Math.max(0, shift),
              y,
              size,
              font,
            });
          }
        }
        y -= leading * 1.2;
      }
      y -= leading;
    },
    end: () => {
      if (!style.hasRunning) return pages;
      for (const [index, page] of pages.entries()) {
        const head = 'Notes on the mills of the river';
        made.running.push(head);
        page.push({ text: head, x: PAGE.left, y: 750, size: 8, font: 'italic' });
        page.push({ text: String(index + 1), x: 300, y: 45, size: 8 });
      }
      return pages;
    },
  };
}

interface Wrap {
  width: number;
  indents: [number, number];
  size: number;
  font: Drawn['font'];
  made: Omit<MadePdf, 'bytes'>;
  random: () => number;
  isRtl: boolean;
}

/** Breaks a text into lines; a long word that has no room may be divided. */
function wrap(text: string, { width, indents, size, font, made, random, isRtl }: Wrap): string[] {
  const out: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const fits = (part: string): boolean =>
      widthOf(line === '' ? part : `${line} ${part}`, size, font) <=
      width - (indents[out.length === 0 ? 0 : 1] ?? 0);
    if (fits(word)) {
      line = line === '' ? word : `${line} ${word}`;
      continue;
    }
    const at = 3 + Math.floor(random() * 3);
    const letters = word.replace(/[^a-z]/g, '');
    if (
      !isRtl &&
      letters === word.replace(/\.$/, '') &&
      letters.length > at + 2 &&
      fits(`${word.slice(0, at)}-`)
    ) {
      out.push(`${line} ${word.slice(0, at)}-`.trim());
      line = word.slice(at);
      made.divided.push(letters);
    } else {
      out.push(line);
      line = word;
    }
  }
  out.push(line);
  made.lineEnds += out.length - 1;
  return out;
}

/** Arabic letters in the forms that they have in a word, with the ligature of lam and alef. */
export const shaped = (text: string): string =>
  text.replace(/[\u0621-\u064A]+/g, (word) => {
    const letters = [...word];
    let out = '';
    for (let index = 0; index < letters.length; index++) {
      const [before, letter = '', after] = [letters[index - 1], letters[index], letters[index + 1]];
      const forms = ARABIC[letter] ?? letter;
      const isJoined = before !== undefined && (ARABIC[before] ?? '').length > 2;
      if (letter === 'ل' && after === 'ا') {
        out += isJoined ? '\uFEFC' : '\uFEFB';
        index += 1;
        continue;
      }
      const joins = forms.length > 2 && after !== undefined;
      out += forms[joins ? (isJoined ? 3 : 2) : isJoined ? 1 : 0] ?? letter;
    }
    return out;
  });

/** As it is drawn from the left to the right; numbers keep their order. */
export const visualOf = (text: string): string =>
  [...text]
    .toReversed()
    .join('')
    .replace(/\d+(?:\.\d+)*/g, (number) => [...number].toReversed().join(''));
