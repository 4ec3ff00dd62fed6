// A research report: every statement leads to the words it rests on.
import { read } from './api.js';
import { html, useState } from './dom.js';
import { language, t } from './i18n.js';
import { Out } from './markdown.js';
import { Badge, Dialog, Loaded, Said, useLoad } from './parts.js';

/** `workspace` is the one that the research was made for, if it was made for one. @param {{ report: any, workspace?: string }} given */
export function Report({ report, workspace }) {
  const [open, setOpen] = useState(/** @type {any} */ (undefined));
  const quotes = new Map(report.findings.map((finding) => [finding.id, finding]));
  const statementOf = (one) => html`<${Statement} statement=${one} quotes=${quotes} onOpen=${setOpen} />`;
  const section = (name, statements) =>
    statements.length > 0 &&
    html`<section class="stack tight">
      <h3>${t(`report.${name}`)}</h3>
      ${statements.map(statementOf)}
    </section>`;
  return html`
    <div class="stack">
      ${section('summary', report.executive_summary)}
      ${report.key_findings.map(
        ({ theme, statements }) => html`
          <section class="stack tight">
            <h3 lang="">${theme}</h3>
            ${statements.map(statementOf)}
          </section>
        `,
      )}
      ${section('evidence', report.supporting_evidence)}
      ${
        report.conflicting_information.length > 0 &&
        html`<details>
          <summary>${t('report.conflicts')} (${report.conflicting_information.length})</summary>
          <div class="stack tight">${report.conflicting_information.map(statementOf)}</div>
        </details>`
      }
      ${section('conclusions', report.conclusions)}
      ${
        report.limitations.length > 0 &&
        html`<section class="stack tight">
          <h3>${t('report.limitations')}</h3>
          <ul>
            ${report.limitations.map((one) => html`<li><${Said} text=${one} /></li>`)}
          </ul>
        </section>`
      }
      ${open && html`<${Passage} research=${report.research_id} finding=${open} workspace=${workspace} onClose=${() => setOpen(undefined)} />`}
      <h3>${t('report.sources')}</h3>
      <ol class="sources">
        ${report.sources.map(
          (one) => html`
            <li value=${one.number}>
              <div class="row tight between">
                <span lang=""><${Out} url=${one.url}>${one.title || one.url}<//></span>
                <${Badge} kind=${one.quality === 'high' ? 'good' : ''}
                  >${t('report.quality', { quality: t(`quality.${one.quality}`) })}<//
                >
              </div>
              <div class="small soft breakable">${one.url}</div>
            </li>
          `,
        )}
      </ol>
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

/** Several quotes, with what the gateway says of them before: that sites agree, or that values differ. */
const LABELLED =
  /^(\d+ sites say (?:so|about the same)|The (?:date|figure|name) differs|One affirms what another denies)(?:, ([^“]+))?: /;

/** The numbers open the quote they stand for: on hover, on focus and on a tap. */
function Statement({ statement, quotes, onOpen }) {
  const found = statement.finding_ids.map((id) => quotes.get(id)).filter(Boolean);
  const [start = '', label, values] = LABELLED.exec(statement.text) ?? [];
  return html`
    <div class="statement" lang="">
      ${label && html`<span lang=${language()}><${Said} text=${label} /></span>`}
      ${values && ` (${values.split(' or ').join(' / ')})`}${label && ': '}
      ${statement.text.slice(start.length)}${' '}
      ${found.map(
        (finding) => html`
          <span
            class="cite"
            tabindex="0"
            role="button"
            onClick=${() => onOpen(finding)}
            onKeyDown=${(event) => ['Enter', ' '].includes(event.key) && (event.preventDefault(), onOpen(finding))}
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

/** The quote where it stands in the page, as it was captured. */
function Passage({ research, finding, workspace, onClose }) {
  const asked = new URLSearchParams({
    source: finding.source_id,
    start: String(finding.start),
    end: String(finding.end),
    ...(workspace ? { workspace } : {}),
  });
  const loaded = useLoad(
    () => read(`/console/api/research/${encodeURIComponent(research)}?${asked}`),
    [finding],
  );
  return html`
    <${Dialog} title=${t('report.passage', { number: finding.citation })} onClose=${onClose}>
      <${Loaded} from=${loaded}>
        ${({ url, before, quote, after, isStart, isEnd }) => html`
          <p class="small breakable"><${Out} url=${url}>${url}<//></p>
          <div
            class="page-text passage"
            lang=""
            tabindex="0"
            role="region"
            aria-label=${t('report.captured')}
          >
            ${isStart ? '' : '… '}${before}<mark ref=${(mark) => mark?.scrollIntoView({ block: 'center' })}
              >${quote}</mark
            >${after}${isEnd ? '' : ' …'}
          </div>
        `}
      <//>
    <//>
  `;
}
