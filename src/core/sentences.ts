/**
 * Yields the offsets at which the sentences of a text end, after the full stop and any closing quotation
 * marks, brackets and footnote markers; the last one is `to`. A period inside a number, version, address,
 * abbreviation, initials or ordinal (`3. Oktober`) does not end a sentence, nor does one inside quotation
 * marks or brackets. When in doubt two sentences stay together, because half a sentence can say the opposite.
 */
export function* sentenceEnds(text: string, from = 0, to = text.length): Generator<number> {
  const stretch = text.slice(from, to);
  const enclosed = createEnclosed(stretch);
  let start = 0;
  let next = 0;
  for (const { index, 0: mark } of stretch.matchAll(TERMINAL)) {
    if (index < next) continue;
    next = index + mark.length;
    const end = closersEnd(stretch, next, enclosed.opensAt);
    // In Markdown the period after a number at the start of a line is escaped.
    const at = stretch[index - 1] === '\\' ? index - 1 : index;
    if (!enclosed.isInside(at, end) && isEnd(stretch, { start, at, next, end, mark })) {
      yield from + end;
      start = end;
    }
    next = end;
  }
  if (start < stretch.length) yield to;
}

/** True for a question. Japanese questions may end with a full stop. */
export const isQuestion = (sentence: string): boolean => ASKING.test(sentence.trimEnd());

const CLOSING = '["\'“”’»›«」』）)\\]】》*_`~\\s]*$';
const ASKING = new RegExp(
  `(?:[?？؟][!！?？]*|(?:です|ます|ました|ません|でしょう|だろう|だった|のだ|の)か[。．｡]|[吗呢]。)${CLOSING}`,
  'u',
);

const TERMINAL = /[.!?…。！？｡．।॥؟۔]+/g;
const WIDE = /[。！？｡．।॥؟۔]/;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;

interface Place {
  /**
   * The start of the sentence, the position of its punctuation mark, and the positions after the mark and
   * after closing quotation marks.
   */
  start: number;
  at: number;
  next: number;
  end: number;
  mark: string;
}

function isEnd(text: string, place: Place): boolean {
  const { start, at, end, mark } = place;
  // The number of a list item is not a sentence.
  if (at - start < LABEL_CHARS_MAX && LABEL.test(text.slice(start, at))) return false;
  if (end >= text.length) return true;
  if (WIDE.test(mark)) return isWideEnd(text, place);
  const before = text[at - 1] ?? ' ';
  const after = text[end] ?? ' ';
  if (!/\s/.test(after)) {
    // Japanese and Chinese with ASCII punctuation; a dot may separate the parts of a name.
    const endsWord = mark.startsWith('.') ? /\p{Script=Hiragana}/u : UNSPACED;
    return mark !== '...' && endsWord.test(before) && UNSPACED.test(after) && !isGoingOn(text, place);
  }
  const rest = text.slice(end, end + LOOK_CHARS).trimStart();
  // A name such as `iPhone` may begin a sentence.
  if (/^(?:\p{Ll}(?!\p{Ll}?\p{Lu})|[,;:)\]}、，])/u.test(rest)) return false;
  // An ellipsis after a space marks omitted words.
  if (/…|\.\./.test(mark)) return !/\s/.test(before) && /^["'“„«‘(¿¡]?\p{Lu}/u.test(rest);
  return mark === '.' ? !isAbbreviated(text, place, rest) : !PROPER.test(text.slice(start, at));
}

