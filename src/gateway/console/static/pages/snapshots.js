// Snapshots of the web that the configuration names: what is in them, and a page as it was captured and as it is extracted.
import { read } from '../api.js';
import { html, useState } from '../dom.js';
import { moment, number, t } from '../i18n.js';
import { Badge, Field, Loaded, Page, Table, useLoad } from '../parts.js';

const SHOWN = 100;

export function Snapshots() {
  const [chosen, choose] = useState(/** @type {number | undefined} */ (undefined));
  const loaded = useLoad(() => read('/admin/snapshots'));
  return html`
    <${Page} title=${t('nav.snapshots')} lead=${t('snapshots.lead')}>
      <${Loaded} from=${loaded}>
        ${(data) => html`
          <section class="card stack">
            <p>${t('snapshots.mode')}: <${Badge}>${data.mode}<//></p>
            <${Table}
              columns=${COLUMNS()}
              rows=${data.snapshots.map((one, at) => row(one, () => choose(at)))}
              empty=${t('snapshots.none')}
            />
          </section>
        `}
      <//>
      ${chosen !== undefined && html`<${Exchanges} key=${chosen} snapshot=${chosen} />`}
    <//>
  `;
}

const COLUMNS = () => [
  [t('snapshots.file')],
  [t('snapshots.exchanges'), 'number'],
  [t('snapshots.pages'), 'number'],
  [t('snapshots.from'), 'nowrap'],
  [t('snapshots.to'), 'nowrap'],
];

const row = (one, open) => [
  one.problem === null
    ? html`<button class="small" onClick=${open}>${one.name}</button>`
    : html`<span class="breakable"
        >${one.name} <${Badge} kind="bad">${t(`snapshots.${one.problem}`)}<//></span
      >`,
  number(one.exchanges),
  number(one.pages),
  moment(one.from),
  moment(one.to),
];

function Exchanges({ snapshot }) {
  const [contains, setContains] = useState('');
  const [chosen, choose] = useState(/** @type {number | undefined} */ (undefined));
  const query = new URLSearchParams({ snapshot: String(snapshot), contains, limit: String(SHOWN) });
  const loaded = useLoad(() => read(`/admin/snapshots/exchanges?${query}`), [contains]);
  const rows = (data) =>
    data.exchanges.map((one) => [
      html`<button class="small breakable" onClick=${() => choose(one.id)}>${one.method} ${one.url}</button>`,
      one.failed === null ? String(one.status) : html`<${Badge} kind="bad">${one.failed}<//>`,
      one.mime,
      moment(one.at),
    ]);
  const columns = [
    [t('snapshots.address')],
    [t('snapshots.status')],
    [t('snapshots.type')],
    [t('when'), 'nowrap'],
  ];
  return html`
    <section class="card stack">
      <${Field} label=${t('snapshots.contains')} id="snapshot-contains">
        <input
          id="snapshot-contains"
          value=${contains}
          maxlength="2048"
          onInput=${(event) => setContains(event.target.value)}
        />
      <//>
      <${Loaded} from=${loaded}>
        ${(data) => html`
          <p class="soft small">
            ${t('snapshots.shown', { shown: number(data.exchanges.length), total: number(data.total) })}
          </p>
          <${Table} columns=${columns} rows=${rows(data)} />
        `}
      <//>
    </section>
    ${chosen !== undefined && html`<${Exchange} key=${chosen} snapshot=${snapshot} id=${chosen} />`}
  `;
}

/** Both as text: what a page brings along neither runs nor loads. */
function Exchange({ snapshot, id }) {
  const loaded = useLoad(() => read(`/admin/snapshots/exchange?snapshot=${snapshot}&id=${id}`));
  return html`
    <${Loaded} from=${loaded}>
      ${(data) => html`
        <section class="card stack">
          <h2 class="breakable">${data.url}</h2>
          <h3>${t('snapshots.extracted')}</h3>
          <pre class="scroll" tabindex="0" aria-label=${t('snapshots.extracted')}>
${data.extracted ?? t('snapshots.noText')}</pre>
          <h3>${t('snapshots.captured')}</h3>
          <pre class="scroll" tabindex="0" aria-label=${t('snapshots.captured')}>${data.captured}</pre>
        </section>
      `}
    <//>
  `;
}
