import type { PdfPage, PdfSegment } from './pdf-lines.ts';

/** The share of a page's height at its top and bottom in which running heads and page numbers are. */
const MARGIN = 0.11;
const PAGE_NUMBER =
  /^[\s–—|·.-]*(?:(?:page|seite|p\.|página|стр\.?|صفحة)\s*)?(?:\p{Nd}{1,4}|[ivxlc]{1,7})(?:\s*(?:\/|of|von|de|sur|из|من)\s*\p{Nd}{1,4})?[\s–—|·.-]*$/iu;

/** The pages without the lines that repeat at their top and bottom, and without page numbers. */
export function withoutRunning(pages: PdfPage[]): PdfPage[] {
  const seen = new Map<string, Set<number>>();
  const keysOf = ({ text, y }: PdfSegment): string[] => {
    const shown = text.replace(/\p{Nd}+/gu, '#').toLowerCase();
    return slotsOf(y).map((slot) => `${slot} ${PAGE_NUMBER.test(text) ? '#' : shown}`);
  };
  for (const page of pages)
    for (const segment of page.segments.filter((one) => isInMargin(one, page)))
      for (const key of keysOf(segment)) seen.set(key, (seen.get(key) ?? new Set()).add(page.number));
  const least = pages.length < 4 ? 2 : 3;
  return pages.map((page) => {
    const margin = page.segments.filter((one) => isInMargin(one, page));
    const isUsual = (keys: string[]): boolean => keys.some((key) => (seen.get(key)?.size ?? 0) >= least);
    const beside = (one: PdfSegment): PdfSegment[] =>
      margin.filter((other) => other !== one && Math.abs(other.y - one.y) < 2);
    // A number beside other text may be a cell of a table, unless other pages have theirs there, too.
    const isNumber = (one: PdfSegment): boolean =>
      PAGE_NUMBER.test(one.text) && (isUsual(keysOf(one)) || beside(one).length === 0);
    const left = new Set(
      margin.filter(
        (one) =>
          isNumber(one) ||
          isUsual(keysOf(one)) ||
          // What stands beside the number of the page changes with the chapters.
          beside(one).some((other) => PAGE_NUMBER.test(other.text) && isUsual(keysOf(other))),
      ),
    );
    // A page that says only what others say is not empty.
    if (left.size === page.segments.length) return page;
    return { ...page, segments: page.segments.filter((segment) => !left.has(segment)) };
  });
}

/** A line may be a little higher on one page than on another. */
const slotsOf = (y: number): string[] =>
  [0, 1].map((shift) => `${shift} ${Math.floor(y / SLOT + shift / 2)}`);
const SLOT = 8;

const isInMargin = ({ y }: PdfSegment, { height }: PdfPage): boolean =>
  y > height * (1 - MARGIN) || y < height * MARGIN;
