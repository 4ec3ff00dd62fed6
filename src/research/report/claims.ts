import { diagnosed, named } from '../../core/own-text.ts';
import type { ResearchReport } from '../../contract/research.ts';
import type { Finding, ResearchSource } from '../state.ts';
import { findQuote, readable } from '../../evidence/quote.ts';
import { support } from '../../evidence/supports.ts';

type Wire = ResearchReport['executive_summary'][number];
declare const checked: unique symbol;

/** A statement whose citations were checked. Renderers accept no other; only `createClaims` makes one. */
export type Claim = Wire & { readonly [checked]: true };

/** A report with checked statements only. */
export interface Printable extends Omit<ResearchReport, 'markdown' | Statements> {
  executive_summary: Claim[];
  key_findings: { theme: string; statements: Claim[] }[];
  supporting_evidence: Claim[];
  conflicting_information: Claim[];
  conclusions: Claim[];
}
type Statements =
  | 'executive_summary'
  | 'key_findings'
  | 'supporting_evidence'
  | 'conflicting_information'
  | 'conclusions';

/** A statement and the findings that should support it. */
interface Part {
  claim: string;
  findings: Finding[];
  /** Whether rounded figures suffice; the text then says so. */
  isRounded?: boolean;
}

export interface Claims {
  /** A sentence with the findings that support it; undefined if there are none. */
  say(claim: string, findings: Finding[]): Claim | undefined;
  /** A finding in its source's words, with every source that contains them. */
  quote(finding: Finding, others: Finding[], label?: string): Claim | undefined;
  /** What several sources say, each quoted. Undefined if fewer than two support the same statement. */
  agreement(findings: Finding[]): Claim | undefined;
  /** The same figure in sources that say it in different words, each quoted. */
  sameFigure(same: NonNullable<Finding['sameFigure']>, findings: Finding[]): Claim | undefined;
  /** Contradicting sources, each side with its own quotes. Undefined if a side has none. */
  dispute(label: string, sides: Finding[][]): Claim | undefined;
  numberOf(sourceId: string): number;
  /** The cited sources, by number. */
  numbers: ReadonlyMap<string, number>;
}

/** The only place that assigns citations: the quote must be in the source and support the statement. */
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

  /** Cites every finding that supports its part; undefined if a part has none. */
  const cite = (text: (parts: Part[]) => string, parts: Part[]): Claim | undefined => {
    const entry = parts.map((part) => ({
      ...part,
      findings: part.findings.filter((one) => carries(part, one)),
    }));
    if (entry.some(({ findings }) => findings.length === 0)) return undefined;
    const cited = entry.flatMap(({ findings }) => findings);
    const quotes = cited.map(({ sourceId, quote }) => ({
      citation: numberOf(sourceId),
      quote: readable(quote),
    }));
    const citations = [...new Set(quotes.map(({ citation }) => citation))].sort((a, b) => a - b);
    return { text: text(entry), citations, finding_ids: cited.map(({ id }) => id), quotes } as Claim;
  };

  return {
    numbers,
    numberOf,
    say: (claim, findings) => cite(() => claim, [{ claim, findings }]),
    quote: (finding, others, label = '') => {
      const quote = finding.passage ?? finding.quote;
      const claim = readable(quote);
      const alike = others.filter(
        (other) =>
          findQuote(quote, textOf(other)) !== undefined && readable(other.quote) === readable(finding.quote),
      );
      const findings = [finding, ...alike].map((one) => ({ ...one, quote }));
      return cite(() => `${label}${inMarks(claim)}`, [{ claim, findings }]);
    },
    agreement: (findings) => {
      const parts = [false, true].flatMap((isRounded) =>
        findings.map((one): Part => {
          const part = { claim: readable(one.quote), isRounded };
          return { ...part, findings: findings.filter((other) => carries(part, other)) };
        }),
      );
      // The statement with most support; exact before rounded.
      const [best] = parts.toSorted((a, b) => sitesIn(b) - sitesIn(a));
      if (best === undefined || sitesIn(best) < 2) return undefined;
      const sites = sitesIn(best);
      const label =
        best.isRounded === true
          ? diagnosed`${sites} sites say about the same`
          : diagnosed`${sites} sites say so`;
      return cite(([part]) => `${label}: ${quoteAll(part?.findings ?? [])}`, [best]);
    },
    sameFigure: ({ kind, figure }, findings) => {
      const parts = findings.map((one) => ({ claim: readable(one.quote), findings: [one] }));
      const label =
        kind === 'date'
          ? diagnosed`${findings.length} sites give the same date, ${named(figure)}`
          : diagnosed`${findings.length} sites give the same figure, ${named(figure)}`;
      return cite((all) => `${label}: ${quoteAll(all.flatMap((part) => part.findings))}`, parts);
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

/** A stored report. Statements whose findings it does not have are left out. */
export function printableOf(stored: ResearchReport): Printable {
  const ids = new Set(stored.findings.map(({ id }) => id));
  const check = (statements: Wire[]): Claim[] =>
    statements.filter(
      (statement): statement is Claim =>
        statement.quotes.length > 0 && statement.finding_ids.every((id) => ids.has(id)),
    );
  return {
    ...stored,
    executive_summary: check(stored.executive_summary),
    key_findings: stored.key_findings.map(({ theme, statements }) => ({
      theme,
      statements: check(statements),
    })),
    supporting_evidence: check(stored.supporting_evidence),
    conflicting_information: check(stored.conflicting_information),
    conclusions: check(stored.conclusions),
  };
}
