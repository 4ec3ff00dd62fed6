// The call log: who called what, how it went and what it cost.
import { read, readNames } from '../api.js';
import { html, useState } from '../dom.js';
import { ms, number, second, t } from '../i18n.js';
import { OUTCOMES, SURFACES } from '../lists.js';
import { useLive } from '../live.js';
import { OutcomeBadge } from '../outcome.js';
import { Badge, Field, Loaded, Page, Table, useLoad } from '../parts.js';
import { CallDetails } from './call-details.js';

/** @param {{ id?: string }} given */
export function Calls({ id }) {
  const [filter, setFilter] = useState(
    /** @type {Record<string, string>} */ (Object.fromEntries(new URLSearchParams(id ?? ''))),
  );
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
  useLive(loaded.reload, isLive);
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
        <${Filters} filter=${filter} workspaces=${names.data?.workspaces ?? []} change=${change} />
        <${Loaded} from=${loaded}>
          ${({ calls, end }) => html`
            <${CallTable} calls=${calls} nameOf=${names.data?.nameOf ?? ((id) => id)} open=${setOpen} />
            ${end.searchedTo && html`<p class="soft small" role="status">${t('calls.searchedTo', { time: second(end.searchedTo) })}</p>`}
            ${end.next && html`<div class="row"><button onClick=${() => setPages([...pages, end.next])}>${t(end.searchedTo ? 'calls.further' : 'more')}</button></div>`}
          `}
        <//>
      </section>
      ${open && html`<${CallDetails} call=${open} nameOf=${names.data?.nameOf ?? ((id) => id)} onClose=${() => setOpen(undefined)} />`}
    <//>
  `;
}

function Filters({ filter, workspaces, change }) {
  const submit = (event) => {
    event.preventDefault();
    change(Object.fromEntries(new FormData(event.currentTarget)));
  };
  const select = (name, label, options) => html`
    <${Field} label=${label} id=${`calls-${name}`}>
      <select
        id=${`calls-${name}`}
        name=${name}
        value=${filter[name] ?? ''}
        onChange=${(event) => event.target.form.requestSubmit()}
      >
        <option value="">${t('all')}</option>
        ${options.map(([value, text]) => html`<option value=${value}>${text}</option>`)}
      </select>
    <//>
  `;
  const input = (name, label, more = {}) => html`
    <${Field} label=${label} id=${`calls-${name}`}
      ><input id=${`calls-${name}`} name=${name} value=${filter[name] ?? ''} maxlength="200" ...${more}
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
    ...(withPolicy ? [html`<code>${call.policy}</code>`] : [ms(call.ms), number(call.credits)]),
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
