import { createAnswerFit } from '../answer-fit.ts';
import type { Finding } from '../state.ts';

/** A theme needs at least this share of the best score to be in the summary. */
const SUMMARY_SHARE = 0.3;
const byScore = (a: Finding, b: Finding): number => b.score - a.score;

/**
 * The findings of a summary: the one that answers each part of the question best, then the best of each strong theme,
 * then those that several sites support, then the rest, so that a summary covers more than one aspect.
 */
export function summaryOf(
  findings: Finding[],
  all: Finding[],
  { query, length }: { query: string; length: number },
): Finding[] {
  const best = findings[0]?.score ?? 0;
  const isSupported = (finding: Finding): boolean =>
    all.some(({ echoOf, isCopy }) => echoOf === finding.id && isCopy !== true);
  const themes = [...new Map(findings.toReversed().map((one) => [one.theme, one])).values()];
  const first = [
    ...answering(findings, query),
    findings[0],
    ...themes.toSorted(byScore),
    ...findings.filter(isSupported),
  ].filter((finding) => finding !== undefined && finding.score >= best * SUMMARY_SHARE);
  const countMax = Math.min(length, Math.ceil(findings.length / 2));
  return [...new Set([...first, ...findings])].slice(0, countMax) as Finding[];
}

/** For each part of the question the finding that answers it best, if one fits. */
function answering(findings: Finding[], query: string): Finding[] {
  const fitOf = createAnswerFit(query);
  const fits = findings.map((finding) => ({ finding, fits: fitOf(finding.passage ?? finding.quote) }));
  return (fits[0]?.fits ?? []).flatMap((_, part) => {
    const valueOf = (one: (typeof fits)[number]): number =>
      (one.fits[part]?.value ?? 0) ** 2 * one.finding.score;
    const best = fits.reduce((most, one) => (valueOf(one) > valueOf(most) ? one : most));
    return valueOf(best) > 0 ? [best.finding] : [];
  });
}
