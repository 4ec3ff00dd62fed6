import type { ResearchInput, ResearchReport } from '../../../contract/research.ts';
import { LIMITS } from '../../../core/limits.ts';
import type { Outcome } from '../../../core/outcome.ts';
import { limitationsOf } from './limitations.ts';
import type { ResearchMode } from '../parameters.ts';
import { readable } from '../text/quote.ts';
import { matchOfFindings } from '../match.ts';
import { renderMarkdown } from './markdown.ts';
import { OTHER_THEME } from '../themes.ts';
import { sha256, type Finding, type ResearchSource, type ResearchState, type Statement } from '../state.ts';

type Wire = ResearchReport['executive_summary'][number];

const CONCLUSIONS_MAX = 3;

export interface ReportFacts {
  researchId: string;
  mode: ResearchMode;
  /** The model's name, or undefined when nobody but the sources spoke. */
  writtenBy: string | undefined;
  citationFormat: ResearchInput['citation_format'];
  length: ResearchInput['output_length'];
}

/** How much is written out: points of the summary, themes, and findings of each. */
const LENGTHS = {
  short: { summary: 3, themes: 3, perTheme: 2 },
  standard: { summary: 5, themes: 7, perTheme: 6 },
  long: { summary: 8, themes: 7, perTheme: 60 },
};

/**
 * The report as it follows from the state. Numbers of citations are given here, in the order in which they are first used, and only to
 * sources that a finding really quotes; nothing that a page or a model says can add one.
 */
export function buildReport(state: ResearchState, facts: ReportFacts): ResearchReport {
  const sources = new Map(state.sources.map((source) => [source.id, { source, hash: sha256(source.text) }]));
  const sound = state.findings.filter((finding) => isSound(finding, sources));
  const match = matchOfFindings(state.query, sound, state.sources);
  const cite = createCitations(sound);
  const main = sound.filter(({ echoOf }) => echoOf === undefined).sort((a, b) => b.score - a.score);
  const byModel = facts.writtenBy !== undefined;
  const quoted = (finding: Finding): Wire =>
    cite(byModel ? finding.statement : quotes(finding), [finding.id]);
  const written = (statements: Statement[]): Wire[] =>
    statements
      .map(({ text, findingIds }) => cite(text, findingIds))
      .filter(({ citations }) => citations.length > 0);

  const summary = written(state.summary);
  const length = LENGTHS[facts.length];
  const executive_summary = summary.length > 0 ? summary : spread(main, sound, length.summary).map(quoted);
  const key_findings = themesIn(main)
    .slice(0, length.themes)
    .map(([theme, findings]) => ({ theme, statements: findings.slice(0, length.perTheme).map(quoted) }));
  const supporting_evidence = supported(main, sound).map(({ finding, hosts }) =>
    cite(`${hosts} independent sites say so: ${quotes(finding)}`, [finding.id]),
  );
  const conflicting_information = conflictsIn(state, sound, cite);
  const conclusions = written(state.conclusions);
  // Findings that are not written out have numbers too, so they come before the sources are listed.
  const concludedAs = conclusions.length > 0 ? conclusions : concluded(state, main, cite);
  const findings = sound.map((finding) => toWire(finding, cite.numberOf(finding.sourceId)));
  const report = {
    research_id: facts.researchId,
    query: state.query,
    mode: facts.mode,
    outcome: outcomeOf(state, sound),
    match,
    written_by: facts.writtenBy ?? 'quotes',
    executive_summary,
    key_findings,
    supporting_evidence,
    conflicting_information,
    limitations: limitationsOf(state, sound, { byModel, match }),
    conclusions: concludedAs,
    sources: cite.sources(state),
    findings,
    removed: state.removed,
    iterations: state.iteration,
  };
  return { ...report, markdown: renderMarkdown(report, facts.citationFormat) };
}

const quotes = (finding: Finding): string => `“${readable(finding.quote)}”`;

/** A finding stands only as long as its words stand in its source. */
function isSound(finding: Finding, sources: Map<string, { source: ResearchSource; hash: string }>): boolean {
  const found = sources.get(finding.sourceId);
  return (
    found !== undefined &&
    found.source.hash === finding.hash &&
    found.hash === finding.hash &&
    finding.quote !== '' &&
    found.source.text.slice(finding.start, finding.end) === finding.quote
  );
}

interface Cite {
  (text: string, findingIds: string[]): Wire;
  numberOf(sourceId: string): number;
  sources(state: ResearchState): ResearchReport['sources'];
}

