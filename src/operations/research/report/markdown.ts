import type { ResearchInput, ResearchReport } from '../../../contract/research.ts';
import { oneLine } from '../../../core/text.ts';
import { hostOf } from '../../../core/url.ts';

type Statements = ResearchReport['executive_summary'];

/** The report as Markdown; the sections are always the same ones in the same order. */
export function renderMarkdown(
  report: Omit<ResearchReport, 'markdown'>,
  format: ResearchInput['citation_format'] = 'numbered',
): string {
  const isQuoted = report.written_by === 'quotes';
  const quoteOf = (id: string | undefined): string =>
    report.findings.find((finding) => finding.id === id)?.quote ?? '';
  // What a model worded is followed by the words it rests on.
  const finding = (statement: Statements[number]): string[] => [
    line(statement),
    ...(isQuoted ? [] : [`  > “${escape(quoteOf(statement.finding_ids[0]))}”`]),
  ];
  return [
    `# ${escape(report.query)}`,
    '## Executive Summary',
    list(report.executive_summary, 'Nothing could be found that answers the question.'),
    '## Key Findings',
    ...(report.key_findings.length === 0
      ? ['No findings.']
      : report.key_findings.flatMap(({ theme, statements }) => [
          `### ${escape(theme)}`,
          statements.flatMap(finding).join('\n'),
        ])),
    '## Analysis',
    '### Supporting Evidence',
    list(report.supporting_evidence, 'No statement was found on several independent sites.'),
    '### Conflicting Information',
    list(report.conflicting_information, 'No contradictions in figures or dates were found.'),
    '### Limitations',
    report.limitations.map((limitation) => `- ${escape(limitation)}`).join('\n'),
    '## Sources',
    report.sources.length === 0
      ? 'No sources.'
      : report.sources
          .map((one) => `${one.number}. **[${one.number}]** ${SOURCE_LINES[format](one)}`)
          .join('\n'),
    '## Conclusions',
    list(report.conclusions, 'Nothing can be concluded from what was found.'),
  ]
    .join('\n\n')
    .concat('\n');
}

type Source = ResearchReport['sources'][number];

/** A source in the citation styles that people ask for; the site stands for the author, who is not known. */
const SOURCE_LINES: Record<ResearchInput['citation_format'], (source: Source) => string> = {
  numbered: (source) =>
    `${link(source)} (${[source.id, `${source.quality} quality`, ...dateOf(source)].join(', ')})`,
  mla: (source) => `“${link(source)}.” ${[escape(hostOf(source.url)), ...dateOf(source)].join(', ')}.`,
  apa: (source) => `${escape(hostOf(source.url))}. (${dateOf(source)[0] ?? 'n.d.'}). ${link(source)}.`,
  chicago: (source) =>
    `${escape(hostOf(source.url))}. “${link(source)}.” ${dateOf(source)
      .map((date) => `${date}. `)
      .join('')}${target(source.url)}.`,
};

const link = ({ title, url }: Source): string => `[${escape(title)}](${target(url)})`;
const dateOf = ({ published_date: date }: Source): string[] =>
  date === undefined ? [] : [escape(date.slice(0, 10))];

const list = (statements: Statements, otherwise: string): string =>
  statements.length === 0 ? otherwise : statements.map(line).join('\n');

const line = ({ text, citations }: Statements[number]): string =>
  `- ${escape(text)} ${citations.map((number) => `[${number}]`).join('')}`;

/** Words of strangers: on one line, and unable to make a link, a heading, markup or a citation of their own. */
export const escape = (text: string): string => {
  const line = oneLine(text);
  // One star or line between letters marks nothing; an escape inside a quotation would only look like a part of it.
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

/** A word in brackets (`[sic]`) stays as it is; what could be a link, its target or a citation does not. */
const BRACKETED = /(?<![\]!\\])\[\p{L}[\p{L}\s.,'’-]{0,60}\](?![([:])|[[\]]/gu;

const target = (url: string): string =>
  oneLine(url).replace(
    /[\s()<>\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
