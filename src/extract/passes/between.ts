import type { Measure } from '../features/measure.ts';
import type { Block, ElementNode } from '../parse/nodes.ts';
import { keepVisible, type Pass, type PassPage } from './pass.ts';

// The texts that the model learned from often leave out code, formulas, warnings and terms. Readers of a manual come for them.

/** Keeps code and formulas between two texts that are kept. */
export const codeBetween = {
  name: 'code-between',
  why: 'Code and formulas between two texts that are content are content, too.',
  madeFor: 'documentation and lecture notes',
  run: keepCode,
} satisfies Pass;

/** Keeps admonitions between two texts that are kept, and the label of one that is kept itself. */
export const admonitions = {
  name: 'admonitions',
  why: 'Notes and warnings that are set apart within the content belong to it.',
  madeFor: 'documentation',
  run: keepNotes,
} satisfies Pass;

/** Keeps the terms of definitions that are kept. */
export const definitionTerms = {
  name: 'definition-terms',
  why: 'A definition says nothing without its term.',
  madeFor: 'glossaries and API references',
  run: keepTerms,
} satisfies Pass;

function keepCode({ survey, keep }: Pick<PassPage, 'survey' | 'keep'>): void {
  const { tree, measures } = survey;
  let isOpen = false;
  let waiting: number[] = [];
  for (const [index, block] of tree.blocks.entries()) {
    if (keep[index] === 1) {
      for (const code of waiting) keep[code] = 1;
      waiting = [];
      isOpen = true;
    } else if (isCode(block)) {
      if (isOpen && block.element.hidden === '') waiting.push(index);
    } else if ((measures[index] as Measure).words > LABEL_WORDS_MAX) {
      waiting = [];
      isOpen = false;
    }
  }
}

/** A button that copies, the name of a language. */
const LABEL_WORDS_MAX = 3;
/** Whole formulas with punctuation between, and the number of an equation. */
const FORMULA = /^(?:\$[^$]+\$[\s.,;]*)+$|^\(\d{1,3}(?:\.\d{1,3})*[a-z]?\)$/;

const isCode = ({ preformatted, text }: Block): boolean =>
  preformatted || ((text.startsWith('$') || text.startsWith('(')) && FORMULA.test(text));

const NOTES = new Set('admonition callout notecard alert note warning caution tip important hint'.split(' '));
const NOTE_BLOCKS_MAX = 8;
const NOTE_LINKED_MAX = 0.4;

function keepNotes({ tree, keep }: Pick<PassPage, 'tree' | 'keep'>): void {
  for (const note of tree.elements) {
    const { first, end } = note;
    if (!note.isBlock || first >= end || end - first > NOTE_BLOCKS_MAX || !isNote(note)) continue;
    const isBetween = keep[first - 1] === 1 && keep[end] === 1;
    if (isBetween && !isLinked(tree.blocks.slice(first, end))) keepVisible(tree, keep, note);
    else if (keep[first + 1] === 1 && first + 1 < end && isLabel(tree.blocks[first])) keep[first] = 1;
  }
}

const isNote = ({ classNames }: ElementNode): boolean =>
  classNames?.words.some((word) => NOTES.has(word)) ?? false;

const isLinked = (blocks: Block[]): boolean => {
  const chars = blocks.reduce((sum, { text }) => sum + text.length, 0);
  return blocks.reduce((sum, { linkChars }) => sum + linkChars, 0) > NOTE_LINKED_MAX * chars;
};

/** `Warning`, `Good to know`: a few words, not a sign. */
const isLabel = (block: Block | undefined): boolean =>
  block?.element.hidden === '' && /^\p{L}[\p{L}' ]{1,30}[:!?]?$/u.test(block.text);

const TERMS_MAX = 9;
const isShort = ({ first, end }: ElementNode): boolean => end - first <= 2;

function keepTerms({ tree, keep }: Pick<PassPage, 'tree' | 'keep'>): void {
  let terms: ElementNode[] = [];
  for (const element of tree.elements) {
    if (element.tag === 'dt')
      terms = [...terms.slice(-TERMS_MAX).filter(({ parent }) => parent === element.parent), element];
    else if (element.tag === 'dd' && element.parent === terms[0]?.parent) {
      const kept = isMostlyKept(keep, element) ? terms.filter(isShort) : [];
      for (const term of kept) keepVisible(tree, keep, term);
      terms = [];
    }
  }
}

function isMostlyKept(keep: Uint8Array, { first, end }: ElementNode): boolean {
  const kept = keep.subarray(first, end).reduce((sum, one) => sum + one, 0);
  return kept > 0 && kept * 2 >= end - first;
}
