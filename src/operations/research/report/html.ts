import type { ResearchReport } from '../../../contract/research.ts';
import { oneLine } from '../../../core/text.ts';

type Statements = ResearchReport['executive_summary'];

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1c2024;background:#fff}h1{font-size:1.6rem}h2{margin-top:2rem;border-bottom:1px solid #ddd}blockquote{margin:.3rem 0 .3rem 1rem;color:#555}sup a{text-decoration:none}small{color:#666}@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181a}h2{border-color:#333}a{color:#8ab4f8}blockquote,small{color:#aaa}}';

/** The report as one page that needs nothing else and runs nothing. */
export function renderHtml(report: ResearchReport): string {
  const quotes = new Map(report.findings.map((finding) => [finding.id, finding.quote]));
  const isQuoted = report.written_by === 'quotes';
  const finding = (statement: Statements[number]): string =>
    item(statement, isQuoted ? undefined : quotes.get(statement.finding_ids[0] ?? ''));
  const sections = [
    section('Executive Summary', list(report.executive_summary)),
    section(
      'Key Findings',
      report.key_findings
        .map(
          ({ theme, statements }) => `<h3>${escape(theme)}</h3><ul>${statements.map(finding).join('')}</ul>`,
        )
        .join(''),
    ),
    section(
      'Analysis',
      `<h3>Supporting Evidence</h3>${list(report.supporting_evidence)}<h3>Conflicting Information</h3>${list(report.conflicting_information)}<h3>Limitations</h3><ul>${report.limitations.map((text) => `<li>${escape(text)}</li>`).join('')}</ul>`,
    ),
    section('Sources', `<ol>${report.sources.map(sourceItem).join('')}</ol>`),
    section('Conclusions', list(report.conclusions)),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${escape(report.query)}</title><style>${STYLE}</style></head>
<body><h1>${escape(report.query)}</h1>
${sections.join('\n')}
</body></html>
`;
}

const section = (title: string, body: string): string =>
  `<h2>${title}</h2>${body === '' ? '<p>None.</p>' : body}`;

const list = (statements: Statements): string =>
  statements.length === 0 ? '<p>None.</p>' : `<ul>${statements.map((one) => item(one)).join('')}</ul>`;

const item = ({ text, citations }: Statements[number], quote?: string): string =>
  `<li>${escape(text)} ${citations.map((number) => `<sup><a href="#source-${number}">[${number}]</a></sup>`).join('')}${quote === undefined ? '' : `<blockquote>“${escape(quote)}”</blockquote>`}</li>`;

const sourceItem = ({ number, title, url, quality, hash }: ResearchReport['sources'][number]): string =>
  `<li id="source-${number}"><a href="${escape(isWeb(url) ? url : '#')}" rel="noreferrer nofollow">${escape(title)}</a> <small>${quality} quality, sha256 ${hash.slice(0, 12)}</small></li>`;

const isWeb = (url: string): boolean => /^https?:\/\//i.test(url);

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escape = (text: string): string =>
  oneLine(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
