import type { ResearchInput, ResearchReport } from '../../contract/research.ts';
import { oneLine, plural } from '../../core/text.ts';
import { hostOf } from '../../core/url.ts';
import type { Claim, Printable } from './claims.ts';

/**
 * Renders the report as Markdown, with fixed sections in a fixed order. With `leftOut`, which says what is not in
 * it, sections without content are not printed.
 */
export function renderMarkdown(
  report: Printable,
  format: ResearchInput['citation_format'] = 'numbered',
  leftOut?: string,
): string {
  const isWhole = leftOut === undefined;
  const section = (title: string, ...body: string[]): string[] =>
    isWhole || body.some((part) => part !== '') ? [title, ...body] : [];
  const orElse = (text: string): string => (isWhole ? text : '');
  // Text written by a model is followed by its supporting quotes.
  const finding = (claim: Claim): string[] =>
    report.written_by === 'quotes'
      ? [line(claim)]
      : [line(claim), ...claim.quotes.map(({ citation, quote }) => `  > “${escape(quote)}” [${citation}]`)];
  return [
    `# ${escape(report.query)}`,
    ...section(
      '## Executive Summary',
      summaryOf(report, orElse('Nothing could be found that answers the question.')),
    ),
    ...section('## Key Findings', ...keyFindings(report, finding, isWhole)),
    ...section(
      '## Analysis',
      ...section('### Supporting Evidence', list(report.supporting_evidence, orElse(NO_AGREEMENT))),
      ...section(
        '### Conflicting Information',
        list(report.conflicting_information, orElse(NO_CONTRADICTION)),
      ),
      ...(report.figures === undefined ? [] : ['### Figures', ...report.figures.map(tableOf)]),
      ...section(
        '### Limitations',
        report.limitations.map((limitation) => `- ${escape(limitation)}`).join('\n'),
      ),
    ),
    ...section(
      '## Sources',
      sourcesCited(report)
        .map((one) => `${one.number}. **[${one.number}]** ${SOURCE_LINES[format](one)}`)
        .join('\n') || orElse('No sources.'),
    ),
    ...section('## Conclusions', list(report.conclusions, orElse(withoutConclusions(report)))),
    ...(leftOut === undefined ? [] : [leftOut]),
  ]
    .join('\n\n')
    .concat('\n');
}

/** The sources of what is printed; those of other findings are in the JSON of the report. */
export function sourcesCited(report: Printable): Source[] {
  const claims = [
    ...report.executive_summary,
    ...report.key_findings.flatMap(({ statements }) => statements),
    ...report.supporting_evidence,
    ...report.conflicting_information,
    ...report.conclusions,
  ];
  const cited = new Set([
    ...claims.flatMap(({ citations }) => citations),
    ...(report.figures ?? []).flat().map(({ citation }) => citation),
  ]);
  return report.sources.filter(({ number }) => cited.has(number));
}

const NO_AGREEMENT =
  'No statement was found on several sites in similar words. Sites that say the same in other words are not marked here.';
const NO_CONTRADICTION =
  'No contradiction was found between statements in similar words. Quotes that disagree in other words are not marked here.';

/** Quotes make one paragraph, each with its site; sentences of a model are a list. */
function summaryOf(
  { executive_summary: claims, conflicting_information: conflicts, written_by: by }: Printable,
  otherwise: string,
): string {
  if (claims.length === 0 || by !== 'quotes') return list(claims, otherwise);
  const differ = `The sources contradict each other on ${plural(conflicts.length, 'point')}; see Conflicting Information.`;
  return [...claims.map(sentence), ...(conflicts.length === 0 ? [] : [differ])].join(' ');
}

/** Who gives which figure, as a table. */
const tableOf = (rows: NonNullable<ResearchReport['figures']>[number]): string =>
  [
    '| figure | source | date |',
    '| --- | --- | --- |',
    ...rows.map(
      ({ value, citation, site, published_date: date }) =>
        `| ${cell(value)} | ${cell(site)} [${citation}] | ${cell(date?.slice(0, 10) ?? 'unknown')} |`,
    ),
  ].join('\n');

const cell = (text: string): string => escape(text).replaceAll('|', '\\|');

/** The findings by theme, without those in the summary. */
function keyFindings(report: Printable, finding: (claim: Claim) => string[], isWhole: boolean): string[] {
  if (report.key_findings.length === 0) return isWhole ? ['No findings.'] : [];
  const themes = unrepeated(report);
  if (themes.length === 0) return ['All findings are in the summary.'];
  return themes.flatMap(({ theme, statements }) => [
    // Undivided findings have the question as their heading, which is the title already.
    ...(report.key_findings.length === 1 ? [] : [`### ${escape(theme)}`]),
    statements.flatMap(finding).join('\n'),
  ]);
}

