import { DOCUMENT_KINDS, type LibraryFilters } from '../document.ts';
import type { Segment } from '../segment/segment.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Tests the documents of a segment: not expired, and accepted by the filters. */
export function createFilter(
  { index, expires }: Segment,
  filters: LibraryFilters,
  now: number,
): (document: number) => boolean {
  const minute = Math.floor(now / MINUTE_MS);
  const tests: ((document: number) => boolean)[] = [];
  if (expires) {
    tests.push(
      (document) => index.expiresMinute[document] === 0 || (index.expiresMinute[document] ?? 0) > minute,
    );
  }
  const { includeDomains, excludeDomains, packages, kinds } = filters;
  if (includeDomains !== undefined && includeDomains.length > 0) {
    const wanted = marked(index.domains, (domain) => includeDomains.some((host) => isWithin(domain, host)));
    tests.push((document) => wanted[index.domain[document] ?? 0] === 1);
  }
  if (excludeDomains !== undefined && excludeDomains.length > 0) {
    const unwanted = marked(index.domains, (domain) => excludeDomains.some((host) => isWithin(domain, host)));
    tests.push((document) => unwanted[index.domain[document] ?? 0] !== 1);
  }
  if (packages !== undefined && packages.length > 0) {
    const wanted = marked(index.packages, (name) => packages.includes(name));
    tests.push((document) => wanted[index.package[document] ?? 0] === 1);
  }
  if (kinds !== undefined && kinds.length > 0) {
    tests.push((document) => kinds.includes(DOCUMENT_KINDS[index.kind[document] ?? 0] ?? 'file'));
  }
  if (filters.startDate !== undefined || filters.endDate !== undefined) {
    const from = filters.startDate === undefined ? 1 : Math.floor(Date.parse(filters.startDate) / DAY_MS);
    const to =
      filters.endDate === undefined
        ? Number.POSITIVE_INFINITY
        : Math.floor(Date.parse(filters.endDate) / DAY_MS);
    tests.push((document) => {
      const day = index.publishedDay[document] ?? 0;
      return day !== 0 && day >= from && day <= to;
    });
  }
  return (document) => tests.every((test) => test(document));
}

const marked = (values: string[], test: (value: string) => boolean): Uint8Array =>
  Uint8Array.from(values, (value) => (value !== '' && test(value) ? 1 : 0));

function isWithin(domain: string, host: string): boolean {
  const wanted = host.toLowerCase().replace(/^www\./, '');
  return domain === wanted || domain.endsWith(`.${wanted}`);
}
