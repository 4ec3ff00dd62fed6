import type { Figure } from '../evidence/figure.ts';
import { figuresOf } from '../evidence/figures.ts';
import { readable } from '../evidence/quote.ts';
import type { SentenceCandidate } from './candidates.ts';
import { figureKey } from './said.ts';

/** A figure as one site writes it, and the statements of several sites that have it. */
export interface SameFigure {
  figure: string;
  /** One of each site, the best first. */
  leads: SentenceCandidate[];
}

/** Counts below this are of many things. */
const COUNT_MIN = 20;
/** Figures of several sites are of one thing if their sentences share a word that is not asked about. */
const SHARED_TERMS_MIN = 1;
/** A confidence interval says nothing of what was measured. */
const CONFIDENCE = /^\s?(?:confidence|credible|CI\b|Konfidenz|de confianza)/iu;

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
        (one) => one.key === key && one.leads.every((other) => isAlike(other, lead, asked)),
      );
      if (same === undefined) found.push({ key, figure: figure.text, leads: [lead] });
      else if (same.leads.every(({ host }) => host !== lead.host)) same.leads.push(lead);
    }
  }
  return found.filter((one) => one.leads.length > 1);
}

/** Years, small counts and levels of confidence are the same by chance. */
function isTelling({ kind, dimension, low, end }: Figure, text: string): boolean {
  if (kind === 'date' || CONFIDENCE.test(text.slice(end))) return false;
  return dimension !== '' || low >= COUNT_MIN;
}

function isAlike(one: SentenceCandidate, other: SentenceCandidate, asked: ReadonlySet<string>): boolean {
  if (one.reading.language !== other.reading.language) return false;
  const shared = [...one.terms].filter((term) => other.terms.has(term) && !asked.has(term));
  return shared.length >= SHARED_TERMS_MIN;
}