/** The key findings that are not in the summary. */
export function unrepeated(
  report: Pick<Printable, 'key_findings' | 'executive_summary'>,
): Printable['key_findings'] {
  const said = new Set(report.executive_summary.flatMap(({ finding_ids: ids }) => ids.slice(0, 1)));
  return report.key_findings
    .map(({ theme, statements }) => ({
      theme,
      statements: statements.filter(({ finding_ids: [id = ''] }) => !said.has(id)),
    }))
    .filter(({ statements }) => statements.length > 0);
}

export function withoutConclusions({
  findings,
  supporting_evidence: support,
  conflicting_information: conflicts,
}: Printable): string {
  if (findings.length === 0) return 'Nothing can be concluded from what was found.';
  const found = [
    ...(support.length === 0 ? [] : [`${plural(support.length, 'agreement')} between sites`]),
    ...(conflicts.length === 0 ? [] : [plural(conflicts.length, 'contradiction')]),
  ];
  const beside = found.length === 0 ? '' : `: ${found.join(', ')}`;
  return `No conclusions were drawn beyond what the sources say${beside}.`;
}

type Source = ResearchReport['sources'][number];

/** Source lines in the supported citation styles; the site is named in place of the unknown author. */
const SOURCE_LINES: Record<ResearchInput['citation_format'], (source: Source) => string> = {
  numbered: (source) =>
    `${link(source)} (${[source.id, `${source.quality} quality`, ...readOf(source), ...dateOf(source)].join(', ')})`,
  mla: (source) => `“${link(source)}.” ${[escape(hostOf(source.url)), ...dateOf(source)].join(', ')}.`,
  apa: (source) => `${escape(hostOf(source.url))}. (${dateOf(source)[0] ?? 'n.d.'}). ${link(source)}.`,
  chicago: (source) =>
    `${escape(hostOf(source.url))}. “${link(source)}.” ${dateOf(source)
      .map((date) => `${date}. `)
      .join('')}${target(source.url)}.`,
};

const link = ({ title, url }: Source): string => `[${escape(title)}](${target(url)})`;
const readOf = ({ text_kind: kind }: Source): string[] => (kind === 'snippet' ? ['snippet only'] : []);
const dateOf = ({ published_date: date }: Source): string[] =>
  date === undefined ? [] : [escape(date.slice(0, 10))];

const list = (claims: Claim[], otherwise: string): string =>
  claims.length === 0 ? otherwise : claims.map(line).join('\n');

const line = (claim: Claim): string => `- ${sentence(claim)}`;

const sentence = (claim: Claim): string =>
  marked(claim, escape, (numbers) => ` ${numbers.map((number) => `[${number}]`).join('')}`);

/** The text of a claim with its citation numbers, after each quote or at the end. */
export function marked(
  { text, quotes }: Claim,
  write: (text: string) => string,
  mark: (numbers: number[]) => string,
): string {
  const numbersOf = (quote: string): number[] => [
    ...new Set(quotes.filter((one) => one.quote === quote).map(({ citation }) => citation)),
  ];
  const isShown = quotes.every(({ quote }) => text.includes(`“${quote}”`));
  if (!isShown)
    return `${write(text)}${mark([...new Set(quotes.map(({ citation }) => citation))].sort((a, b) => a - b))}`;
  // Writing a part trims it.
  const piece = (part: string): string => (/^\s/.test(part) ? ` ${write(part)}` : write(part));
  let rest = text;
  let written = '';
  for (const quote of new Set(quotes.map((one) => one.quote))) {
    const end = rest.indexOf(`“${quote}”`) + quote.length + 2;
    written += `${piece(rest.slice(0, end))}${mark(numbersOf(quote).sort((a, b) => a - b))}`;
    rest = rest.slice(end);
  }
  return `${written}${piece(rest)}`;
}

/** Escapes untrusted text: one line, without links, headings, markup or citations. */
export const escape = (text: string): string => {
  const line = oneLine(text);
  // A single star or underscore between letters marks nothing and is left unescaped.
  const isMarked = /\S\*.*\S\*|\*\S.*\*/.test(line);
  return line
    .replace(/\\(?=[!-/:-@[-`{-~]|$)/g, '\\\\')
    .replace(BRACKETED, (found) => (found.length > 1 ? found : `\\${found}`))
    .replace(/`/g, '\\`')
    .replace(/\*/g, isMarked ? '\\*' : '*')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/<(?=[a-zA-Z/!?])|&(?=#?[a-zA-Z0-9]{1,30};)|~(?=~)|(?<=~)~/g, '\\$&')
    .replace(/^(?:[#+=>|-]|\*(?=\s))/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2');
};

/** A word in brackets (`[sic]`) is kept; a possible link, link target or citation is escaped. */
const BRACKETED = /(?<![\]!\\])\[\p{L}[\p{L}\s.,'’-]{0,60}\](?![([:])|[[\]]/gu;

const target = (url: string): string =>
  oneLine(url).replace(
    /[\s()<>\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
