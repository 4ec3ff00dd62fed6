// The call log: who called what, how it went and what it cost.
import { read, readNames } from '../api.js';
import { html, useEffect, useState } from '../dom.js';
import { money, number, second, t } from '../i18n.js';
import { OUTCOMES, SURFACES } from '../lists.js';
import { Badge, Dialog, Field, Loaded, Page, Table, useLoad } from '../parts.js';

const REFRESH_MS = 3_000;

export function Calls() {
  const [filter, setFilter] = useState(/** @type {Record<string, string>} */ ({}));
  const [pages, setPages] = useState([/** @type {string | undefined} */ (undefined)]);
  const [isLive, setLive] = useState(false);
  const [open, setOpen] = useState(/** @type {any} */ (undefined));
  const names = useLoad(async () => ({
    nameOf: await readNames(),
    workspaces: (await read('/admin/workspaces')).workspaces,
  }));
  const loaded = useLoad(async () => {
    const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''));
    const parts = await Promise.all(
      pages.map((before) => read(`/admin/calls?${query}${before === undefined ? '' : `&before=${before}`}`)),
    );
    return { calls: parts.flatMap((part) => part.calls), end: /** @type {any} */ (parts.at(-1)) };
  }, [filter, pages]);
  useEffect(() => {
    if (!isLive) return undefined;
    const timer = setInterval(() => document.visibilityState === 'visible' && loaded.reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isLive, loaded.reload]);
  const change = (fields) => {
    setPages([undefined]);
    setFilter(fields);
  };
  const live = html`<button aria-pressed=${String(isLive)} onClick=${() => setLive(!isLive)}>
    ${t(isLive ? 'calls.pause' : 'calls.follow')}
  </button>`;
  return html`
    <${Page} title=${t('nav.calls')} lead=${t('calls.lead')} actions=${live}>
      <section class="card stack">
        <${Filters} workspaces=${names.data?.workspaces ?? []} change=${change} />
        <${Loaded} from=${loaded}>
          ${({ calls, end }) => html`
            <${CallTable} calls=${calls} nameOf=${names.data?.nameOf ?? ((id) => id)} open=${setOpen} />
            ${end.searchedTo && html`<p class="soft small" role="status">${t('calls.searchedTo', { time: second(end.searchedTo) })}</p>`}
            ${end.next && html`<div class="row"><button onClick=${() => setPages([...pages, end.next])}>${t(end.searchedTo ? 'calls.further' : 'more')}</button></div>`}
          `}
        <//>
      </section>
      ${open && html`<${Details} call=${open} nameOf=${names.data?.nameOf ?? ((id) => id)} onClose=${() => setOpen(undefined)} />`}
    <//>
  `;
}

function Filters({ workspaces, change }) {
  const submit = (event) => {
    event.preventDefault();
    change(Object.fromEntries(new FormData(event.currentTarget)));
  };
  const select = (name, label, options) => html`
    <${Field} label=${label} id=${`calls-${name}`}>
      <select id=${`calls-${name}`} name=${name} onChange=${(event) => event.target.form.requestSubmit()}>
        <option value="">${t('all')}</option>
        ${options.map(([value, text]) => html`<option value=${value}>${text}</option>`)}
      </select>
    <//>
  `;
  const input = (name, label, more = {}) => html`
    <${Field} label=${label} id=${`calls-${name}`}
      ><input id=${`calls-${name}`} name=${name} maxlength="200" ...${more}
    /><//>
  `;
  return html`
    <form class="stack" onSubmit=${submit} role="search" aria-label=${t('filter')}>
      <div class="fields">
        ${select(
          'workspace',
          t('group.workspace'),
          workspaces.map(({ id, name }) => [id, name]),
        )}
        ${select(
          'outcome',
          t('outcome'),
          OUTCOMES.map((outcome) => [outcome, t(`outcome.${outcome}`)]),
        )}
        ${input('text', t('calls.text'), { type: 'search' })}
      </div>
      <details>
        <summary class="small">${t('calls.moreFilters')}</summary>
        <div class="fields">
          ${select(
            'surface',
            t('calls.surface'),
            SURFACES.map((surface) => [surface, t(`surface.${surface}`)]),
          )}
          ${input('operation', t('operation'))} ${input('provider', t('group.provider'))}
          ${input('key', t('calls.key'))} ${input('request', t('calls.request'))}
          ${input('ms', t('calls.slower'), { type: 'number', min: 0 })}
        </div>
      </details>
      <div class="row">
        <button class="main">${t('filter')}</button>
        <button type="reset" onClick=${() => change({})}>${t('calls.reset')}</button>
      </div>
    </form>
  `;
}

