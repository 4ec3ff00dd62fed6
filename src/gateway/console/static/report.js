// A research report: every statement leads to the words it rests on.
import { html } from './dom.js';
import { t } from './i18n.js';
import { Out } from './markdown.js';
import { Badge, Table } from './parts.js';

export function Report({ report }) {
  const quotes = new Map(report.findings.map((finding) => [finding.id, finding]));
  const section = (name, statements) =>
    statements.length > 0 &&
    html`<section class="stack tight">
      <h3>${t(`report.${name}`)}</h3>
      ${statements.map((one) => html`<${Statement} statement=${one} quotes=${quotes} />`)}
    </section>`;
  return html`
    <div class="stack">
      ${section('summary', report.executive_summary)}
      ${report.key_findings.map(
        ({ theme, statements }) => html`
          <section class="stack tight">
            <h3>${theme}</h3>
            ${statements.map((one) => html`<${Statement} statement=${one} quotes=${quotes} />`)}
          </section>
        `,
      )}
      ${section('evidence', report.supporting_evidence)}
      ${section('conflicts', report.conflicting_information)} ${section('conclusions', report.conclusions)}
      ${
        report.limitations.length > 0 &&
        html`<section class="stack tight">
          <h3>${t('report.limitations')}</h3>
          <ul>
            ${report.limitations.map((one) => html`<li>${one}</li>`)}
          </ul>
        </section>`
      }
      <h3>${t('report.sources')}</h3>
      <${Table}
        columns=${[['#', 'number'], [t('report.source')], [t('report.quality'), 'nowrap']]}
        rows=${report.sources.map((one) => [one.number, html`<${Out} url=${one.url}>${one.title || one.url}<//><br /><span class="small soft">${one.url}</span>`, html`<${Badge} kind=${one.quality === 'high' ? 'good' : ''}>${t(`quality.${one.quality}`)}<//>`])}
      />
    </div>
  `;
}

/** A quote that would leave the window at the right begins further left. */
function keepInside({ currentTarget }) {
  const quote = currentTarget.querySelector('.quote');
  quote.style.left = '0';
  const over = quote.getBoundingClientRect().right - (document.documentElement.clientWidth - MARGIN);
  if (over > 0) quote.style.left = `${-over}px`;
}

const MARGIN = 16;

/** The numbers open the quote they stand for: on hover, on focus and on a tap. */
function Statement({ statement, quotes }) {
  const found = statement.finding_ids.map((id) => quotes.get(id)).filter(Boolean);
  return html`
    <div class="statement">
      ${statement.text}${' '}
      ${found.map(
        (finding) => html`
          <span
            class="cite"
            tabindex="0"
            role="note"
            onMouseEnter=${keepInside}
            onFocus=${keepInside}
            aria-label=${t('report.quote', { number: finding.citation, quote: finding.quote })}
          >
            [${finding.citation}]<span class="quote" aria-hidden="true"
              >“${finding.quote}”<br /><span class="small soft">${finding.url}</span></span
            >
          </span>
        `,
      )}
      ${found.length === 0 && statement.citations.map((number) => html`<span class="soft">[${number}]</span>`)}
    </div>
  `;
}