const LOOK_CHARS = 40;
const LABEL_CHARS_MAX = 8;
const LABEL = /^[\s*_(>#-]*(?:\d{1,3}|\p{L}|[ivx]{1,4})?$/iu;
/** Names that contain an exclamation mark. */
const PROPER = /(?:^|\s)(?:Yahoo|Yum|Jeopardy)$/;

const NUMERAL = /[\d０-９〇一二三四五六七八九十百千万億亿兆]/;

function isWideEnd(text: string, place: Place): boolean {
  const { at, next, end, mark } = place;
  // A full-width period is also a decimal point.
  const isPoint = mark === '．' && NUMERAL.test(text[at - 1] ?? '') && NUMERAL.test(text[next] ?? '');
  if (isPoint || /^\s*[、，,;；)）]/.test(text.slice(end, end + 3))) return false;
  return !isGoingOn(text, { ...place });
}

/** True when a sentence continues after a quotation or an exclamation: 「…。」と言った, “…。”他说. */
function isGoingOn(text: string, { next, end, mark }: Place): boolean {
  const rest = text.slice(end, end + LOOK_CHARS);
  if (end > next)
    return /^(?:\p{Script=Hiragana}|\p{Script=Han}{1,10}(?:说|說|道|表示|称|指出|写|問|问))/u.test(rest);
  return /^[！？!?]+$/.test(mark) && /^(?:と(?!て|こ)|って|など|[のがをにへやも]|は(?!い))/.test(rest);
}

/** Abbreviations that never end a sentence. */
const NEVER_LAST = new Set(
  'e.g i.e cf vs viz bzw ca z.B d.h vgl bspw ggf evtl inkl exkl zzgl sog p.ej p.ex'.split(' '),
);
/** Abbreviations that end a sentence only if the next word is a typical first word. */
const ABBREVIATIONS = new Set(
  (
    'Dr Drs Mr Mrs Ms Messrs Prof St Mt Ft Gen Col Sgt Capt Cmdr Lt Maj Sen Rep Gov Rev Hon Pres Jr Sr Esq Inc Ltd Co Corp Bros Ave Blvd Rd Dept Univ Assn ' +
    'approx etc al est incl Ph resp Hr Fr Frl Dipl Ing Mag Abb Jh Jhd Chr Str Hrsg Aufl Bd dt engl franz frz lat griech österr schweiz geb gest gegr verh usw usf Mio Mrd Tsd ' +
    'Sra Srta Sres Dra Ud Uds Vd Dña Lic Gral Sto Sta EE UU FF AA RR aprox avda Avda cía Cía depto dpto ej máx mín núm pág págs prov tel Mme Mlle Mgr av env éd bijv enz dhr mevr'
  ).split(' '),
);
/** Abbreviations only before a number: `No. 5`, `Sept. 11`. */
const NUMBERED =
  /^(?:nos?|nrs?|n[rº]|núms?|figs?|abb|vols?|bd|pp?|pág|págs|s|arts?|abs|kap|chap|ch|secs?|eqs?|tab|op|ref|str|jan|feb|mar|mär|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez|ene|abr|ago|dic)$/i;
const FIRST_WORD =
  /^["'“„«‘(¿¡*_]*(?:The|A|It|Its|In|On|At|He|She|They|We|You|This|That|These|Those|There|His|Her|Their|Our|But|And|If|When|While|As|For|From|By|To|After|Before|However|Since|Then|Although|Because|Der|Die|Das|Den|Dem|Ein|Eine|Er|Sie|Es|Wir|Im|Am|Auf|Aus|Bei|Mit|Nach|Seit|Und|Aber|Doch|Dann|Dieser|Diese|Dieses|El|La|Los|Las|Un|Una|En|Se|Este|Esta|Estos|Por|Para|Con|Pero|Cuando|Desde|Según|También|Le|Les|Il|Elle|Ils)\s/u;
/** The same after an initial, where most of these words are names (K. He). */
const SURE_FIRST_WORD = /^["'“„«‘(¿¡*_]*(?:The|It|In|This|These|They|Der|Die|Das|Es|Im|El|Los|Las|En|Les)\s/u;

const WORD_BREAK = /[\s([„“”"'‘«»/–—*_]/;

function isAbbreviated(text: string, { start, at }: Place, rest: string): boolean {
  let from = at;
  while (from > start && at - from < LOOK_CHARS && !WORD_BREAK.test(text[from - 1] ?? ' ')) from -= 1;
  const word = text.slice(from, at);
  if (/^(?:\d{1,3}|[IVX]{2,5})$/.test(word)) return isOrdinal(text, start, at, rest);
  if (NUMBERED.test(word) && /^(?:\d|[IVX]+\b)/.test(rest)) return true;
  if (NEVER_LAST.has(word)) return true;
  const isInitial = /^\p{Lu}$/u.test(word);
  if (!isInitial && !/^\p{L}$|^(?:\p{L}{1,3}\.-?)+\p{L}{1,3}$/u.test(word) && !ABBREVIATIONS.has(word))
    return false;
  return !(isInitial ? SURE_FIRST_WORD : FIRST_WORD).test(rest);
}

const MONTH =
  /^(?:Jan|Jän|Feb|Febr|Mar|Mär|Apr|Mai|May|Maj|Jun|Jul|Aug|Sep|Okt|Oct|Nov|Dez|Dec|Des)[\p{L}]*\b/u;
/** Words of languages that write ordinals with a period, and of languages that do not. */
const POINTED =
  /(?:^|\s)(?:der|die|das|und|den|dem|des|im|am|ist|ein|eine|von|vom|zum|mit|wurde|og|på|och|w|na|je|ja|ve)\s/i;
const PLAIN =
  /(?:^|\s)(?:the|and|of|is|are|were|has|to|by|el|la|del|los|las|que|por|con|según|est|une|les|che|della|het|een|uma|não)\s/i;

/** True when a number with a period is an ordinal. When the language is unknown, it is assumed to be one. */
function isOrdinal(text: string, start: number, at: number, rest: string): boolean {
  if (MONTH.test(rest)) return true;
  if (!/^\p{Lu}/u.test(rest) || FIRST_WORD.test(rest)) return false;
  const around = text.slice(Math.max(start, at - 200), at + 150);
  return POINTED.test(around) || !PLAIN.test(around);
}

const CLOSER = /["'”’»›」』）)\]】》*_`~]|[“«](?=[\s,;.]|$)/y;
const LINK_TARGET = /\]\([^()\s]*\)|\[\^?[^\]\s[]{1,12}\](?!\()|\[\\\[[^\]\s[]{1,12}\]\]\([^()\s]*\)/y;

/** The end of the quotation marks, brackets, emphasis, footnotes and link targets after a full stop. */
function closersEnd(text: string, from: number, opensAt: (at: number) => boolean): number {
  let at = from;
  while (at < text.length) {
    LINK_TARGET.lastIndex = at;
    CLOSER.lastIndex = at;
    const found = LINK_TARGET.exec(text) ?? (opensAt(at) ? null : CLOSER.exec(text));
    if (found === null) break;
    at += found[0].length;
  }
  return at;
}

const PAIRS: Record<string, string> = {
  '」': '「',
  '』': '『',
  '）': '（',
  ')': '(',
  ']': '[',
  '】': '【',
  '》': '《',
  '”': '“',
};
const BRACKET = /[「」『』（）()[\]【】《》“”„«»"]/g;
/** Longer quotations are treated as texts of their own. */
const ENCLOSED_CHARS_MAX = 300;
const DEPTH_MAX = 8;

interface Enclosed {
  /**
   * True when a range lies inside quotation marks or brackets that continue after it. Must be called in text
   * order.
   */
  isInside(at: number, end: number): boolean;
  opensAt(at: number): boolean;
}

/**
 * The pairs of quotation marks and brackets in a text. An opening mark without a closing one is not a pair.
 */
function createEnclosed(text: string): Enclosed {
  const spans: { open: number; close: number }[] = [];
  const stack: { sign: string; at: number }[] = [];
  for (const { index: at, 0: sign } of text.matchAll(BRACKET)) {
    const opener = stack.findLastIndex((one) => one.sign === openerOf(sign, stack.at(-1)?.sign));
    if (opener !== -1) {
      const open = stack[opener]?.at ?? at;
      stack.length = opener;
      if (at - open <= ENCLOSED_CHARS_MAX) spans.push({ open, close: at });
    } else if (PAIRS[sign] === undefined && (sign !== '"' || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? ' '))) {
      if (stack.length === DEPTH_MAX) stack.shift();
      stack.push({ sign, at });
    }
  }
  spans.sort((a, b) => a.open - b.open);
  const opens = new Set(spans.map(({ open }) => open));
  let place = 0;
  let until = -1;
  return {
    opensAt: (at) => opens.has(at),
    isInside: (at, end) => {
      for (let span = spans[place]; span !== undefined && span.open < at; span = spans[place]) {
        until = Math.max(until, span.close);
        place += 1;
      }
      return until >= end;
    },
  };
}

/** The opening mark that a sign closes; `“` closes `„`, and « and » are used both ways. */
function openerOf(sign: string, last: string | undefined): string | undefined {
  if (sign === '“') return last === '„' ? '„' : undefined;
  if (sign === '«') return last === '»' ? '»' : undefined;
  if (sign === '»') return last === '«' ? '«' : undefined;
  return sign === '"' ? '"' : PAIRS[sign];
}
