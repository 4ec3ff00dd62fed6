import { HeadgateError } from '../core/errors.ts';
import { own, warned } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { cleanText } from '../core/text.ts';
import { type Extracted, plainExtracted } from './extracted.ts';
import { readDate } from './metadata/read-date.ts';

/** Extracts the text of a PDF, page by page. If the pages are scanned images, the result is degraded. */
export async function extractPdf(bytes: Uint8Array, url: string | undefined): Promise<Extracted> {
  const { extractText, getDocumentProxy, getMeta } = await import('unpdf').catch((cause: unknown) => {
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
  const { text: pages, totalPages } = await extractText(document);
  const { info } = await getMeta(document);
  const kept = pages.slice(0, LIMITS.pdfPagesMax).map((page) => cleanText(page).trim());
  const text = kept.filter((page) => page !== '').join('\n\n');
  const title =
    textIn(info, 'Title') ??
    URL.parse(url ?? '')
      ?.pathname.split('/')
      .at(-1) ??
    '';
  const found = plainExtracted('pdf', title, text, text);
  if (found.quality === 'degraded')
    found.reason = own`The PDF holds no text; its pages are probably scanned images.`;
  const [byline, date] = [textIn(info, 'Author'), pdfDate(textIn(info, 'CreationDate'))];
  if (byline !== undefined) found.byline = byline;
  if (date !== undefined) found.publishedDate = date;
  if (totalPages > kept.length)
    found.warnings.push(warned`truncated: only ${kept.length} of ${totalPages} pages were read`);
  return found;
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
