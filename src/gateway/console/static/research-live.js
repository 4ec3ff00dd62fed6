// Research while it runs: its plan, what was found so far, and in whose words.
import { html } from './dom.js';
import { number, t } from './i18n.js';
import { PHASES } from './lists.js';
import { Out } from './markdown.js';
import { Badge } from './parts.js';

const SHOWN_MAX = 12;

/** @param {{ events: any[] }} given */
export function ResearchLive({ events }) {
  const of = (type) => events.filter((event) => event.type === type);
  const phase = of('phase').at(-1)?.phase;
  const searches = new Map(of('search').map((event) => [event.query, event]));
  const planned = new Set([...of('plan').flatMap((event) => event.queries), ...searches.keys()]);
  const sources = [
    ...new Map(of('search').flatMap((event) => event.sources.map((one) => [one.url, one]))).values(),
  ];
  const findings = of('findings').at(-1);
  const part = (title, items, itemOf) =>
    items.length > 0 &&
    html`<section class="stack tight">
      <h3>${title}</h3>
      <ul>
        ${items.map((item) => html`<li class="breakable" lang="">${itemOf(item)}</li>`)}
      </ul>
    </section>`;
  return html`
    <div class="row">
      ${PHASES.map((one) => html`<${Badge} kind=${one === phase ? 'warn' : PHASES.indexOf(one) < PHASES.indexOf(phase) ? 'good' : ''}>${t(`phase.${one}`)}<//>`)}
    </div>
    <div class="grid">
      ${part(t('live.plan'), [...planned], (query) => {
        const found = searches.get(query);
        return html`${query}${' '}
        ${found && html`<span class="soft small">${t('live.results', { count: number(found.sources.length) })}</span>`}`;
      })}
      ${part(
        `${t('report.sources')} (${number(sources.length)})`,
        sources.slice(-SHOWN_MAX).toReversed(),
        ({ title, url }) => html`<${Out} url=${url}>${title || url}<//>`,
      )}
      ${
        findings &&
        part(
          t('live.findings', { findings: number(findings.findings), conflicts: number(findings.conflicts) }),
          findings.latest ?? [],
          ({ quote, url }) =>
            html`“${quote}”
              <div class="small soft">${url}</div>`,
        )
      }
    </div>
  `;
}
