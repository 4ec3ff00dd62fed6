import { cleanText } from '../../core/text.ts';

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/**
 * Plain text of the light HTML that APIs put into titles and descriptions: tags removed, entities decoded
 * once.
 */
export const textOfHtml = (html: string): string =>
  cleanText(
    html.replace(/<\/?[a-z][^>]*>/gi, '').replace(/&(#x?[0-9a-f]{1,6}|[a-z]{2,4});/gi, decoded),
  ).trim();

function decoded(entity: string, name: string): string {
  if (!name.startsWith('#')) return NAMED[name.toLowerCase()] ?? entity;
  const hexadecimal = /^#x/i.test(name);
  const code = Number.parseInt(name.slice(hexadecimal ? 2 : 1), hexadecimal ? 16 : 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
