// Keys of providers: added, tested, put in order and removed. A key goes in and is never shown again.
import { read, write } from '../api.js';
import { html, useState } from '../dom.js';
import { number, second, t } from '../i18n.js';
import { Badge, Code, Dialog, Failure, Field, Loaded, Said, Table, useAction, useLoad } from '../parts.js';

const pathOf = (provider) => `/admin/provider-keys/${encodeURIComponent(provider)}`;

export function ProviderKeys({ onChanged }) {
  const loaded = useLoad(() => read('/admin/provider-keys'));
  const changed = async () => {
    await loaded.reload();
    await onChanged();
  };
  return html`
    <h2>${t('pkeys.title')}</h2>
    <${Loaded} from=${loaded}>
      ${({ file, providers }) => html`
        ${
          file === null
            ? html`<p class="soft">${t('pkeys.noFile')}</p>
                <${Code} text=${SETTING} label=${t('pkeys.setting')} />`
            : html`<p class="soft small">${t('pkeys.lead')} <code class="breakable">${file}</code></p>`
        }
        <${Keys} providers=${providers} onChanged=${changed} />
        ${file !== null && html`<${AddKey} providers=${providers} onChanged=${changed} />`}
      `}
    <//>
  `;
}

const SETTING = '[server]\nprovider_keys_file = "provider-keys.toml"\n';

function Keys({ providers, onChanged }) {
  const [leaving, setLeaving] = useState(/** @type {any} */ (undefined));
  const order = useAction(async (provider, from, to) => {
    const ids = provider.keys.map((key) => key.id);
    ids.splice(to, 0, ...ids.splice(from, 1));
    await write('PATCH', pathOf(provider.id), { order: ids });
    await onChanged();
  });
  const columns = [[t('provider')], [t('pkeys.key')], [t('state')], ['']];
  const rowOf = (provider, key, at) => {
    const name = `${provider.title} ${at + 1}`;
    const move = (to, sign, label) =>
      html`<button
        class="small"
        aria-label=${`${t(label)}: ${name}`}
        title=${t(label)}
        disabled=${order.busy || to < 0 || to >= provider.keys.length}
        onClick=${() => order.start(provider, at, to)}
      >
        ${sign}
      </button>`;
    return [
      html`<strong>${provider.title}</strong>`,
      html`<div>
        ${t('pkeys.number', { number: at + 1 })} <span class="mono small soft">${key.id}</span>
        ${provider.elsewhere && html`<div class="small soft">${t('pkeys.elsewhere', { place: provider.elsewhere })}</div>`}
      </div>`,
      html`<${KeyState} provider=${provider} keyOf=${key} at=${at} onTested=${onChanged} />`,
      !provider.elsewhere &&
        html`<div class="row tight">
          ${provider.keys.length > 1 && [move(at - 1, '↑', 'pkeys.earlier'), move(at + 1, '↓', 'pkeys.later')]}
          <button
            class="small danger"
            aria-label=${`${t('people.remove')}: ${name}`}
            onClick=${() => setLeaving({ provider, key, name })}
          >
            ${t('people.remove')}
          </button>
        </div>`,
    ];
  };
  const rows = providers.flatMap((provider) => provider.keys.map((key, at) => rowOf(provider, key, at)));
  return html`
    ${order.error && html`<${Failure} error=${order.error} />`}
    <${Table} columns=${columns} rows=${rows} empty=${t('pkeys.none')} />
    ${leaving && html`<${Remove} of=${leaving} onClose=${() => setLeaving(undefined)} onChanged=${onChanged} />`}
  `;
}

/** What is known of a key, and a test: one request to the provider. */
function KeyState({ provider, keyOf, at, onTested }) {
  const test = useAction(async () => {
    const found = await write(
      'POST',
      /** @type {`/admin/provider-keys/${string}/${string}/test`} */ (
        `${pathOf(provider.id)}/${encodeURIComponent(keyOf.id)}/test`
      ),
    );
    await onTested();
    return found;
  });
  const { balance, until } = keyOf;
  return html`
    <div class="stack tight">
      <div class="row tight">
        <button
          class="small"
          disabled=${test.busy}
          aria-label=${`${t('settings.test')}: ${provider.title} ${at + 1}`}
          onClick=${test.start}
        >
          ${test.busy ? t('settings.testing') : t('settings.test')}
        </button>
        ${until && html`<${Badge} kind="warn">${t('pkeys.rests', { until: second(until) })}<//>`}
      </div>
      ${balance && html`<span class="small">${t('pkeys.left', { left: number(balance.left), unit: t(`unit.${balance.unit}`), time: second(balance.at) })}</span>`}
      <span role="status" class="small">
        ${test.done && html`<${Badge} kind=${test.done.level === 'ok' ? 'good' : 'bad'}>${t(`pkeys.${test.done.level}`)}<//>`}
      </span>
      ${test.done?.level === 'problem' && html`<div class="small breakable"><${Said} text=${test.done.text} code=${test.done.code} /></div>`}
      ${test.error && html`<${Failure} error=${test.error} />`}
    </div>
  `;
}

function Remove({ of: { provider, key, name }, onClose, onChanged }) {
  const remove = useAction(async () => {
    await write(
      'DELETE',
      /** @type {`/admin/provider-keys/${string}/${string}`} */ (
        `${pathOf(provider.id)}/${encodeURIComponent(key.id)}`
      ),
    );
    onClose();
    await onChanged();
  });
  return html`
    <${Dialog} title=${`${t('people.remove')}: ${name}`} onClose=${onClose}>
      <p>${t('pkeys.removeText')}</p>
      ${remove.error && html`<${Failure} error=${remove.error} />`}
      <div class="row">
        <button class="danger" disabled=${remove.busy} onClick=${remove.start}>${t('people.remove')}</button>
        <button onClick=${onClose}>${t('cancel')}</button>
      </div>
    <//>
  `;
}

function AddKey({ providers, onChanged }) {
  const open = providers.filter(({ elsewhere }) => !elsewhere);
  const add = useAction(async (form) => {
    const { provider, key } = /** @type {any} */ (Object.fromEntries(new FormData(form)));
    const done = await write('POST', pathOf(provider), { key: key.trim() });
    form.reset();
    await onChanged();
    return done;
  });
  const submit = (event) => {
    event.preventDefault();
    void add.start(event.target);
  };
  return html`
    <form class="stack" onSubmit=${submit} autocomplete="off">
      <div class="fields">
        <${Field} label=${t('provider')} id="pkey-provider">
          <select id="pkey-provider" name="provider">
            ${open.map(({ id, title }) => html`<option value=${id}>${title}</option>`)}
          </select>
        <//>
        <${Field} label=${t('pkeys.new')} id="pkey-new" hint=${t('pkeys.hint')}
          ><input
            id="pkey-new"
            name="key"
            type="password"
            autocomplete="new-password"
            required
            maxlength="1000"
        /><//>
      </div>
      ${add.error && html`<${Failure} error=${add.error} />`}
      ${
        add.done &&
        html`<div class="notice good" role="status">
          ${t(add.done.restart ? 'pkeys.restart' : 'pkeys.added', { provider: add.done.title })}
          ${!add.done.restart && add.done.missing && html` <${Said} text=${add.done.missing} />`}
        </div>`
      }
      <div class="row"><button class="main" disabled=${add.busy}>${t('pkeys.add')}</button></div>
    </form>
  `;
}
