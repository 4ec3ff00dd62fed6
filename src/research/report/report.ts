import type { ResearchInput, ResearchReport } from '../../contract/research.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Outcome } from '../../core/outcome.ts';
import { createClaims, type Claim, type Claims } from './claims.ts';
import { limitationsOf } from './limitations.ts';
import type { ResearchMode } from '../parameters.ts';
import { matchOfFindings } from '../match.ts';
import { renderMarkdown } from './markdown.ts';
import { hostOf } from '../../core/url.ts';
import { isAboutNow, timeOf } from '../now.ts';
import { summaryOf } from './summary.ts';
import { isOtherTheme } from '../themes.ts';
import {
  sha256,
  type Conflict,
  type Finding,
  type ResearchSource,
  type ResearchState,
  type Statement,
} from '../state.ts';

export interface ReportFacts {
  researchId: string;
  mode: ResearchMode;
  /** The name of the model, or undefined if there was none. */
  writtenBy: string | undefined;
  citationFormat: ResearchInput['citation_format'];
  length: ResearchInput['output_length'];
}

/** The size of a report: summary points, themes, and findings per theme. */
const LENGTHS = {
  short: { summary: 2, themes: 3, perTheme: 2, undivided: 4 },
  standard: { summary: 3, themes: 7, perTheme: 6, undivided: 8 },
  long: { summary: 6, themes: 7, perTheme: 60, undivided: 60 },
};

/**
 * Builds the report from the state. A source is cited only where its own text supports the statement; neither
 * a page nor a model can add a citation.
 */
export function buildReport(state: ResearchState, facts: ReportFacts): ResearchReport {
  const sources = new Map(state.sources.map((source) => [source.id, source]));
  const hashes = new Map(state.sources.map(({ id, text }) => [id, sha256(text)]));
  const sound = state.findings.filter((finding) => isSound(finding, sources, hashes));
  const match = matchOfFindings(state.query, sound, state.sources);
  const claims = createClaims(sources, state.query);
  const main = sound.filter(({ echoOf }) => echoOf === undefined).sort(byScore);
  const listed = main.filter(({ isMinor }) => isMinor !== true);
  const byModel = facts.writtenBy !== undefined;
  const echoesOf = ({ id }: Finding): Finding[] =>
    sound.filter(({ echoOf, isCopy }) => echoOf === id && isCopy !== true);
  const stated = (finding: Finding, label = labelOf(sources.get(finding.sourceId))): Claim[] =>
    present(
      byModel ? claims.say(finding.statement, [finding]) : claims.quote(finding, echoesOf(finding), label),
    );
  /** The quotes of a summary by source, the first of each with its label. */
  const bySource = (findings: Finding[]): Claim[] =>
    [...new Set(findings.map(({ sourceId }) => sourceId))].flatMap((id) =>
      findings
        .filter(({ sourceId }) => sourceId === id)
        .flatMap((finding, at) => stated(finding, at === 0 ? undefined : '')),
    );
  const byId = new Map(sound.map((finding) => [finding.id, finding]));
  const written = (statements: Statement[]): Claim[] =>
    statements.flatMap(({ text, findingIds }) =>
      present(
        claims.say(
          text,
          findingIds.flatMap((id) => byId.get(id) ?? []),
        ),
      ),
    );

  const dateOf = ({ sourceId }: Finding): number => timeOf(sources.get(sourceId)?.publishedDate) ?? 0;
  const newestFirst = (findings: Finding[]): Finding[] =>
    isAboutNow(state.query) ? findings.toSorted((a, b) => dateOf(b) - dateOf(a)) : findings;
  const summary = written(state.summary);
  const length = LENGTHS[facts.length];
  const executive_summary =
    summary.length > 0
      ? summary
      : bySource(newestFirst(summaryOf(listed, sound, { query: state.query, length: length.summary })));
  const key_findings = themesIn(listed, length)
    .map(([theme, findings]) => ({ theme, statements: newestFirst(findings).flatMap((one) => stated(one)) }))
    .filter(({ statements }) => statements.length > 0);
  const disputed = new Set(state.conflicts.flatMap(({ sides }) => sides).flatMap((side) => side.findingIds));
  const undisputed = main.filter(({ id }) => !disputed.has(id));
  const supporting_evidence = undisputed.flatMap((finding) => [
    ...present(claims.agreement([finding, ...echoesOf(finding)])),
    ...sameFigure(finding, undisputed, claims),
  ]);
  const conflicting_information = conflictsIn(state, byId, claims);
  const conclusions = written(state.conclusions);
  const figures = figuresIn(state, byId, claims);
  // The best first, which decides what is left out under a token budget. Unlisted findings have citation numbers too, so they are numbered before the sources are listed.
  const findings = sound
    .toSorted(byScore)
    .map((finding) => toWire(finding, claims.numberOf(finding.sourceId)));
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
    ...(figures.length === 0 ? {} : { figures }),
    limitations: limitationsOf(state, sound, { byModel, match }),
    conclusions,
    sources: sourcesIn(state, claims),
    findings,
    removed: state.removed,
    iterations: state.iteration,
  };
  return { ...report, markdown: renderMarkdown(report, facts.citationFormat) };
}