function createCitations(findings: Finding[]): Cite {
  const numbers = new Map<string, number>();
  const numberOf = (sourceId: string): number => {
    const number = numbers.get(sourceId) ?? numbers.size + 1;
    numbers.set(sourceId, number);
    return number;
  };
  const cite = (text: string, findingIds: string[]): Wire => {
    const cited = findings.filter(
      ({ id, echoOf }) => findingIds.includes(id) || findingIds.includes(echoOf ?? ''),
    );
    const citations = [...new Set(cited.map(({ sourceId }) => numberOf(sourceId)))].sort((a, b) => a - b);
    return { text, citations, finding_ids: cited.map(({ id }) => id) };
  };
  const sources = (state: ResearchState): ResearchReport['sources'] =>
    state.sources
      .filter(({ id }) => numbers.has(id))
      .map((source) => ({
        number: numberOf(source.id),
        id: source.id,
        title: source.title,
        url: source.url,
        quality: source.quality,
        text_kind: source.textKind,
        hash: source.hash,
        provider: source.provider,
        ...(source.publishedDate === undefined ? {} : { published_date: source.publishedDate }),
        ...(source.favicon === undefined ? {} : { favicon: source.favicon }),
      }))
      .sort((a, b) => a.number - b.number);
  return Object.assign(cite, { numberOf, sources });
}

/**
 * The findings for a summary: those that several sites support first, then the best one of each theme that answers about as well as the best
 * of all, then the rest, so that a summary is not about one thing only.
 */
function spread(findings: Finding[], all: Finding[], countMax: number): Finding[] {
  const best = findings[0]?.score ?? 0;
  const isSupported = (finding: Finding): boolean => all.some(({ echoOf }) => echoOf === finding.id);
  const themes = [...new Map(findings.toReversed().map((one) => [one.theme, one])).values()];
  const first = [findings[0], ...findings.filter(isSupported), ...themes.toSorted(byScore)].filter(
    (finding) => finding !== undefined && finding.score >= best * SUMMARY_SHARE,
  );
  return [...new Set([...first, ...findings])].slice(0, countMax) as Finding[];
}

/** What answers the question less than half as well as the best does not belong into a summary only for its theme. */
const SUMMARY_SHARE = 0.5;
const byScore = (a: Finding, b: Finding): number => b.score - a.score;

function themesIn(findings: Finding[]): [string, Finding[]][] {
  const themes = new Map<string, Finding[]>();
  for (const finding of findings) themes.set(finding.theme, [...(themes.get(finding.theme) ?? []), finding]);
  const rank = ([theme, [best]]: [string, Finding[]]): number =>
    theme === OTHER_THEME ? -1 : (best?.score ?? 0);
  return [...themes].sort((a, b) => rank(b) - rank(a));
}

function supported(main: Finding[], all: Finding[]): { finding: Finding; hosts: number }[] {
  return main.flatMap((finding) => {
    const echoes = all.filter(({ echoOf }) => echoOf === finding.id).length;
    return echoes === 0 ? [] : [{ finding, hosts: echoes + 1 }];
  });
}

function conflictsIn(state: ResearchState, sound: Finding[], cite: Cite): Wire[] {
  return state.conflicts.flatMap(({ findingIds, values, kind }) => {
    const [a, b] = findingIds.map((id) => sound.find((finding) => finding.id === id));
    if (a === undefined || b === undefined) return [];
    const what = kind === 'date' ? 'year' : 'figure';
    const text = `The ${what} differs, ${values[0]} or ${values[1]}: ${quotes(a)} but ${quotes(b)}`;
    return [cite(text, [a.id, b.id])];
  });
}

/** Without a model nothing is concluded beyond what stands: what is best supported, and what is in dispute. */
function concluded(state: ResearchState, main: Finding[], cite: Cite): Wire[] {
  const firm = main.filter(({ confidence }) => confidence === 'high').slice(0, CONCLUSIONS_MAX);
  const best = firm.length > 0 ? firm : main.slice(0, 1);
  const label = firm.length > 0 ? 'Best supported' : 'Closest to the question';
  const disputed = state.conflicts
    .slice(0, CONCLUSIONS_MAX)
    .map(({ findingIds, values }) => cite(`In dispute: ${values.join(' or ')}.`, findingIds));
  return [...best.map((finding) => cite(`${label}: ${quotes(finding)}`, [finding.id])), ...disputed].filter(
    ({ citations }) => citations.length > 0,
  );
}

function outcomeOf(state: ResearchState, sound: Finding[]): Outcome {
  const hasFailed = state.failed.some(({ step }) => step === 'search');
  if (state.sources.length === 0) return hasFailed ? 'failed' : 'empty';
  const isCut = state.stop !== undefined && state.stop !== 'nothing_new';
  if (hasFailed || isCut) return 'partial';
  return sound.length === 0 ? 'empty' : 'ok';
}

const toWire = (finding: Finding, citation: number): ResearchReport['findings'][number] => ({
  id: finding.id,
  statement: finding.statement.slice(0, LIMITS.snippetCharsMax),
  quote: finding.quote,
  source_id: finding.sourceId,
  citation,
  url: finding.url,
  hash: finding.hash,
  start: finding.start,
  end: finding.end,
  theme: finding.theme,
  confidence: finding.confidence,
});