/** @param {{ calls: any[], nameOf: (id: any) => any, open?: (call: any) => void, withPolicy?: boolean }} given */
export function CallTable({ calls, nameOf, open, withPolicy = false }) {
  const rows = calls.map((call) => [
    open === undefined
      ? second(call.at)
      : html`<button
          class="link"
          onClick=${() => open(call)}
          aria-label=${`${t('calls.details')}: ${call.request}`}
        >
          ${second(call.at)}
        </button>`,
    nameOf(call.agent) ?? nameOf(call.workspace) ?? '–',
    html`<code>${call.operation}</code> <${Badge}>${t(`surface.${call.surface}`)}<//>${
        call.query && html`<br /><span class="small soft clip">${call.query}</span>`
      }`,
    html`<${OutcomeBadge} outcome=${call.outcome} /> ${call.cached && html`<${Badge}>${t('cached')}<//>`}`,
    call.attempts.map((attempt) => attempt.provider).join(' → ') || '–',
    ...(withPolicy ? [html`<code>${call.policy}</code>`] : [`${number(call.ms)} ms`, number(call.credits)]),
  ]);
  const columns = [
    [t('when'), 'nowrap'],
    [t('caller')],
    [t('operation')],
    [t('outcome')],
    [t('providersAsked')],
    ...(withPolicy
      ? [[t('calls.policy')]]
      : [
          [t('duration'), 'number'],
          [t('credits'), 'number'],
        ]),
  ];
  return html`<${Table} columns=${columns} rows=${rows} empty=${t('calls.none')} />`;
}

function Details({ call, nameOf, onClose }) {
  const facts = [
    [t('when'), second(call.at)],
    [t('calls.request'), html`<code>${call.request}</code>`],
    [t('operation'), html`<code>${call.operation}</code> ${t(`surface.${call.surface}`)}`],
    [t('outcome'), html`<${OutcomeBadge} outcome=${call.outcome} /> ${call.code ?? ''}`],
    [t('group.workspace'), nameOf(call.workspace)],
    [t('group.agent'), nameOf(call.agent)],
    [t('group.key'), nameOf(call.key)],
    [t('calls.person'), call.person],
    [t('duration'), `${number(call.ms)} ms`],
    [t('credits'), number(call.credits)],
    [t('charged'), money(call.charged)],
    [t('calls.tokens'), call.tokens > 0 ? number(call.tokens) : undefined],
    [t('calls.policy'), call.policy],
  ].filter(([, value]) => value);
  const attempts = call.attempts.map((attempt) => [
    `${attempt.provider} ${attempt.key ?? ''}`,
    html`<${OutcomeBadge} outcome=${attempt.outcome} /> ${attempt.reason ?? ''}`,
    `${number(attempt.ms)} ms`,
  ]);
  const text = (label, value) =>
    value &&
    html`<h3>${label}</h3>
      <pre class="lead" tabindex="0" role="region" aria-label=${label}>${value}</pre>`;
  return html`
    <${Dialog} title=${t('calls.details')} onClose=${onClose}>
      <div class="stack">
        <dl class="facts">
          ${facts.map(
            ([name, value]) =>
              html`<dt>${name}</dt>
                <dd>${value}</dd>`,
          )}
        </dl>
        ${attempts.length > 0 && html`<${Table} columns=${[[t('group.provider')], [t('outcome')], [t('duration'), 'number']]} rows=${attempts} />`}
        ${text(t('calls.query'), call.query)} ${text(t('calls.answer'), call.answer)}
      </div>
    <//>
  `;
}

export const isGood = (outcome) => outcome === 'ok' || outcome === 'empty';

export const OutcomeBadge = ({ outcome, children }) => {
  const kind = isGood(outcome) ? 'good' : outcome === 'partial' || outcome === 'degraded' ? 'warn' : 'bad';
  return html`<${Badge} kind=${kind}>${t(`outcome.${outcome}`)}${children}<//>`;
};
