// Renaming, archiving and deleting, the same for workspaces, agents, keys and people.
import { read, write } from './api.js';
import { html, useState } from './dom.js';
import { money, t } from './i18n.js';
import { Badge, Dialog, Failure, Field, Loaded, useAction, useLoad } from './parts.js';

const PLURALS = { workspace: 'workspaces', agent: 'agents', key: 'keys', person: 'people' };

/** A button that opens everything that can be done with something. `onGone` is called after a deletion. */
export function Manage({ kind, id, name, reload, onGone = reload, children = '' }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return html`
    <button class="small" aria-label=${`${t('life.manage')}: ${name}`} onClick=${() => setOpen(true)}>
      ${t('life.manage')}
    </button>
    ${isOpen && html`<${LifeDialog} ...${{ kind, id, name, close, reload, onGone }}>${children}<//>`}
  `;
}

export const Archived = ({ of }) =>
  of.archived !== null && html`<${Badge} kind="warn">${t('life.archived')}<//>`;

function LifeDialog({ kind, id, name, close, reload, onGone, children }) {
  const base = `/admin/${PLURALS[kind]}/${encodeURIComponent(id)}`;
  const loaded = useLoad(
    () => read(/** @type {`/admin/workspaces/${string}/dependents`} */ (`${base}/dependents`)),
    [id],
  );
  const act = useAction(async (verb, body, isGone = false) => {
    await write('POST', /** @type {`/admin/workspaces/${string}/archive`} */ (`${base}/${verb}`), body);
    close();
    await (isGone ? onGone : reload)();
  });
  const rename = (event) => {
    event.preventDefault();
    void act.start('rename', { name: new FormData(event.target).get('name') });
  };
  return html`
    <${Dialog} title=${name} onClose=${close}>
      <div class="stack">
        <form class="row" onSubmit=${rename}>
          <${Field} label=${t('life.newName')} id="life-name"
            ><input id="life-name" name="name" required maxlength="200" value=${name}
          /><//>
          <button disabled=${act.busy}>${t('life.rename')}</button>
        </form>
        ${children}
        <${Loaded} from=${loaded}>
          ${(data) => html`<${Ending} data=${data} busy=${act.busy} start=${act.start} />`}
        <//>
        ${act.error && html`<${Failure} error=${act.error} />`}
      </div>
    <//>
  `;
}

/** What depends on it, and the two ways to end it. */
function Ending({ data, busy, start }) {
  const [typed, setTyped] = useState('');
  const isArchived = data.archived !== null;
  const counts = Object.entries(data.counts).filter(([, count]) => count > 0);
  return html`
    <div class="row">
      <button disabled=${busy} onClick=${() => start('archive', { archived: !isArchived })}>
        ${t(isArchived ? 'life.restore' : 'life.archive')}
      </button>
      <span class="small soft">${t('life.archiveText')}</span>
    </div>
    <p>${t(counts.length === 0 ? 'life.nothing' : 'life.depends')}</p>
    <ul>
      ${counts.map(([what, count]) => html`<li>${t(`life.${what}`, { count })}</li>`)}
      ${data.balance !== 0 && html`<li>${t('life.balance', { amount: money(data.balance) })}</li>`}
    </ul>
    ${
      data.obstacle !== null
        ? html`<p class="notice">${t(`life.${data.obstacle}Kept`)}</p>`
        : html`<${Field} label=${t('life.type', { name: data.name })} id="life-confirm"
              ><input
                id="life-confirm"
                autocomplete="off"
                value=${typed}
                onInput=${(event) => setTyped(event.target.value)}
            /><//>
            <div class="row">
              <button
                class="danger"
                disabled=${busy || typed !== data.name}
                onClick=${() => start('delete', { confirm: data.id }, true)}
              >
                ${t('life.delete')}
              </button>
            </div>`
    }
  `;
}
