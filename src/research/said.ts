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
  return known >= terms.length * share && [...said.figures].every((figure) => before.figures.has(figure));
}

/** Figures are the same in digits and in words, and in other units of one measure. */
export const figureKey = ({ dimension, low, high }: Figure): string => `${dimension} ${low} ${high}`;

/** A day is known from a date with its year, too. */
const keysOf = (figure: Figure): string[] => {
  const day = figure.low % 1e4;
  const isDay = figure.dimension === 'date' && figure.low === figure.high;
  return [figureKey(figure), ...(isDay ? [`day ${day} ${day}`] : [])];
};

interface Said {
  terms: Set<string>;
  figures: Set<string>;
}

export const saidIn = (text: string, language: Language): Said => ({
  terms: contentTerms(text),
  figures: new Set(figuresOf(text, language).flatMap(keysOf)),
});

/** What a sentence says, read once. */
export const saying = once((candidate) => ({
  terms: candidate.terms,
  figures: saidIn(readable(candidate.text), candidate.reading.language).figures,
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
