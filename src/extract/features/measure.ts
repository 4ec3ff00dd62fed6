import type { Block } from '../parse/nodes.ts';

/** Counts over the characters of one block. */
export interface Measure {
  chars: number;
  words: number;
  linkShare: number;
  commas: number;
  /** Sentence ends followed by a space or the end. */
  sentences: number;
  digits: number;
  capitals: number;
  /** Words that begin with a capital. */
  capitalised: number;
  punctuation: number;
  lines: number;
  endsSentence: boolean;
}

const isWordCode = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  (code >= 0xc0 && code < 0x2000) ||
  (code >= 0x2c00 && code < 0xe000) ||
  (code >= 0xf900 && code < 0xfe00) ||
  (code >= 0xff10 && code < 0xffe0);

/** Scripts written without spaces: two characters count as a word. */
const isIdeograph = (code: number): boolean =>
  (code >= 0x3040 && code < 0xa000) || (code >= 0xf900 && code < 0xfb00) || (code >= 0xe00 && code < 0xf00);

const SENTENCE_ENDS = new Set([0x2e, 0x21, 0x3f, 0x3002, 0xff01, 0xff1f, 0x2026]);
const COMMAS = new Set([0x2c, 0x3001, 0xff0c, 0x60c]);

/** Measures a block in one pass over its characters. */
export function measureBlock(block: Block): Measure {
  const text = block.text;
  const measure = emptyMeasure(text.length);
  let inWord = false;
  let ideographs = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isWordCode(code)) {
      const isCapital = (code >= 65 && code <= 90) || (code >= 0xc0 && code <= 0xde);
      if (isIdeograph(code)) {
        ideographs += 1;
        inWord = false;
        continue;
      }
      if (!inWord) measure.words += 1;
      if (!inWord && isCapital) measure.capitalised += 1;
      if (isCapital) measure.capitals += 1;
      if (code >= 48 && code <= 57) measure.digits += 1;
      inWord = true;
      continue;
    }
    inWord = false;
    if (code === 32) continue;
    countMark(measure, code, text, index);
  }
  measure.words += ideographs / 2;
  measure.linkShare = text.length === 0 ? 0 : Math.min(1, block.linkChars / text.length);
  measure.endsSentence = /[.!?。！？…:"”»)]$/.test(text.slice(-1));
  return measure;
}

function countMark(measure: Measure, code: number, text: string, index: number): void {
  if (code === 10) {
    measure.lines += 1;
    return;
  }
  measure.punctuation += 1;
  if (COMMAS.has(code)) measure.commas += 1;
  else if (SENTENCE_ENDS.has(code)) {
    const next = text.charCodeAt(index + 1);
    if (Number.isNaN(next) || next <= 34 || code > 0x7f) measure.sentences += 1;
  }
}

function emptyMeasure(chars: number): Measure {
  return {
    chars,
    words: 0,
    linkShare: 0,
    commas: 0,
    sentences: 0,
    digits: 0,
    capitals: 0,
    capitalised: 0,
    punctuation: 0,
    lines: 1,
    endsSentence: false,
  };
}
