// API keys: made here and shown once, revoked here.
import { read, write } from '../api.js';
import { Connect } from '../connect.js';
import { html, useState } from '../dom.js';
import { day, moment, t } from '../i18n.js';
import { Archived, Manage } from '../life.js';
import { SCOPES } from '../lists.js';
import { Badge, Code, Dialog, Failure, Field, Loaded, Page, Table, useAction, useLoad } from '../parts.js';

const DAY_MS = 86_400_000;

async function load() {
  const [keys, workspaces, agents] = await Promise.all([
    read('/admin/keys'),
    read('/admin/workspaces'),
    read('/admin/agents'),
  ]);
  return { keys: keys.keys.toReversed(), workspaces: workspaces.workspaces, agents: agents.agents };
}

export function Keys({ id }) {
  const loaded = useLoad(load);
  const [isNewOpen, setNewOpen] = useState(id !== undefined);
  const [revoking, setRevoking] = useState(undefined);
  const [rotating, setRotating] = useState(undefined);
  const add = html`<button class="main" onClick=${() => setNewOpen(true)}>${t('keys.add')}</button>`;
  return html`
    <${Page} title=${t('nav.keys')} lead=${t('keys.lead')} actions=${add}>
      <${Loaded} from=${loaded}>
        ${(data) => html`
          <section class="card">
            <${KeyTable} data=${data} revoke=${setRevoking} rotate=${setRotating} reload=${loaded.reload} />
          </section>
          ${isNewOpen && html`<${NewKey} data=${data} agentId=${id} onClose=${() => setNewOpen(false)} reload=${loaded.reload} />`}
          ${rotating && html`<${Rotate} apiKey=${rotating} onClose=${() => setRotating(undefined)} reload=${loaded.reload} />`}
          ${revoking && html`<${Revoke} apiKey=${revoking} onClose=${() => setRevoking(undefined)} reload=${loaded.reload} />`}
        `}
      <//>
    <//>
  `;
}

function KeyTable({ data, revoke, rotate, reload }) {
  const nameOf = (list, id) => list.find((one) => one.id === id)?.name ?? id ?? '–';
  const rows = data.keys.map((key) => [
    html`<strong>${key.label}</strong><br /><span class="soft small mono nowrap"
        >${key.client ?? `hg_live_${key.id}_…`}</span
      >${
        key.person &&
        html`<br /><span class="soft small">${t('keys.signedInBy', { name: key.person })}</span>`
      }`,
    nameOf(data.workspaces, key.workspace),
    nameOf(data.agents, key.agent),
    html`<span class="small">${key.scopes.join(', ')}</span>${
        key.networks.length > 0 && html`<br /><span class="soft small mono">${key.networks.join(', ')}</span>`
      }`,
    html`<${State} apiKey=${key} /> <${Archived} of=${key} />`,
    key.lastUsed === null ? t('never') : moment(key.lastUsed),
    html`<div class="row">
      <${Manage} kind="key" id=${key.id} name=${key.label} reload=${reload} />
      ${
        key.revoked === null &&
        key.client === null &&
        html`<button
          class="small"
          aria-label=${`${t('keys.rotate')}: ${key.label}`}
          onClick=${() => rotate(key)}
        >
          ${t('keys.rotate')}
        </button>`
      }
      ${
        key.revoked === null &&
        html`<button
          class="small danger"
          aria-label=${`${t('keys.revoke')}: ${key.label}`}
          onClick=${() => revoke(key)}
        >
          ${t('keys.revoke')}
        </button>`
      }
    </div>`,
  ]);
  const columns = [
    [t('label')],
    [t('workspace')],
    [t('agent')],
    [t('scopes')],
    [t('state'), 'nowrap'],
    [t('lastUsed'), 'nowrap'],
    ['', 'nowrap'],
  ];
  return html`<${Table} columns=${columns} rows=${rows} empty=${t('keys.none')} />`;
}

function State({ apiKey: { revoked, expires } }) {
  if (revoked !== null) return html`<${Badge} kind="bad">${t('keys.revoked')}<//>`;
  if (expires !== null && expires < Date.now()) return html`<${Badge} kind="bad">${t('keys.expired')}<//>`;
  const isSoon = expires !== null && expires < Date.now() + 14 * DAY_MS;
  return html`<${Badge} kind=${isSoon ? 'warn' : 'good'}
    >${expires === null ? t('keys.active') : t('keys.until', { day: day(expires) })}<//
  >`;
}

