import type { Figure } from '../evidence/figure.ts';
import { figuresOf } from '../evidence/figures.ts';
import type { Language } from '../evidence/language.ts';
import { readable } from '../evidence/quote.ts';
import { CHARS_MAX } from '../evidence/sentences.ts';
import { contentTerms } from '../evidence/terms.ts';
import type { SentenceCandidate } from './candidates.ts';

/** A sentence with this share of its words, apart from those of the question, in an earlier finding repeats it. */
const REPEATED_TERMS = 0.6;
/** With figures, all of which are there too, fewer words tell. */
const REPEATED_WITH_FIGURES = 0.3;

interface Span {
  start: number;
  end: number;
}

/** The span to quote: a sentence that begins with `it` is quoted with the previous one. */
export function spanOf({ start, end, contextStart = start }: SentenceCandidate): Span {
  return end - contextStart <= CHARS_MAX ? { start: contextStart, end } : { start, end };
}

/** The quote with the sentence after it, which often says why, how much or what became of it. */
export function passageOf(candidate: SentenceCandidate): Span {
  const { start, end } = spanOf(candidate);
  const { nextEnd = end } = candidate;
  return { start, end: nextEnd - start <= CHARS_MAX ? nextEnd : end };
}

export const overlap = (a: Span, b: Span): boolean => a.start < b.end && b.start < a.end;

/** Whether all figures of a sentence are in a passage, and most of its words apart from those of the question. */
export function isSaid(said: Said, before: Said, asked: Set<string>): boolean {
  const terms = [...said.terms].filter((term) => !asked.has(term));
  const share = said.figures.size > 0 ? REPEATED_WITH_FIGURES : REPEATED_TERMS;
  const known = terms.filter((term) => before.terms.has(term)).length;
  return known >= terms.length * share && [...said.figures].every((figure) => hasFigure(before, figure));
}

/** Figures are the same in digits and in words, and in other units of one measure. */
export const figureKey = ({ dimension, low, high }: Figure): string => `${dimension} ${low} ${high}`;

interface Said {
  terms: Set<string>;
  figures: Set<string>;
  /** The days of its dates: a date without its year is known from one that has it. */
  days: Set<string>;
}

export function saidIn(text: string, language: Language): Said {
  const figures = figuresOf(text, language);
  const days = figures
    .filter(({ dimension, low, high }) => dimension === 'date' && low === high)
    .map(({ low }) => dayKey(low));
  return { terms: contentTerms(text), figures: new Set(figures.map(figureKey)), days: new Set(days) };
}

/** The key of a date without its year. */
const dayKey = (date: number): string => `day ${date % 1e4} ${date % 1e4}`;

/** Whether a passage has a figure. */
export const hasFigure = ({ figures, days }: Said, key: string): boolean => figures.has(key) || days.has(key);

/** Whether a figure is a day, with or without its year. */
export const isDay = (key: string): boolean => {
  const { dimension, low, high } = parseKey(key);
  return (dimension === 'date' && low === high) || dimension === 'day';
};

/** Figures that differ by less are one, rounded: `some 86,000` of 86,400. */
const ROUNDED = 0.02;

/** Whether a passage has a figure, or one so close that it is the same rounded. */
export function hasFigureNearly(said: Said, key: string): boolean {
  if (hasFigure(said, key)) return true;
  const { dimension, low, high } = parseKey(key);
  if (dimension === 'date') return low === high && said.figures.has(dayKey(low));
  if (dimension === 'day') return false;
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= ROUNDED * Math.abs(b);
  return [...said.figures].some((other) => {
    const known = parseKey(other);
    return known.dimension === dimension && isNear(known.low, low) && isNear(known.high, high);
  });
}

function parseKey(key: string): Pick<Figure, 'dimension' | 'low' | 'high'> {
  const parts = key.split(' ');
  const [high, low] = [Number(parts.pop()), Number(parts.pop())];
  return { dimension: parts.join(' '), low, high };
}

/** What a sentence says, read once. */
export const saying = once((candidate) => ({
  ...saidIn(readable(candidate.text), candidate.reading.language),
  terms: candidate.terms,
}));

/** What is printed of a sentence says: its passage. */
export const saidBy = once((lead) => {
  const { start, end } = passageOf(lead);
  return saidIn(readable(lead.source.text.slice(start, end)), lead.reading.language);
});

function once(make: (candidate: SentenceCandidate) => Said): (candidate: SentenceCandidate) => Said {
  const known = new WeakMap<SentenceCandidate, Said>();
  return (candidate) => {
    const found = known.get(candidate) ?? make(candidate);
    known.set(candidate, found);
    return found;
  };
}
