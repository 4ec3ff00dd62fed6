import { isQuestion, sentenceEnds } from '../core/sentences.ts';
import { readable } from './quote.ts';

/** A sentence and its position in the text. */
export interface Sentence {
  text: string;
  start: number;
  end: number;
  /** The previous sentence and its position, if this one begins with `it`, `they` and the like. */
  context?: string;
  contextStart?: number;
}

const CHARS_MIN = 20;
/** The longest quote. */
export const CHARS_MAX = 420;
const WORDS_MIN = 4;

/** Lines that are not prose: headings, table rows, rules, images, link lists, captions of code. */
const NOT_PROSE = /^\s*(?:#{1,6}\s|\||```|~~~|-{3,}\s*$|={3,}\s*$|!\[|\[[^\]]*\]\([^)]*\)\s*$)/;
const LIST_MARK = /^\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+|>\s?)+/;

/**
 * The quotable sentences of a page, in order, with exact offsets. Fragments, such as cut snippets, and
 * questions are left out.
 */
export function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  for (const { from, to, isItem } of paragraphsOf(text)) {
    const fact = isItem ? factIn(text, from, to) : undefined;
    if (fact !== undefined) {
      sentences.push(fact);
      continue;
    }
    let start = from;
    let before = from;
    const ends = isUnmarked(text, from, to) ? clauseEnds : sentenceEnds;
    for (const end of ends(text, from, to)) {
      addSentence(sentences, text, start, end, before);
      before = start;
      start = end;
    }
  }
  return sentences;
}

/** A fact in a list, which has no full stop: `Opening: 12 October 2026`. */
const FACT = /^[^\s:：][^:：.!?()]{2,60}[:：]\s?(?=.*\p{N})[^!?]{2,160}[^.!?:：,;]$/u;
/** Lines about the page, a book or an office, and such as hold more than one fact. */
const NO_FACT =
  /^(?:tel\b|telephone|phone|fax|e-?mail|published|updated|posted|isbn|issn|doi|see also|sources?|photo|author|tags?|stand|quelle|foto|fuente|autor)|https?:|[^.\s]{4,}\.\s|;\s/iu;

function factIn(text: string, from: number, to: number): Sentence | undefined {
  const line = text.slice(from, to).trimEnd();
  const said = readable(line);
  const isWholeLine = /^\s*(?:$|\n|[-*+•]\s|\d{1,3}[.)]\s)/.test(text.slice(to));
  if (!isWholeLine || !FACT.test(said) || NO_FACT.test(said) || speaksToMachines(said)) return undefined;
  return { text: line, start: from, end: from + line.length };
}

/** Scripts without full stops; a space ends a clause or a sentence. */
const UNMARKED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/gu;
const isUnmarked = (text: string, from: number, to: number): boolean => {
  const stretch = text.slice(from, to);
  return (stretch.match(UNMARKED)?.length ?? 0) * 2 > stretch.length;
};
/** Shorter clauses are joined with the next, because half a sentence can say the opposite; they are then as long as sentences of other languages. */
const CLAUSES_CHARS_MIN = 120;

function* clauseEnds(text: string, from: number, to: number): Generator<number> {
  let start = from;
  for (const { index } of text.slice(from, to).matchAll(/\s+/g)) {
    if (from + index - start < CLAUSES_CHARS_MIN || to - from - index < CLAUSES_CHARS_MIN / 2) continue;
    yield from + index;
    start = from + index;
  }
  yield to;
}

function addSentence(sentences: Sentence[], text: string, from: number, to: number, before: number): void {
  let start = from;
  let end = to;
  while (start < end && /\s/.test(text[start] ?? '')) start += 1;
  while (end > start && /\s/.test(text[end - 1] ?? '')) end -= 1;
  const sentence = text.slice(start, end);
  if (!isQuotable(sentence)) return;
  const context = text.slice(before, from).trim();
  const isLeaning = LEANING.some((pattern) => pattern.test(sentence));
  if (context === '' || !isLeaning) sentences.push({ text: sentence, start, end });
  else sentences.push({ text: sentence, start, end, context, contextStart: text.indexOf(context, before) });
}

