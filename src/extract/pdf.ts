import { HeadgateError } from '../core/errors.ts';
import { own, warned } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { cleanText } from '../core/text.ts';
import { type Extracted, plainExtracted } from './extracted.ts';
import { readDate } from './metadata/read-date.ts';

/** What a PDF says of itself. */
interface PdfFacts {
  pagesTotal: number;
  title: string | undefined;
  author: string | undefined;
  created: string | undefined;
}

/** A part of a PDF as it is read: first the facts, then one page after the other. */
export type PdfPart = { facts: PdfFacts } | { page: string };

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
  const document = await getDocumentProxy(new Uint8Array(bytes)).catch((cause: unknown) => {
    throw new HeadgateError('extract_failed', 'The PDF cannot be read: it is damaged or locked.', { cause });
  });
  try {
    const { info } = await document.getMetadata();
    onPart({ facts: factsOf(info as Record<string, unknown>, document.numPages) });
    for (let number = 1; number <= Math.min(document.numPages, LIMITS.pdfPagesMax); number++) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const lines = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''));
      onPart({ page: cleanText(lines.join('')).trim() });
      page.cleanup();
    }
  } finally {
    await document.destroy();
  }
}

/** Puts together what was read of a PDF. If the pages are scanned images, the result is degraded. */
export function composePdf(parts: PdfPart[], url: string | undefined): Extracted {
  const facts = parts.find((part) => 'facts' in part)?.facts;
  const pages = parts.flatMap((part) => ('page' in part ? [part.page] : []));
  const text = pages.filter((page) => page !== '').join('\n\n');
  const found = plainExtracted('pdf', facts?.title ?? fileName(url), text, text);
  if (found.quality === 'degraded')
    found.reason = own`The PDF holds no text; its pages are probably scanned images.`;
  const date = pdfDate(facts?.created);
  if (facts?.author !== undefined) found.byline = facts.author;
  if (date !== undefined) found.publishedDate = date;
  const total = facts?.pagesTotal ?? pages.length;
  if (total > pages.length)
    found.warnings.push(warned`truncated: pages 1–${pages.length} of ${total} were read`);
  return found;
}

const fileName = (url: string | undefined): string =>
  URL.parse(url ?? '')
    ?.pathname.split('/')
    .at(-1) ?? '';

const factsOf = (info: Record<string, unknown>, pagesTotal: number): PdfFacts => ({
  pagesTotal,
  title: textIn(info, 'Title'),
  author: textIn(info, 'Author'),
  created: textIn(info, 'CreationDate'),
});

function textIn(info: Record<string, unknown>, name: string): string | undefined {
  const value = info[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Reads a PDF date such as `D:20260301…`. */
function pdfDate(text: string | undefined): string | undefined {
  const match = /^D:(\d{4})(\d{2})(\d{2})/.exec(text ?? '');
  return match === null ? undefined : readDate(`${match[1]}-${match[2]}-${match[3]}`);
}