function Rotate({ apiKey, onClose, reload }) {
  const rotate = useAction(async (hours) => {
    const made = await write('POST', `/admin/keys/${apiKey.id}/rotate`, { grace_hours: hours });
    void reload();
    return { key: made.key, agent: apiKey.agent ?? undefined };
  });
  if (rotate.done) return html`<${Made} made=${rotate.done} onClose=${onClose} />`;
  const submit = (event) => {
    event.preventDefault();
    void rotate.start(Number(new FormData(event.target).get('hours')));
  };
  return html`
    <${Dialog} title=${`${t('keys.rotate')}: ${apiKey.label}`} onClose=${onClose}>
      <form class="stack" onSubmit=${submit}>
        <${Field} label=${t('keys.grace')} id="grace" hint=${t('keys.graceHint')}>
          <input id="grace" name="hours" type="number" min="0" max="720" value="24" required />
        <//>
        ${rotate.error && html`<${Failure} error=${rotate.error} />`}
        <div class="row"><button class="main" disabled=${rotate.busy}>${t('keys.rotate')}</button></div>
      </form>
    <//>
  `;
}

function NewKey({ data, agentId, onClose, reload }) {
  const preset = data.agents.find((agent) => agent.id === agentId);
  const [workspace, setWorkspace] = useState(preset?.workspace ?? data.workspaces[0]?.id ?? '');
  const create = useAction(async (form) => {
    const { label, agent, days, networks } = Object.fromEntries(form);
    const made = await write('POST', '/admin/keys', {
      workspace,
      label,
      scopes: form.getAll('scopes'),
      ...(agent === '' ? {} : { agent }),
      ...(networks === '' ? {} : { networks: networks.split(/[\s,]+/).filter((one) => one !== '') }),
      ...(days === '' ? {} : { expires: Date.now() + Number(days) * DAY_MS }),
    });
    void reload();
    return { key: made.key, agent: agent === '' ? undefined : agent };
  });
  if (create.done) return html`<${Made} made=${create.done} onClose=${onClose} />`;
  if (data.workspaces.length === 0)
    return html`<${Dialog} title=${t('keys.add')} onClose=${onClose}
      ><p>${t('keys.needWorkspace')} <a href="#/workspaces">${t('nav.workspaces')}</a></p><//
    >`;
  const submit = (event) => {
    event.preventDefault();
    void create.start(new FormData(event.target));
  };
  return html`
    <${Dialog} title=${t('keys.add')} onClose=${onClose}>
      <form class="stack" onSubmit=${submit}>
        <div class="fields">
          <${Field} label=${t('label')} id="key-label" hint=${t('keys.labelHint')}
            ><input id="key-label" name="label" required maxlength="200"
          /><//>
          <${Field} label=${t('workspace')} id="key-workspace">
            <select
              id="key-workspace"
              value=${workspace}
              onChange=${(event) => setWorkspace(event.target.value)}
            >
              ${data.workspaces.map((one) => html`<option value=${one.id}>${one.name}</option>`)}
            </select>
          <//>
          <${Field} label=${t('agent')} id="key-agent">
            <select id="key-agent" name="agent">
              <option value="">${t('keys.noAgent')}</option>
              ${data.agents.filter((one) => one.workspace === workspace).map((one) => html`<option value=${one.id} selected=${one.id === agentId}>${one.name}</option>`)}
            </select>
          <//>
          <${Field} label=${t('keys.days')} id="key-days" hint=${t('keys.daysHint')}
            ><input id="key-days" name="days" type="number" min="1" max="3650"
          /><//>
          <${Field} label=${t('keys.networks')} id="key-networks" hint=${t('keys.networksHint')}
            ><input id="key-networks" name="networks" maxlength="2000" placeholder="10.0.0.0/8"
          /><//>
        </div>
        <${Scopes} />
        ${create.error && html`<${Failure} error=${create.error} />`}
        <div class="row"><button class="main" disabled=${create.busy}>${t('create')}</button></div>
      </form>
    <//>
  `;
}

const Scopes = () => html`
  <fieldset>
    <legend>${t('scopes')}</legend>
    <div class="row">
      ${SCOPES.map(
        (scope) => html`
          <label class="row tight">
            <input
              type="checkbox"
              name="scopes"
              value=${scope}
              checked=${!scope.startsWith('admin')}
            />${scope}
          </label>
        `,
      )}
    </div>
  </fieldset>
`;

const Made = ({ made, onClose }) => html`
  <${Dialog} title=${t('keys.made')} onClose=${onClose}>
    <div class="notice warn">${t('keys.once')}</div>
    <${Code} text=${made.key} label=${t('keys.made')} />
    <h3>${t('connect.title')}</h3>
    <${Connect} apiKey=${made.key} agent=${made.agent} />
  <//>
`;

function Revoke({ apiKey, onClose, reload }) {
  const revoke = useAction(async () => {
    await write('DELETE', `/admin/keys/${encodeURIComponent(apiKey.id)}`);
    onClose();
    void reload();
  });
  return html`
    <${Dialog} title=${t('keys.revokeTitle', { label: apiKey.label })} onClose=${onClose}>
      <p>${t('keys.revokeText')}</p>
      ${revoke.error && html`<${Failure} error=${revoke.error} />`}
      <div class="row">
        <button class="danger" disabled=${revoke.busy} onClick=${revoke.start}>${t('keys.revoke')}</button>
      </div>
    <//>
  `;
}
