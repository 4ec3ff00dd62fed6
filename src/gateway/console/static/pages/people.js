// Who may sign in, and what they may do in the gateway and in single workspaces.
import { read, write } from '../api.js';
import { html } from '../dom.js';
import { moment, t } from '../i18n.js';
import { Archived, Manage } from '../life.js';
import { ROLES } from '../lists.js';
import { Failure, Field, Loaded, Table, useAction, useLoad } from '../parts.js';

async function load() {
  const [{ people }, { workspaces }] = await Promise.all([read('/admin/people'), read('/admin/workspaces')]);
  return { people, workspaces };
}

export function People({ session }) {
  const loaded = useLoad(load);
  const isOwner = session.role === 'owner';
  const owned = (id) =>
    isOwner || session.workspaces.some((one) => one.workspace === id && one.role === 'owner');
  return html`
    <p class="soft">${t('people.lead')}</p>
    <${Loaded} from=${loaded}>
      ${({ people, workspaces }) => {
        const managed = workspaces.filter(({ id }) => owned(id));
        return html`
          <${PeopleTable} ...${{ people, workspaces, isOwner, owned }} reload=${loaded.reload} />
          ${(isOwner || managed.length > 0) && html`<${Invite} ...${{ people, workspaces: managed, isOwner }} reload=${loaded.reload} />`}
        `;
      }}
    <//>
  `;
}

function PeopleTable({ people, workspaces, isOwner, owned, reload }) {
  const change = useAction(async (method, path, body) => {
    await write(method, path, body);
    await reload();
  });
  const pathOf = (person) => `/admin/people/${encodeURIComponent(person.name)}`;
  const roleOf = (person, role, workspace = {}) =>
    (workspace.id === undefined ? isOwner : owned(workspace.id))
      ? html`<${RoleChoice}
          label=${[t('people.role'), person.name, workspace.name].filter(Boolean).join(': ')}
          role=${role}
          onChoose=${(chosen) => change.start('PATCH', pathOf(person), { role: chosen, ...(workspace.id && { workspace: workspace.id }) })}
        />`
      : t(`role.${role}`);
  const columns = [
    [t('name')],
    [t('people.role')],
    [t('people.inWorkspaces')],
    [t('settings.factor')],
    [t('people.sessions'), 'number'],
    [t('people.seen'), 'nowrap'],
    [''],
  ];
  const rowOf = (person) => [
    html`<strong>${person.name}</strong> <${Archived} of=${person} />`,
    roleOf(person, person.role ?? 'none'),
    html`<div class="stack tight">
      ${person.workspaces.map((one) => {
        const workspace = workspaces.find(({ id }) => id === one.workspace) ?? { id: one.workspace };
        return html`<div class="row tight">
          <span>${workspace.name ?? one.workspace}</span>${roleOf(person, one.role, workspace)}
        </div>`;
      })}
    </div>`,
    person.hasFactor ? t('factor.yes') : '–',
    person.sessions,
    person.seen === null ? t('never') : moment(person.seen),
    isOwner &&
      html`<div class="row">
        <button class="small" onClick=${() => change.start('DELETE', `${pathOf(person)}/sessions`)}>
          ${t('people.end')}
        </button>
        ${person.hasFactor && html`<button class="small" onClick=${() => confirm(t('factor.confirm', { name: person.name })) && change.start('DELETE', `${pathOf(person)}/factor`)}>${t('factor.reset')}</button>`}
        <${Manage} kind="person" id=${person.name} name=${person.name} reload=${reload} />
      </div>`,
  ];
  return html`
    ${change.error && html`<${Failure} error=${change.error} />`}
    <${Table} columns=${columns} rows=${people.map(rowOf)} />
  `;
}

const RoleChoice = ({ label, role, onChoose }) => html`
  <select class="auto" aria-label=${label} value=${role} onChange=${(event) => onChoose(event.target.value)}>
    ${[...ROLES, 'none'].map((one) => html`<option value=${one} selected=${one === role}>${t(`role.${one}`)}</option>`)}
  </select>
`;

/** Invites somebody new; somebody who is here already gets the role. */
function Invite({ people, workspaces, isOwner, reload }) {
  const invite = useAction(async ({ name, role, workspace }) => {
    const body = { role, ...(workspace !== '' && { workspace }) };
    if (workspace !== '' && people.some((one) => one.name === name)) {
      await write('PATCH', `/admin/people/${encodeURIComponent(name)}`, body);
      await reload();
      return '';
    }
    const { token } = await write('POST', '/admin/people', { name, ...body });
    return `${location.origin}/#/setup/${token}`;
  });
  const submit = (event) => {
    event.preventDefault();
    void invite.start(Object.fromEntries(new FormData(event.target)));
  };
  return html`
    <form class="stack" onSubmit=${submit}>
      <h2>${t('people.invite')}</h2>
      <div class="fields">
        <${Field} label=${t('name')} id="person"
          ><input id="person" name="name" required maxlength="200"
        /><//>
        <${Field} label=${t('people.role')} id="role">
          <select id="role" name="role">
            ${ROLES.map((role) => html`<option value=${role} selected=${role === 'member'}>${t(`role.${role}`)}</option>`)}
          </select>
        <//>
        <${Field} label=${t('people.where')} id="where">
          <select id="where" name="workspace">
            ${isOwner && html`<option value="">${t('people.everywhere')}</option>`}
            ${workspaces.map((one) => html`<option value=${one.id}>${one.name}</option>`)}
          </select>
        <//>
      </div>
      ${invite.error && html`<${Failure} error=${invite.error} />`}
      ${invite.done && html`<div class="notice good" role="status">${t('people.link')}<br /><code>${invite.done}</code></div>`}
      <div class="row"><button class="main" disabled=${invite.busy}>${t('people.invite')}</button></div>
    </form>
  `;
}
