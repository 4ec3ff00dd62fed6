import type { ResearchReport } from '../../contract/research.ts';
import { oneLine } from '../../core/text.ts';

type Statements = ResearchReport['executive_summary'];

/** The report as Markdown; the sections are always the same ones in the same order. */
export function renderMarkdown(report: Omit<ResearchReport, 'markdown'>): string {
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
          .map(
            ({ number, id, title, url, quality, published_date: date }) =>
              `${number}. **[${number}]** [${escape(title)}](${target(url)}) (${[id, `${quality} quality`, ...(date === undefined ? [] : [escape(date.slice(0, 10))])].join(', ')})`,
          )
          .join('\n'),
    '## Conclusions',
    list(report.conclusions, 'Nothing can be concluded from what was found.'),
  ]
    .join('\n\n')
    .concat('\n');
}

const list = (statements: Statements, otherwise: string): string =>
  statements.length === 0 ? otherwise : statements.map(line).join('\n');

const line = ({ text, citations }: Statements[number]): string =>
  `- ${escape(text)} ${citations.map((number) => `[${number}]`).join('')}`;

/** Words of strangers: on one line, and unable to make a link, a heading, markup or a citation of their own. */
export const escape = (text: string): string =>
  oneLine(text)
    .replace(/[\\`*_[\]<>|~]/g, '\\$&')
    .replace(/^([#+=-]|\d+[.)])/, '\\$1');

const target = (url: string): string =>
  oneLine(url).replace(
    /[\s()<>\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