/** Beginnings that refer to the previous sentence, and pointers soon after one: `Most airlines insure themselves against this`. */
const LEANING = [
  /^(?:It|They|He|She|This|These|Those|Its|Their|His|Her|Such)\b|^That(?:['’]s|\s(?:is|was|has|had|means|makes|made|leaves|left|would|will|includes|leads|led))\b/,
  /^(?:On|In|At|By|For|With)\s(?:that|this|these|those)\b|^(?:\p{L}+\s){1,3}(?:it|them)\b|\b(?:do|does|did) so\b/u,
  /^[^,.;:]{0,50}\b(?:therefore|these\s\p{Ll}+|(?:against|after|before|from|of|with|by|for|without) this)\b(?!\s(?:year|week|month|morning|evening|spring|summer|autumn|winter)\b)/u,
  /^The (?:remainder|rest|remaining|latter|former|others?|lower|higher)(?=,|\s(?:is|are|was|were|has|have|had|will|went|came|one|two|half|third)\b)|^[^,.;:]{0,40}, (?:however|by contrast|in turn),/,
  /^(?:Er|Sie|Dies(?:e[mnrs]?)?|Damit|Dadurch|Dabei|Daher|Deshalb|Davon|Dafür|Das (?:ist|sind|war|waren|hat|bedeutet))\s/,
  /^[^,.;:]{0,60}\b(?:dagegen|hingegen|jedoch)\b/,
  /^(?:Ils?|Elles?|Ce(?:t|tte|s|la|ux|lui|lle)?|Ainsi|Le reste)\s(?!(?:an|année|mois|semaine)\b)|^C['’]est\b/,
  /^(?:El (?:resto|tercio restante)|Est[aeo]s?|Es[ao]s?|Ell[ao]s?|Él|Por (?:eso|ello|esto))\s(?!(?:año|mes|semana|verano|invierno)\b)/,
  /^[^、。]{0,4}(?:これ|それ|この[一二三四五数]つ|このうち)/u,
  /^(?:这(?:些|一|是|也)|那|此|它|他|她)/u,
];

interface Paragraph {
  from: number;
  to: number;
  /** Whether it is one line of a list. */
  isItem: boolean;
}

/** Paragraphs; code, tables, headings and the seam between two passages are left out. */
function* paragraphsOf(text: string): Generator<Paragraph> {
  let open: Paragraph | undefined;
  let inCode = false;
  let at = 0;
  for (const line of text.split(/(?<=\n)|(?<= \[\.\.\.\] )/)) {
    const start = at;
    at += line.length;
    const isSeam = line.endsWith(' [...] ');
    const end = isSeam ? at - ' [...] '.length : at;
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) inCode = !inCode;
    const mark = LIST_MARK.exec(line)?.[0].length ?? 0;
    const isBreak = isFence || inCode || line.trim() === '' || NOT_PROSE.test(line) || mark > 0;
    if (isBreak && open !== undefined) {
      yield open;
      open = undefined;
    }
    if (isFence || inCode || line.trim() === '' || NOT_PROSE.test(line)) continue;
    open = { from: open?.from ?? start + mark, to: end, isItem: mark > 0 && !line.includes('>') };
    if (isSeam || mark > 0) {
      yield open;
      open = undefined;
    }
  }
  if (open !== undefined) yield open;
}

function isQuotable(written: string): boolean {
  const sentence = readable(written);
  const { length } = sentence;
  const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
  const isDense = dense.test(sentence);
  if (length > CHARS_MAX || length < (isDense ? CHARS_MIN / 3 : CHARS_MIN)) return false;
  if (!isDense && sentence.split(/\s+/).length < WORDS_MIN) return false;
  const letters = sentence.replace(/[^\p{L}\p{M}\p{N}\s]/gu, '').length;
  if (letters < length * 0.7) return false;
  const isClause = isUnmarked(sentence, 0, length);
  return (isClause || isWhole(sentence)) && !isQuestion(sentence) && !speaksToMachines(sentence);
}

/** Whether a sentence starts like one (`iPhone` may) and ends with a real full stop. */
const isWhole = (sentence: string): boolean =>
  !/^[^\p{L}\p{N}]*(?:…|\.\.)|^[^\p{L}\p{N}]*\p{Ll}+(?![\p{L}\p{N}.])/u.test(sentence) &&
  /(?:^|[^.…])[.!?。！？｡．।॥؟۔]["'“”’»›«)\]」』）】》*_`~]*(?:\[\^?[^\]\s]{1,12}\]|\]\([^()\s]*\))*$/.test(
    sentence,
  );

/** Detects instructions to a reading model (prompt injection), which are never used as evidence. */
export const speaksToMachines = (text: string): boolean =>
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|prompts?|rules|above|previous)\b|\b(?:system prompt|as an ai\b|you are (?:now )?(?:an? )?(?:ai|assistant|language model|chatbot))|\b(?:reveal|send|print|output)\b.{0,30}\b(?:api[ _-]?key|password|secret|credentials?|system prompt)/i.test(
    text,
  );
