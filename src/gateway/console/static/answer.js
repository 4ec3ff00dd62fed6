// An answer, four ways: for a person, as data, as the model reads it, and how it came about.
import { html, useState } from './dom.js';
import { day, number, t } from './i18n.js';
import { Markdown, Out } from './markdown.js';
import { OutcomeBadge } from './outcome.js';
import { Badge, Code, FailureText, Said, Table, Tabs } from './parts.js';
import { Report } from './report.js';

/** @param {{ operation: string, result: any, workspace?: string }} given */
export function Answer({ operation, result, workspace }) {
  const [tab, setTab] = useState('read');
  const { done, failed } = result;
  if (failed !== undefined) {
    return html`
      <section class="card stack" aria-label=${t('play.result')}>
        <div class="notice bad" role="alert">
          <code>${failed.code}</code> <${FailureText} code=${failed.code} text=${failed.error} />
        </div>
        ${failed.attempts.length > 0 && html`<${Attempts} attempts=${failed.attempts} />`}
      </section>
    `;
  }
  const { output, mcp } = done;
  const tabs = [
    ['read', t('play.read')],
    ['json', 'JSON'],
    ...(mcp ? [['mcp', `${t('play.mcp')} (${number(mcp.tokens)})`]] : []),
    ...(output.attempts ? [['attempts', t('play.attempts')]] : []),
  ];
  return html`
    <section class="card stack" aria-label=${t('play.result')}>
      ${output.outcome && html`<${Facts} output=${output} />`}
      ${(output.warnings ?? []).map((warning) => html`<div class="notice warn"><${Said} text=${warning} /></div>`)}
      <${Tabs} label=${t('play.result')} tabs=${tabs} chosen=${tab} onChoose=${setTab} />
      ${tab === 'read' && html`<${Readable} operation=${operation} output=${output} workspace=${workspace} />`}
      ${tab === 'json' && html`<${Code} text=${JSON.stringify(output, null, 2)} label="JSON" />`}
      ${
        tab === 'mcp' &&
        html`<p class="soft small">
            ${t('play.mcpText', { tool: mcp.tool, toolset: mcp.toolset, tokens: number(mcp.tokens) })}
          </p>
          <${Code} text=${mcp.text} label=${t('play.mcp')} />`
      }
      ${tab === 'attempts' && html`<${Attempts} attempts=${output.attempts} />`}
    </section>
  `;
}

const Facts = ({ output }) => html`
  <div class="row" role="status">
    <${OutcomeBadge} outcome=${output.outcome} />
    ${output.cached && html`<${Badge}>${t('cached')}<//>`}
    <span class="soft small"
      >${t('play.facts', { seconds: number(Math.round(output.response_time * 100) / 100), credits: number(output.credits ?? 0) })}</span
    >
  </div>
`;

const Attempts = ({ attempts }) => html`
  <${Table}
    columns=${[[t('provider')], [t('outcome'), 'nowrap'], [t('duration'), 'number'], [t('reason')]]}
    rows=${attempts.map((one) => [`${one.provider}${one.key ? ` (${one.key})` : ''}`, html`<${OutcomeBadge} outcome=${one.outcome} />`, `${number(Math.round(one.ms))} ms`, html`<${Said} text=${one.reason ?? one.why ?? ''} />`])}
    empty=${t('play.noAttempts')}
  />
`;

function Readable({ operation, output, workspace }) {
  if (operation === 'research' && output.report)
    return html`<${Report} report=${output.report} workspace=${workspace} />`;
  if (operation === 'answer') return html`<${Fact} output=${output} />`;
  if (operation === 'map')
    return html`<ul>
      ${output.results.map((url) => html`<li><${Out} url=${url}>${url}<//></li>`)}
    </ul>`;
  if (!Array.isArray(output.results))
    return html`<${Code} text=${JSON.stringify(output, null, 2)} label="JSON" />`;
  return html`
    ${output.answer && html`<div class="notice"><${Markdown} text=${output.answer} /></div>`}
    ${output.results.length === 0 && html`<p class="empty">${t('play.empty')}</p>`}
    ${output.results.map((hit) => html`<${Hit} key=${hit.url} hit=${hit} />`)}
    ${(output.failed_results ?? []).map((one) => html`<div class="notice bad"><span class="mono">${one.url}</span><br /><${Said} text=${one.error} /></div>`)}
    ${
      (output.skipped ?? []).length > 0 &&
      html`<details>
        <summary>${t('play.skipped', { count: output.skipped.length })}</summary>
        <ul>
          ${output.skipped.map((one) => html`<li><span class="mono">${one.url}</span> <${Said} text=${one.reason} /></li>`)}
        </ul>
      </details>`
    }
  `;
}

/** Providers write dates in many ways; one that cannot be read is shown as it is. */
const dateOf = (text) => (Number.isNaN(Date.parse(text)) ? text : day(Date.parse(text)));

const Hit = ({ hit }) => html`
  <article class="hit" lang="">
    <h3><${Out} url=${hit.url}>${hit.title || hit.url}<//></h3>
    <div class="url">${hit.url}</div>
    ${hit.content && html`<div>${hit.content}</div>`}
    <div class="row small soft">
      ${hit.score !== undefined && html`<span>${t('play.score')} ${hit.score.toFixed(2)}</span>`}
      ${hit.provider && html`<span>${hit.provider}</span>`}
      ${hit.published_date && html`<span>${dateOf(hit.published_date)}</span>`}
    </div>
    ${
      hit.raw_content &&
      html`<details open=${hit.content === undefined}>
        <summary>${t('play.page')}</summary>
        <div class="page-text" tabindex="0" role="region" aria-label=${t('play.page')}>
          <${Markdown} text=${hit.raw_content} />
        </div>
      </details>`
    }
  </article>
`;

const Fact = ({ output }) => html`
  <div class="stack">
    <h3>${output.heading || output.query}</h3>
    ${[output.answer, output.abstract?.text, output.definition?.text].filter(Boolean).map((text) => html`<p>${text}</p>`)}
    ${output.abstract?.url && html`<p class="small"><${Out} url=${output.abstract.url}>${output.abstract.source}<//></p>`}
    ${output.facts.length > 0 && html`<${Table} columns=${[[t('name')], [t('value')]]} rows=${output.facts.map((fact) => [fact.label, fact.value])} />`}
    <ul>
      ${[...output.results, ...output.related].map((one) => html`<li><${Out} url=${one.url}>${one.title}<//> <span class="soft">${one.text}</span></li>`)}
    </ul>
  </div>
`;
