/** The position of a quote in a text. */
export interface QuotePlace {
  start: number;
  end: number;
  /** Exact, or ignoring white space, letter case, typography and Markdown. */
  match: 'exact' | 'normalised';
}

/** A shorter quote could match anywhere. */
const QUOTE_LETTERS_MIN = 8;

/** Finds a quote in a text, word for word. There is no fuzzy matching. */
export function findQuote(quote: string, text: string): QuotePlace | undefined {
  const wanted = quote.trim();
  const plain = normalise(wanted);
  if (lettersIn(plain.text) < QUOTE_LETTERS_MIN) return undefined;
  const exact = text.indexOf(wanted);
  if (exact !== -1) return { start: exact, end: exact + wanted.length, match: 'exact' };
  const source = normalise(text);
  const at = wholeWords(source.text, plain.text);
  if (at === -1) return undefined;
  const start = source.places[at] ?? 0;
  const end = (source.places[at + plain.text.length - 1] ?? 0) + 1;
  return { start, end, match: 'normalised' };
}

/** A match inside a word or number would mean something else: `11` in `1911`. */
function wholeWords(text: string, wanted: string): number {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + wanted.length] ?? ' ';
    const cutsStart = isWord(before) && isWord(wanted[0] ?? ' ');
    const cutsEnd = isWord(after) && isWord(wanted.at(-1) ?? ' ');
    if (!cutsStart && !cutsEnd) return at;
  }
  return -1;
}

const isWord = (character: string): boolean => /[A-Za-z0-9]/.test(character);
/** Counts letters and digits; a Chinese or Japanese character counts as two. */
const lettersIn = (text: string): number =>
  text
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, '..').length;

/** The normalised text, with the original position of each character. */
function normalise(text: string): { text: string; places: number[] } {
  let plain = '';
  const places: number[] = [];
  const add = (character: string, place: number): void => {
    if (character === ' ' && (plain === '' || plain.endsWith(' '))) return;
    plain += character;
    places.push(place);
  };
  for (let at = 0; at < text.length; at += 1) {
    const skipped = markupAt(text, at);
    if (skipped > 0) {
      at += skipped - 1;
      continue;
    }
    const character = text[at] ?? '';
    add(/\s/.test(character) ? ' ' : (ALIKE[character] ?? lower(character)), at);
  }
  if (plain.endsWith(' ')) {
    plain = plain.slice(0, -1);
    places.pop();
  }
  return { text: plain, places };
}

/** Lower case only if the length stays the same, so that positions stay valid. */
function lower(character: string): string {
  const small = character.toLowerCase();
  return small.length === character.length ? small : character;
}

const ALIKE: Record<string, string> = {
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '‘': "'",
  '’': "'",
  '–': '-',
  '—': '-',
  '‑': '-',
  '−': '-',
};

/** Any ASCII punctuation can be escaped. */
const ESCAPED = /[!-/:-@[-`{-~]/;
const FOOTNOTE = /\[\^[^\]\s[]{1,12}\]/y;
const LINK_TARGET = /\]\((?:[^()\s]|\([^()\s]*\))*(?: "[^"\n]*")?\)/y;

/** The number of invisible Markdown characters at a position. */
function markupAt(text: string, at: number): number {
  const character = text[at];
  if (character === ']') {
    LINK_TARGET.lastIndex = at;
    return LINK_TARGET.exec(text)?.[0].length ?? 1;
  }
  if (character === '!' && text[at + 1] === '[') return 2;
  if (character === '\\' && ESCAPED.test(text[at + 1] ?? '')) return 1;
  if (character === '[' && text[at + 1] === '^') {
    FOOTNOTE.lastIndex = at;
    return FOOTNOTE.exec(text)?.[0].length ?? 1;
  }
  return character === '[' || character === '*' || character === '`' || character === '_' ? 1 : 0;
}

const CODE = /(`+)(?!`)([^`]|(?!\1(?!`))`)*?[^`]\1(?!`)/y;
const LINK = /!?\[(?=(?:[^[\]\\\n]|\\.|\[[^[\]\n]{0,300}\]){0,300}\]\()/y;

/** Most sentences have none of these. */
const MARKUP = /[\\`[\]!*_]/;

/** A passage of a page as a reader sees it, on one line: without Markdown, with escapes resolved. */
export function readable(text: string): string {
  let plain = MARKUP.test(text) ? '' : text;
  for (let at = plain.length; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '\\' && ESCAPED.test(text[at + 1] ?? '')) {
      at += 1;
      plain += text[at] ?? '';
      continue;
    }
    const code = character === '`' ? matchAt(CODE, text, at) : undefined;
    if (code !== undefined) {
      plain += code.replace(/^`+ ?| ?`+$/g, '');
      at += code.length - 1;
      continue;
    }
    const skipped = hiddenAt(text, at);
    if (skipped > 0) at += skipped - 1;
    else plain += character;
  }
  return plain.replace(/\s+/g, ' ').trim();
}

/** The length of a Markdown mark here. `[sic]`, `2 * 3` and `a_b` have none. */
function hiddenAt(text: string, at: number): number {
  const character = text[at];
  if (character === '[' || character === '!')
    return (matchAt(LINK, text, at) ?? matchAt(FOOTNOTE, text, at) ?? '').length;
  if (character === ']') return (matchAt(LINK_TARGET, text, at) ?? '').length;
  if (character !== '*' && character !== '_') return 0;
  const run = (matchAt(/\*+|_+/y, text, at) ?? character).length;
  const before = text[at - 1] ?? ' ';
  const after = text[at + run] ?? ' ';
  const isApart = /\s/.test(before) && /\s/.test(after);
  const isInside = /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
  return isApart || (isInside && (character === '_' || isAlone(text, character))) ? 0 : run;
}

const isAlone = (text: string, mark: string): boolean => text.indexOf(mark) === text.lastIndexOf(mark);

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** The text that a session's findings were quoted from. */
export interface SourceText {
  id: string;
  url: string;
  hash: string;
  text: string;
}
