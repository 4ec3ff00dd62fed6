import type { ResearchReport } from '../../../contract/research.ts';
import type { Finding, ResearchSource } from '../state.ts';
import { findQuote, readable } from '../text/quote.ts';
import { support } from '../text/supports.ts';

type Wire = ResearchReport['executive_summary'][number];
declare const checked: unique symbol;

/** A statement of which every cited source was checked. Renderers take no other, and only `createClaims` makes one. */
export type Claim = Wire & { readonly [checked]: true };

/** What a statement says, and the findings that shall carry it. */
interface Part {
  claim: string;
  findings: Finding[];
  /** Whether rounded figures will do; the text says so. */
  isRounded?: boolean;
}

export interface Claims {
  /** A sentence with those findings whose quote carries it; undefined when none does. */
  say(claim: string, findings: Finding[]): Claim | undefined;
  /** A finding in its source's own words, with every source in which these words stand. */
  quote(finding: Finding, others: Finding[], label?: string): Claim | undefined;
  /** What several sources say, each in its own words. Undefined when fewer than two carry the same statement. */
  agreement(findings: Finding[]): Claim | undefined;
  /** What sources say against each other; each side is carried by its own quotes. Undefined when a side has none left. */
  dispute(label: string, sides: Finding[][]): Claim | undefined;
  numberOf(sourceId: string): number;
  /** The sources that were cited, by number. */
  numbers: ReadonlyMap<string, number>;
}

/** The one place where citations are given: to a source whose own quote stands in its text and carries the statement. */
export function createClaims(sources: Map<string, ResearchSource>, question: string): Claims {
  const numbers = new Map<string, number>();
  const numberOf = (sourceId: string): number => {
    const number = numbers.get(sourceId) ?? numbers.size + 1;
    numbers.set(sourceId, number);
    return number;
  };
  const textOf = ({ sourceId }: Finding): string => sources.get(sourceId)?.text ?? '';
  const carries = ({ claim, isRounded = false }: Omit<Part, 'findings'>, finding: Finding): boolean => {
    if (findQuote(finding.quote, textOf(finding)) === undefined) return false;
    const found = support(claim, finding.quote, `${question}\n${sources.get(finding.sourceId)?.title ?? ''}`);
    return found === 'exact' || (found === 'about' && isRounded);
  };

  /** Cites every finding that carries its part; undefined when a part has none. */
  const cite = (text: (parts: Part[]) => string, parts: Part[]): Claim | undefined => {
    const kept = parts.map((part) => ({
      ...part,
      findings: part.findings.filter((one) => carries(part, one)),
    }));
    if (kept.some(({ findings }) => findings.length === 0)) return undefined;
    const cited = kept.flatMap(({ findings }) => findings);
    const quotes = cited.map(({ sourceId, quote }) => ({
      citation: numberOf(sourceId),
      quote: readable(quote),
    }));
    const citations = [...new Set(quotes.map(({ citation }) => citation))].sort((a, b) => a - b);
    return { text: text(kept), citations, finding_ids: cited.map(({ id }) => id), quotes } as Claim;
  };

  return {
    numbers,
    numberOf,
    say: (claim, findings) => cite(() => claim, [{ claim, findings }]),
    quote: (finding, others, label = '') => {
      const claim = readable(finding.quote);
      const alike = others.filter(
        (other) => findQuote(finding.quote, textOf(other)) !== undefined && readable(other.quote) === claim,
      );
      return cite(() => `${label}${inMarks(claim)}`, [{ claim, findings: [finding, ...alike] }]);
    },
    agreement: (findings) => {
      const parts = [false, true].flatMap((isRounded) =>
        findings.map((one): Part => {
          const part = { claim: readable(one.quote), isRounded };
          return { ...part, findings: findings.filter((other) => carries(part, other)) };
        }),
      );
      // The statement that most of them carry; an exact one before a rounded one.
      const [best] = parts.toSorted((a, b) => sitesIn(b) - sitesIn(a));
      if (best === undefined || sitesIn(best) < 2) return undefined;
      const label = `${sitesIn(best)} independent sites say ${best.isRounded === true ? 'about the same' : 'so'}`;
      return cite(([part]) => `${label}: ${quoteAll(part?.findings ?? [])}`, [best]);
    },
    dispute: (label, sides) =>
      cite(
        (parts) => `${label}: ${parts.map(({ findings }) => quoteAll(findings)).join(' but ')}`,
        sides.map((findings) => ({ claim: readable(findings[0]?.quote ?? ''), findings })),
      ),
  };
}

const sitesIn = ({ findings }: Part): number => new Set(findings.map(({ sourceId }) => sourceId)).size;
const inMarks = (words: string): string => `“${words}”`;
const quoteAll = (findings: Finding[]): string =>
  [...new Set(findings.map(({ quote }) => inMarks(readable(quote))))].join(', ');

/** The statements of a report that was built before, each with the quotes that its findings have. A statement without any is left out. */
export function checkedClaims(statements: Wire[], findings: ResearchReport['findings']): Claim[] {
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  return statements.flatMap((statement) => {
    const quotes = statement.finding_ids.flatMap((id) => {
      const finding = byId.get(id);
      return finding === undefined ? [] : [{ citation: finding.citation, quote: readable(finding.quote) }];
    });
    return quotes.length === 0 ? [] : [{ ...statement, quotes } as Claim];
  });
}
