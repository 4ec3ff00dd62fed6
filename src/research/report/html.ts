import type { ResearchReport } from '../../contract/research.ts';
import { oneLine } from '../../core/text.ts';
import { printableOf, type Claim } from './claims.ts';
import { marked, sourcesCited, unrepeated, withoutConclusions } from './markdown.ts';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1c2024;background:#fff}h1{font-size:1.6rem}h2{margin-top:2rem;border-bottom:1px solid #ddd}blockquote{margin:.3rem 0 .3rem 1rem;color:#555}sup a{text-decoration:none}small{color:#666}@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181a}h2{border-color:#333}a{color:#8ab4f8}blockquote,small{color:#aaa}}';

/** Renders the report as one self-contained page without scripts. */
export function renderHtml(stored: ResearchReport): string {
  const report = printableOf(stored);
  const finding = (claim: Claim): string => item(claim, report.written_by === 'quotes' ? [] : claim.quotes);
  const sections = [
    section('Executive Summary', list(report.executive_summary)),
    section(
      'Key Findings',
      unrepeated(report)
        .map(
          ({ theme, statements }) => `<h3>${escape(theme)}</h3><ul>${statements.map(finding).join('')}</ul>`,
        )
        .join(''),
    ),
    section(
      'Analysis',
      `<h3>Supporting Evidence</h3>${list(report.supporting_evidence)}<h3>Conflicting Information</h3>${list(report.conflicting_information)}${(report.figures ?? []).map(table).join('')}<h3>Limitations</h3><ul>${report.limitations.map((text) => `<li>${escape(text)}</li>`).join('')}</ul>`,
    ),
    section('Sources', `<ol>${sourcesCited(report).map(sourceItem).join('')}</ol>`),
    section(
      'Conclusions',
      report.conclusions.length === 0
        ? `<p>${escape(withoutConclusions(report))}</p>`
        : list(report.conclusions),
    ),
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

const list = (claims: Claim[]): string =>
  claims.length === 0 ? '<p>None.</p>' : `<ul>${claims.map((one) => item(one)).join('')}</ul>`;

const table = (rows: NonNullable<ResearchReport['figures']>[number]): string =>
  `<table><tr><th>Figure<th>Source<th>Date</tr>${rows.map(({ value, citation, site, published_date: date = '' }) => `<tr><td>${escape(value)}<td>${escape(site)}${mark([citation])}<td>${escape(date.slice(0, 10))}</tr>`).join('')}</table>`;

const mark = (numbers: number[]): string =>
  numbers.map((number) => ` <sup><a href="#source-${number}">[${number}]</a></sup>`).join('');

const item = (claim: Claim, quotes: Claim['quotes'] = []): string =>
  `<li>${marked(claim, escape, mark)}${quotes.map(({ citation, quote }) => `<blockquote>“${escape(quote)}”${mark([citation])}</blockquote>`).join('')}</li>`;

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
