import { HeadgateError } from '../core/errors.ts';
import { own, warned } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { type Extracted, plainExtracted } from './extracted.ts';
import { readDate } from './metadata/read-date.ts';
import { pdfBlocks, pdfTitle } from './pdf-blocks.ts';
import { type PdfPage, segmentsOf } from './pdf-lines.ts';
import { writePdf } from './pdf-write.ts';

/** What a PDF says of itself. */
interface PdfFacts {
  pagesTotal: number;
  title: string | undefined;
  author: string | undefined;
  created: string | undefined;
  /** The titles in its outline. */
  outline: string[];
}

/** A part of a PDF as it is read: first the facts, then one page after the other. */
export type PdfPart = { facts: PdfFacts } | { page: PdfPage };

/** Loads the reader of PDFs, so that the first one does not wait for it. One that is not installed is missed when it is needed. */
export async function loadReader(): Promise<void> {
  await import('unpdf').then(({ getResolvedPDFJS }) => getResolvedPDFJS()).catch(() => undefined);
}

/** Reads a PDF page by page and hands over every part as soon as it is read. */
export async function readPdf(bytes: Uint8Array, onPart: (part: PdfPart) => void): Promise<void> {
  const { getDocumentProxy } = await import('unpdf').catch((cause: unknown) => {
    throw new HeadgateError(
      'extract_failed',
      'Reading a PDF needs the `unpdf` package, which is not installed.',
      {
        remediation: 'Install it beside Headgate: npm install unpdf.',
        cause,
      },
    );
  });
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }).catch((cause: unknown) => {
    throw new HeadgateError('extract_failed', 'The PDF cannot be read: it is damaged or locked.', { cause });
  });
  try {
    const { info } = await document.getMetadata();
    const outline = outlineOf(await document.getOutline().catch(() => []));
    onPart({ facts: factsOf(info as Record<string, unknown>, document.numPages, outline) });
    for (let number = 1; number <= Math.min(document.numPages, LIMITS.pdfPagesMax); number++) {
      const page = await document.getPage(number);
      // The forms of Arabic letters are read in their order first, and normalised then.
      const { items, styles } = await page.getTextContent({ disableNormalization: true });
      const isMono = (font: string): boolean => styles[font]?.fontFamily === 'monospace';
      const texts = items.filter((item) => 'str' in item);
      const [, bottom = 0, , top = 0] = page.view;
      // What is shown of a page may begin anywhere.
      const segments = segmentsOf(texts, isMono, bottom);
      onPart({ page: { number, height: top - bottom, segments } });
      page.cleanup();
    }
  } finally {
    await document.destroy();
  }
}

interface OutlineEntry {
  title: string;
  items: OutlineEntry[];
}

/** The titles of an outline, without its order. */
function outlineOf(entries: OutlineEntry[] | null): string[] {
  const titles: string[] = [];
  const open = [...(entries ?? [])];
  for (let entry = open.pop(); entry !== undefined && titles.length < OUTLINE_MAX; entry = open.pop()) {
    titles.push(entry.title);
    open.push(...entry.items);
  }
  return titles;
}

const OUTLINE_MAX = 2_000;

/** Puts together what was read of a PDF. If the pages are scanned images, the result is degraded. */
export function composePdf(parts: PdfPart[], url: string | undefined): Extracted {
  const facts = parts.find((part) => 'facts' in part)?.facts;
  const pages = parts.flatMap((part) => ('page' in part ? [part.page] : []));
  const blocks = pdfBlocks(pages, facts?.outline ?? []);
  const total = facts?.pagesTotal ?? pages.length;
  const title = facts?.title ?? pdfTitle(blocks) ?? fileName(url);
  const [text, markdown] = (['text', 'markdown'] as const).map((format) =>
    writePdf(blocks, format, total > 1),
  );
  const found = plainExtracted('pdf', title, text ?? '', markdown ?? '');
  if (found.quality === 'degraded')
    found.reason = own`The PDF holds no text; its pages are probably scanned images.`;
  const date = pdfDate(facts?.created);
  if (facts?.author !== undefined) found.byline = facts.author;
  if (date !== undefined) found.publishedDate = date;
  if (total > pages.length)
    found.warnings.push(warned`truncated: pages 1–${pages.length} of ${total} were read`);
  return found;
}

const fileName = (url: string | undefined): string =>
  URL.parse(url ?? '')
    ?.pathname.split('/')
    .at(-1) ?? '';

const factsOf = (info: Record<string, unknown>, pagesTotal: number, outline: string[]): PdfFacts => ({
  pagesTotal,
  title: titleIn(info),
  author: textIn(info, 'Author'),
  created: textIn(info, 'CreationDate'),
  outline,
});

/** The declared title, unless it is the name that a program gave to the file. */
function titleIn(info: Record<string, unknown>): string | undefined {
  const title = textIn(info, 'Title');
  const isName =
    /^(?:microsoft (?:word|powerpoint|excel)\b|untitled|unbenannt|document ?\d*$|slide 1$)|\.(?:docx?|pdf|tex|dvi|indd|qxd|xlsx?|pptx?|odt|rtf)$/i;
  return title === undefined || isName.test(title) || !/\p{L}{2}/u.test(title) ? undefined : title;
}

function textIn(info: Record<string, unknown>, name: string): string | undefined {
  const value = info[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Reads a PDF date such as `D:20260301…`. */
function pdfDate(text: string | undefined): string | undefined {
  const match = /^D:(\d{4})(\d{2})(\d{2})/.exec(text ?? '');
  return match === null ? undefined : readDate(`${match[1]}-${match[2]}-${match[3]}`);
}
