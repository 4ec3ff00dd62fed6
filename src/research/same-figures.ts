import type { Figure } from '../evidence/figure.ts';
import { figuresOf } from '../evidence/figures.ts';
import { readable } from '../evidence/quote.ts';
import { contentTerms } from '../evidence/terms.ts';
import type { SentenceCandidate } from './candidates.ts';
import { figureKey } from './said.ts';

/** A figure or date as one site writes it, and the statements of several sites that have it. */
export interface SameFigure {
  kind: Figure['kind'];
  figure: string;
  /** One of each site, the best first. */
  leads: SentenceCandidate[];
}

/** So many shared words of the question count as one that is not asked about. */
const ASKED_SHARED = 3;
/** Counts below this are of many things. */
const COUNT_MIN = 20;
/** Figures of several sites are of one thing if their sentences share this many words beside the unit that are not asked about. */
const SHARED_TERMS_MIN = { figure: 1, date: 2, round: 3 };
/** Dates are yyyymmdd: a day or a month, but no year. */
const MONTH = 99;
/** A confidence interval says nothing of what was measured, and neither does a scale. */
const CONFIDENCE =
  /^\s?(?:confidence|credible|CI\b|Konfidenz|de confianza)|^-?\s?(?:points?|puntos|Punkte|stufige)[\s-]?(?:scale|Skala)/iu;
/** A number after a capitalised word within a sentence belongs to a name: `on Line 64`. */
const NAME = /[\p{L}\p{N},]\s\p{Lu}[\p{L}-]*\s$/u;
const NAME_MAX = 1_000;
/** The figure of a condition says nothing of what is so. */
const CONDITION = /(?:^|\s)(?:if|whether|wenn|falls|si)\s[^,.;]{0,60}$/iu;
/** What no longer holds is nothing to agree on. */
const FORMER =
  /\b(?:(?:up|down) from|(?:less|more|lower|higher|fewer) than the|instead of|in place of|rather than|once|originally|initially|statt|einst|ursprünglich|anfangs|en lugar de|inicialmente|antes)\s[^,.;]{0,30}$/iu;

/**
 * The figures that statements of several sites have in common, with a word beside them that is not asked about:
 * sentences that tell one thing in words too different to compare.
 */
export function sameFiguresIn(leads: SentenceCandidate[], asked: ReadonlySet<string>): SameFigure[] {
  const found: (SameFigure & { key: string })[] = [];
  for (const lead of leads) {
    const text = readable(lead.text);
    for (const figure of figuresOf(text, lead.reading.language)) {
      if (!isTelling(figure, text)) continue;
      const key = figureKey(figure);
      const same = found.find(
        (one) =>
          one.key === key &&
          one.leads.every((other) => isAlike(other, lead, { asked, figure, least: sharedMin(figure) })),
      );
      if (same === undefined)
        found.push({ key, kind: figure.kind, figure: written(figure, text), leads: [lead] });
      else if (same.leads.every(({ host }) => host !== lead.host)) same.leads.push(lead);
    }
  }
  return found.filter((one) => one.leads.length > 1);
}

/** A figure as it is written, a range with what makes it one: `between five and twelve days`. */
const written = ({ text, start }: Figure, sentence: string): string =>
  `${/\b(?:between|zwischen|entre)\s$/iu.exec(sentence.slice(0, start))?.[0] ?? ''}${text}`;

/** Years, small counts and levels of confidence are the same by chance. */
function isTelling({ kind, dimension, low, high, start, end }: Figure, text: string): boolean {
  const before = text.slice(0, start);
  // A part of a time, `5:39:04`.
  if (/^:\d/.test(text.slice(end)) || /\d:$/.test(before)) return false;
  // The numbers of a version.
  if (/^\.\d/.test(text.slice(end)) || /\d\.\d+\.\d/.test(text.slice(start, end))) return false;
  if (CONFIDENCE.test(text.slice(end)) || FORMER.test(before) || CONDITION.test(before)) return false;
  if (dimension === '' && low < NAME_MAX && NAME.test(before)) return false;
  if (kind === 'date') return high - low <= MONTH;
  // `1日` alone is a day or the first of a month.
  if (/^\d{1,2}[日号]$/u.test(text.slice(start, end))) return false;
  return dimension !== '' || low >= COUNT_MIN;
}

const sharedMin = ({ kind, precision }: Figure): number =>
  SHARED_TERMS_MIN[kind === 'date' ? 'date' : precision < 2 ? 'round' : 'figure'];

interface Wanted {
  asked: ReadonlySet<string>;
  figure: Figure;
  /** How many words they must share. */
  least: number;
}

/** Whether two statements share words apart from those of the question and the unit. */
function isAlike(
  one: SentenceCandidate,
  other: SentenceCandidate,
  { asked, figure, least }: Wanted,
): boolean {
  if (one.reading.language !== other.reading.language) return false;
  const unit = contentTerms(figure.text);
  const shared = [...one.terms].filter((term) => other.terms.has(term) && !unit.has(term));
  const own = shared.filter((term) => !asked.has(term)).length;
  return own + (shared.length - own >= ASKED_SHARED ? 1 : 0) >= least;
}
