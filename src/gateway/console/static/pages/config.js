// The configuration: what is set where, and changes to its file, which take effect after a restart.
import { read, write } from '../api.js';
import { html, useState } from '../dom.js';
import { t, textsJa } from '../i18n.js';
import {
  Badge,
  Dialog,
  Failure,
  Field,
  Loaded,
  Said,
  Table,
  useAction,
  useJapanese,
  useLoad,
  withCode,
} from '../parts.js';

/** A line of the configuration file, or what else sets a value. */
const placed = ({ key, origin }, file) =>
  origin === 'default'
    ? html`<span class="soft">${t('config.default')}</span>`
    : origin.startsWith(`${file}:`)
      ? t('config.line', { line: origin.slice(file.length + 1) })
      : origin === `--${key}`
        ? t('config.flag')
        : html`<span class="mono small">${origin}</span>`;

export function Config({ session }) {
  const loaded = useLoad(() => read('/admin/config'));
  const [filter, setFilter] = useState('');
  const [isAll, setAll] = useState(false);
  const [open, setOpen] = useState(/** @type {any} */ (undefined));
  const { isJapanese, texts } = useJapanese(() => textsJa('config'));
  const meaning = ({ key, description }) =>
    isJapanese ? (texts?.[key.replace(/^(providers|tiers)\.\w+/, '$1.*')] ?? '') : description;
  const mayChange = session.role === 'owner' && loaded.data?.file?.writable === true;
  const wanted = (row) =>
    (isAll || filter !== '' || row.origin !== 'default' || row.after) &&
    `${row.key} ${meaning(row)}`.toLowerCase().includes(filter.toLowerCase());
  const columns = [
    [t('settings.key'), 'nowrap'],
    [t('value')],
    [t('settings.origin')],
    [t('description')],
    ...(mayChange ? [['']] : []),
  ];
  const rowOf = (row) => [
    html`<code>${row.key}</code>`,
    html`<div class="stack tight">
      <span class="mono">${row.value}</span>
      ${row.after && html`<span class="small"><${Badge} kind="warn">${t('config.after')}<//> <span class="mono">${row.after.value}</span></span>`}
    </div>`,
    placed(row, loaded.data?.file?.name),
    html`<span class="soft">${withCode(meaning(row))}</span>`,
    ...(mayChange
      ? [
          row.changeable &&
            html`<button
              class="small"
              aria-label=${`${t('config.change')}: ${row.key}`}
              onClick=${() => setOpen(row)}
            >
              ${t('config.change')}
            </button>`,
        ]
      : []),
  ];
  return html`
    <div class="row">
      <label for="config-filter" class="small">${t('filter')}</label>
      <input
        id="config-filter"
        class="auto"
        type="search"
        value=${filter}
        onInput=${(event) => setFilter(event.target.value)}
      />
      <label class="row tight"
        ><input type="checkbox" checked=${isAll} onChange=${(event) => setAll(event.target.checked)} />
        ${t('settings.all')}</label
      >
    </div>
    <${Loaded} from=${loaded}>
      ${({ config, file, problem }) => html`
        <p class="soft small">
          ${file === null ? t('config.noFile') : html`${t('config.file')} <code class="breakable">${file.name}</code>. ${file.writable ? t('config.restart') : t('config.readOnly')}`}
        </p>
        ${problem && html`<div class="notice bad" role="alert">${t('config.problem')} <${Said} text=${problem} /></div>`}
        <${Table}
          columns=${columns}
          rows=${config.filter(wanted).map(rowOf)}
          empty=${t('settings.allDefault')}
        />
        ${open && html`<${Change} row=${open} meaning=${meaning(open)} file=${file} onClose=${() => setOpen(undefined)} onSaved=${loaded.reload} />`}
      `}
    <//>
  `;
}

/** A value as it is typed: lists are separated by commas, texts have no quotation marks. */
function typed(shown) {
  if (shown === 'unset') return '';
  const value = JSON.parse(shown);
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function Change({ row, meaning, file, onClose, onSaved }) {
  const [value, setValue] = useState(typed(row.after?.value ?? row.value));
  const place = (row.after ?? row).origin;
  const isInFile = place.startsWith(`${file.name}:`);
  const save = useAction(async (given) => {
    const done = await write('PATCH', '/admin/config', { key: row.key, value: given });
    await onSaved();
    return done;
  });
  const submit = (event) => {
    event.preventDefault();
    void save.start(value);
  };
  const type = (event) => setValue(event.target.value);
  return html`
    <${Dialog} title=${row.key} onClose=${onClose}>
      <p class="soft">${withCode(meaning)}</p>
      <p class="small">${isInFile ? t('config.at', { place }) : t('config.added', { file: file.name })}</p>
      <form class="stack" onSubmit=${submit}>
        <${Field} label=${t('value')} id="config-value">
          ${
            row.choices
              ? html`<select id="config-value" value=${value} onChange=${type}>
                  ${value === '' && html`<option value="">–</option>`}
                  ${row.choices.map((one) => html`<option value=${one}>${one}</option>`)}
                </select>`
              : html`<input id="config-value" value=${value} onInput=${type} required maxlength="10000" />`
          }
        <//>
        ${save.error && html`<${Failure} error=${save.error} />`}
        ${
          save.done &&
          html`<div class="notice good" role="status">
            ${save.done.line === null ? t('config.removed', { file: save.done.file }) : t('config.saved', { place: `${save.done.file}:${save.done.line}` })}
          </div>`
        }
        <div class="row">
          <button class="main" disabled=${save.busy || value === ''}>${t('config.save')}</button>
          ${isInFile && html`<button type="button" disabled=${save.busy} onClick=${() => save.start(null)}>${t('config.reset')}</button>`}
        </div>
      </form>
    <//>
  `;
}
