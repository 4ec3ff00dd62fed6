import { clip, oneLine } from '../core/text.ts';

const CHARS_MAX = 600;
/** Citations that a model adds by itself, in the usual formats: [1], [1-3], [^2], (src-…), 【4:0†source】. */
const CITATION =
  /\s*[[({【](?:\s*(?:\^?\d{1,4}(?:\s*[-–:]\s*\d{1,4})?(?:†[^\])}】]{0,60})?|(?:src|find|gap|subq)-[\w-]{1,20}|sources?\b:?[^\])}】]{0,60})\s*[,;]?)+[\])}】]/gi;
const LINK = /!?\[([^[\]]{0,200})\]\s?(?:\([^)]{0,2000}\)|\[[^\]]{0,200}\])/g;
/** `[name]: address` turns every `[name]` into a link. */
const LINK_TARGET = /\[[^\]]{0,200}\]:/g;
const TAG = /<\/?[a-z!?][^<>]{0,2000}>?/gi;
/** What renderers turn into links: a scheme, `//host`, `www.`, a host with a path, an e-mail address. */
const ADDRESS =
  /[a-z0-9+.-]*:[\\/]{2}[^\s)\]]*|(?<![\p{L}\p{N}:])[\\/]{2}[\p{L}\p{N}[][^\s)\]]*|www\.[^\s)\]]*|(?:data|javascript|vbscript|mailto|file|tel):[^\s)\]]+|[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+\.[\p{L}\p{N}.-]+|(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?::\d+|[\\/])[^\s)\]]*/giu;

/** Removing something can create a new match from the text around it. */
const ROUNDS_MAX = 4;

/**
 * Removes citations (we number them ourselves), links, addresses and markup from a model's text, however they
 * are spelled. `removed` counts the removals.
 */
export function wordsWithoutMarkup(text: string): { text: string; removed: number } {
  let removed = 0;
  const take = (pattern: RegExp, rest: string, keep = ''): string =>
    rest.replace(pattern, (_whole, label: unknown) => {
      removed += 1;
      return typeof label === 'string' ? label : keep;
    });
  let plain = spelledPlainly(oneLine(text).slice(0, CHARS_MAX * 4));
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const before = plain;
    plain = take(LINK, take(LINK, take(TAG, take(CITATION, plain))));
    plain = spelledPlainly(oneLine(take(ADDRESS, take(LINK_TARGET, plain))));
    if (plain === before) return { text: clip(plain, CHARS_MAX), removed };
  }
  // Nesting this deep is an attempt to evade the filter.
  return { text: '', removed: removed + 1 };
}

/** Replaces ASCII look-alikes (`ｈ`, `𝐡`, `：`), entities and invisible characters between ASCII letters. */
function spelledPlainly(text: string): string {
  return text
    .replace(ENTITY, (entity, code: string) => decoded(code) ?? entity)
    .replace(/[^\u0000-\u00FF\p{No}]/gu, (character) => {
      const plain = character.normalize('NFKC');
      return /^[!-~]$/.test(plain) ? plain : character;
    })
    .replace(
      /(?<=[!-~])(?:[\u{115F}\u{1160}\u{2800}]|\u{034F}|\u{200C}|\u{200D}|\p{Variation_Selector})+(?=[!-~])/gu,
      '',
    );
}

const ENTITY =
  /&(#\d{1,7}|#x[0-9a-f]{1,6}|colon|sol|period|commat|lsqb|lbrack|rsqb|rbrack|lpar|rpar|lt|gt|amp|bsol|Tab|NewLine);/gi;
const NAMED: Record<string, string> = {
  colon: ':',
  sol: '/',
  period: '.',
  commat: '@',
  lsqb: '[',
  lbrack: '[',
  rsqb: ']',
  rbrack: ']',
  lpar: '(',
  rpar: ')',
  lt: '<',
  gt: '>',
  amp: '&',
  bsol: '\\',
  tab: ' ',
  newline: ' ',
};

function decoded(code: string): string | undefined {
  if (!code.startsWith('#')) return NAMED[code.toLowerCase()];
  const number = /^#x/i.test(code) ? Number.parseInt(code.slice(2), 16) : Number(code.slice(1));
  return number < 0x20 || number > 0x10ffff || (number >= 0xd800 && number <= 0xdfff)
    ? ' '
    : String.fromCodePoint(number);
}