/** What other sites say with a figure of this finding, a line for each figure. */
function sameFigure(finding: Finding, findings: Finding[], claims: Claims): Claim[] {
  const byFigure = new Map<string, { same: NonNullable<Finding['sameFigure']>; others: Finding[] }>();
  for (const other of findings) {
    const same = other.sameFigure;
    if (same?.of !== finding.id) continue;
    const known = byFigure.get(same.figure) ?? { same, others: [] };
    known.others.push(other);
    byFigure.set(same.figure, known);
  }
  return [...byFigure.values()].flatMap(({ same, others }) =>
    present(claims.sameFigure(same, [finding, ...others])),
  );
}

const present = <Value>(value: Value | undefined): Value[] => (value === undefined ? [] : [value]);

/** Who says it, and when: `archive.example (2013-05-02): `. */
function labelOf(
  { url, publishedDate }: Pick<ResearchSource, 'url' | 'publishedDate'> = { url: '' },
): string {
  const day = publishedDate?.match(/^\d{4}(?:-\d\d){0,2}/)?.[0];
  return `${hostOf(url)}${day === undefined ? '' : ` (${day})`}: `;
}

/** Whether the quote of a finding is still in its source. */
function isSound(
  finding: Finding,
  sources: Map<string, ResearchSource>,
  hashes: Map<string, string>,
): boolean {
  const source = sources.get(finding.sourceId);
  return (
    source !== undefined &&
    source.hash === finding.hash &&
    hashes.get(finding.sourceId) === finding.hash &&
    finding.quote !== '' &&
    source.text.slice(finding.start, finding.end) === finding.quote &&
    source.text.startsWith(finding.passage ?? '', finding.start)
  );
}

function sourcesIn(state: ResearchState, { numbers, numberOf }: Claims): ResearchReport['sources'] {
  return state.sources
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
}

const byScore = (a: Finding, b: Finding): number => b.score - a.score;

/** The best findings of the best themes. Where nothing divides the findings, more are printed. */
function themesIn(
  findings: Finding[],
  { themes: themesMax, perTheme, undivided }: (typeof LENGTHS)[keyof typeof LENGTHS],
): [string, Finding[]][] {
  const themes = new Map<string, Finding[]>();
  for (const finding of findings) themes.set(finding.theme, [...(themes.get(finding.theme) ?? []), finding]);
  const rank = ([theme, [best]]: [string, Finding[]]): number =>
    isOtherTheme(theme) ? -1 : (best?.score ?? 0);
  const countMax = themes.size === 1 ? undivided : perTheme;
  return [...themes]
    .sort((a, b) => rank(b) - rank(a))
    .slice(0, themesMax)
    .map(([theme, of]) => [theme, of.slice(0, countMax)]);
}

const DIFFERS: Record<Conflict['kind'], string> = {
  date: 'The date differs',
  number: 'The figure differs',
  name: 'The name differs',
  polarity: 'One affirms what another denies',
};

function conflictsIn(state: ResearchState, byId: Map<string, Finding>, claims: Claims): Claim[] {
  return state.conflicts.flatMap(({ kind, sides }) => {
    const found = sides.map(({ findingIds }) => findingIds.flatMap((id) => byId.get(id) ?? []));
    const values = [...new Set(sides.map(({ value }) => value))].filter((value) => value !== '');
    const label = values.length < 2 ? DIFFERS[kind] : `${DIFFERS[kind]}, ${values.join(' or ')}`;
    return present(claims.dispute(label, found));
  });
}

/** Where sources give different figures: who gives which, and when the page is from, newest first. */
function figuresIn(
  { conflicts, sources }: ResearchState,
  byId: Map<string, Finding>,
  { numberOf }: Claims,
): NonNullable<ResearchReport['figures']> {
  const dates = new Map(sources.map(({ id, publishedDate }) => [id, publishedDate]));
  return conflicts
    .filter(
      ({ kind, sides }) => (kind === 'number' || kind === 'date') && sides.every(({ value }) => value !== ''),
    )
    .map(({ sides }) => {
      const rows = sides.flatMap(({ value, findingIds }) =>
        findingIds
          .flatMap((id) => byId.get(id) ?? [])
          .map(({ sourceId, url }) => {
            const date = dates.get(sourceId);
            return {
              value,
              citation: numberOf(sourceId),
              site: hostOf(url),
              ...(date === undefined ? {} : { published_date: date }),
            };
          }),
      );
      return rows.toSorted((a, b) => (timeOf(b.published_date) ?? 0) - (timeOf(a.published_date) ?? 0));
    })
    .filter((rows) => rows.length > 1);
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
  ...(finding.passage === undefined ? {} : { passage: finding.passage }),
  source_id: finding.sourceId,
  citation,
  url: finding.url,
  hash: finding.hash,
  start: finding.start,
  end: finding.end,
  theme: finding.theme,
  confidence: finding.confidence,
});
