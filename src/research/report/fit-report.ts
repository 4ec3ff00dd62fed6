import type { ResearchInput, ResearchReport } from '../../contract/research.ts';
import { plural } from '../../core/text.ts';
import { fitText } from '../../rank/fit.ts';
import { framed } from '../../rank/frame.ts';
import { bytesFit, countTokens } from '../../rank/tokens.ts';
import { printableOf, type Claim, type Printable } from './claims.ts';
import { renderMarkdown, unrepeated } from './markdown.ts';

export interface ReportRoom {
  tokensMax: number;
  /** The most characters, where a host accepts no more. */
  charsMax?: number;
  format?: ResearchInput['citation_format'];
}

/**
 * The report in Markdown within a token budget: the summary, then findings and contradictions by rank, then the
 * rest. What does not fit makes room for the next that does. Sources of what is printed are always listed, and
 * the last line says what was left out.
 */
export async function fitReport(stored: ResearchReport, room: ReportRoom): Promise<string> {
  const { tokensMax, charsMax = Number.POSITIVE_INFINITY, format = 'numbered' } = room;
  const fits = async (text: string): Promise<boolean> =>
    text.length <= charsMax && (bytesFit(text, tokensMax) || (await countTokens(text)) <= tokensMax);
  if (await fits(stored.markdown)) return stored.markdown;
  const report = printableOf(stored);
  const pieces = ranked(report);
  const taken = new Set<Piece>();
  const render = (): string => {
    const left = new Map<Kind, number>();
    for (const piece of pieces) if (!taken.has(piece)) left.set(piece.kind, (left.get(piece.kind) ?? 0) + 1);
    const named = [...left].map(([kind, count]) => plural(count, kind)).join(', ');
    return renderMarkdown(
      reduced(report, taken),
      format,
      `Left out to stay within the token budget: ${named}.`,
    );
  };
  const frame = render();
  let tokens = tokensMax - (await countTokens(frame));
  let chars = charsMax - frame.length;
  const listed = new Set<number>();
  for (const piece of pieces) {
    const sources = piece.claim?.citations.filter((number) => !listed.has(number)) ?? [];
    const tokensNeeded = (await countTokens(piece.text)) + sources.length * SOURCE_TOKENS;
    const charsNeeded = piece.text.length + sources.length * SOURCE_CHARS;
    if (tokensNeeded > tokens || charsNeeded > chars) continue;
    taken.add(piece);
    tokens -= tokensNeeded;
    chars -= charsNeeded;
    for (const number of sources) listed.add(number);
  }
  for (;;) {
    const text = render();
    if (await fits(text)) return text;
    if (taken.size === 0) return framed(await fitText(text, { tokensMax }));
    for (const piece of [...taken].slice(-Math.ceil(taken.size * DROPPED_SHARE))) taken.delete(piece);
  }
}

type Kind =
  | 'summary sentence'
  | 'finding'
  | 'contradiction'
  | 'agreement'
  | 'table'
  | 'limitation'
  | 'conclusion';

/** A part of a report that is printed whole or left out. */
interface Piece {
  kind: Kind;
  text: string;
  /** The statement, table or limitation itself. */
  part: unknown;
  claim?: Claim;
}

/** About the length of a line in the list of sources. */
const SOURCE_TOKENS = 40;
const SOURCE_CHARS = 150;
/** Markup and escapes may need more than the estimate; then the last are left out. */
const DROPPED_SHARE = 0.05;

/** The parts of a report, the most important first. */
function ranked(report: Printable): Piece[] {
  const places = new Map(report.findings.map(({ id }, at) => [id, at]));
  const rank = ({ claim }: Piece): number =>
    Math.min(...(claim?.finding_ids ?? []).map((id) => places.get(id) ?? places.size));
  const claims = (kind: Kind, list: Claim[]): Piece[] =>
    list.map((claim) => ({ kind, text: claim.text, part: claim, claim }));
  return [
    ...claims('summary sentence', report.executive_summary),
    ...[
      ...claims(
        'finding',
        unrepeated(report).flatMap(({ statements }) => statements),
      ),
      ...claims('contradiction', report.conflicting_information),
    ].toSorted((a, b) => rank(a) - rank(b)),
    ...claims('conclusion', report.conclusions),
    ...claims('agreement', report.supporting_evidence),
    ...(report.figures ?? []).map((part): Piece => ({ kind: 'table', text: JSON.stringify(part), part })),
    ...report.limitations.map((part): Piece => ({ kind: 'limitation', text: part, part })),
  ];
}

/** The report with only what was taken. */
function reduced(report: Printable, taken: Set<Piece>): Printable {
  const parts = new Set([...taken].map(({ part }) => part));
  const keep = <Part>(list: Part[]): Part[] => list.filter((part) => parts.has(part));
  const figures = keep(report.figures ?? []);
  const { figures: _, ...rest } = report;
  return {
    ...rest,
    executive_summary: keep(report.executive_summary),
    key_findings: unrepeated(report)
      .map(({ theme, statements }) => ({ theme, statements: keep(statements) }))
      .filter(({ statements }) => statements.length > 0),
    supporting_evidence: keep(report.supporting_evidence),
    conflicting_information: keep(report.conflicting_information),
    ...(figures.length === 0 ? {} : { figures }),
    limitations: keep(report.limitations),
    conclusions: keep(report.conclusions),
  };
}
