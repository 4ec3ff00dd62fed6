// Workspaces with their money and their agents.
import { read, write } from '../api.js';
import { html, useState } from '../dom.js';
import { money, t } from '../i18n.js';
import { Archived, Manage } from '../life.js';
import { Badge, Dialog, Failure, Field, Loaded, Page, Switch, useAction, useLoad } from '../parts.js';

async function load() {
  const [workspaces, subscriptions, agents, status] = await Promise.all([
    read('/admin/workspaces'),
    read('/admin/subscriptions'),
    read('/admin/agents'),
    read('/admin/status').catch(() => ({ tiers: {} })),
  ]);
  return {
    tiers: Object.keys(status.tiers),
    workspaces: workspaces.workspaces.map((workspace) => ({
      ...workspace,
      account: subscriptions.subscriptions.find((one) => one.id === workspace.subscription),
      agents: agents.agents.filter((agent) => agent.workspace === workspace.id),
    })),
  };
}

export function Workspaces({ session }) {
  const loaded = useLoad(load);
  const [dialog, setDialog] = useState(/** @type {any} */ (undefined));
  const close = () => setDialog(undefined);
  const saved = () => {
    close();
    void loaded.reload();
  };
  const add =
    session.role !== null &&
    html`<button class="main" onClick=${() => setDialog({ kind: 'workspace' })}>
      ${t('workspaces.add')}
    </button>`;
  return html`
    <${Page} title=${t('nav.workspaces')} lead=${t('workspaces.lead')} actions=${add}>
      <${Loaded} from=${loaded}>
        ${({ workspaces, tiers }) => html`
          ${workspaces.length === 0 && html`<section class="card"><p class="empty">${t('workspaces.none')}</p></section>`}
          ${workspaces.map((workspace) => html`<${Workspace} key=${workspace.id} workspace=${workspace} session=${session} tiers=${tiers} reload=${loaded.reload} addAgent=${() => setDialog({ kind: 'agent', workspace })} />`)}
          ${dialog?.kind === 'workspace' && html`<${NewWorkspace} onClose=${close} onSaved=${saved} />`}
          ${dialog?.kind === 'agent' && html`<${NewAgent} workspace=${dialog.workspace} onClose=${close} />`}
        `}
      <//>
    <//>
  `;
}

function Workspace({ workspace, session, tiers, reload, addAgent }) {
  const { account } = workspace;
  return html`
    <section class="card">
      <header>
        <div class="row">
          <h2>${workspace.name}</h2>
          <${Badge}>${account?.tier}<//>
          <${Archived} of=${workspace} />
          ${workspace.web !== null && html`<${Badge} kind="warn">${workspace.web}${workspace.asOf !== null && ` · ${workspace.asOf}`}<//>`}
          ${
            session.role === null
              ? html`<span class="small">${money(account?.available ?? 0)} ${t('available')}</span>`
              : html`<a class="small" href=${`#/credits/${encodeURIComponent(workspace.subscription)}`}
                  >${money(account?.available ?? 0)} ${t('available')}</a
                >`
          }
        </div>
        <div class="row">
          <button class="small" onClick=${addAgent}>${t('agents.add')}</button>
          ${
            session.role === 'owner' &&
            html`<${Manage} kind="workspace" id=${workspace.id} name=${workspace.name} reload=${reload}>
              <${Tier} account=${account} tiers=${tiers} reload=${reload} />
              <${Web} workspace=${workspace} reload=${reload} />
            <//>`
          }
        </div>
      </header>
      <${Keeps} workspace=${workspace} />
      ${workspace.agents.length === 0 && html`<p class="empty">${t('agents.none')}</p>`}
      <div class="agents">
        ${workspace.agents.map(
          (agent) => html`
            <a class="agent" href=${`#/agents/${encodeURIComponent(agent.id)}`}>
              <strong>${agent.name}</strong> <${Archived} of=${agent} /><br />
              <span class="small soft">${toolsOf(agent)}</span>
            </a>
          `,
        )}
      </div>
    </section>
  `;
}

function Tier({ account, tiers, reload }) {
  const save = useAction(async (tier) => {
    await write('PATCH', `/admin/subscriptions/${encodeURIComponent(account.id)}`, { tier });
    await reload();
  });
  return html`
    <${Field} label=${t('tier')} id="tier" hint=${t('tier.hint')}>
      <select id="tier" onChange=${(event) => void save.start(event.target.value)}>
        ${tiers.map((tier) => html`<option value=${tier} selected=${tier === account.tier}>${tier}</option>`)}
      </select>
    <//>
    ${save.error && html`<${Failure} error=${save.error} />`}
  `;
}

/** The snapshot that answers its calls instead of the web, and as of when. */
function Web({ workspace, reload }) {
  const save = useAction(async ({ web, as_of: asOf }) => {
    const path = `/admin/workspaces/${encodeURIComponent(workspace.id)}`;
    await write('PATCH', path, { web: web.trim() || null, as_of: asOf.trim() || null });
    await reload();
  });
  return html`
    <form class="stack" onSubmit=${submit(save.start)}>
      <${Field} label=${t('workspaces.web')} id="workspace-web" hint=${t('workspaces.webHint')}
        ><input
          id="workspace-web"
          name="web"
          value=${workspace.web ?? ''}
          placeholder=${t('workspaces.live')}
      /><//>
      <${Field} label=${t('workspaces.asOf')} id="workspace-as-of" hint=${t('workspaces.asOfHint')}
        ><input id="workspace-as-of" name="as_of" value=${workspace.asOf ?? ''} placeholder="2026-01-31"
      /><//>
      ${save.error && html`<${Failure} error=${save.error} />`}
      <div class="row"><button disabled=${save.busy}>${t('workspaces.setWeb')}</button></div>
    </form>
  `;
}

/** Which texts of its calls a workspace keeps. */
function Keeps({ workspace }) {
  const [keeps, setKeeps] = useState(workspace.keeps);
  const save = useAction(async (change) =>
    setKeeps((await write('PATCH', `/admin/workspaces/${encodeURIComponent(workspace.id)}`, change)).keeps),
  );
  return html`
    <div class="row">
      <${Switch}
        checked=${keeps.queries}
        onChange=${(on) => void save.start({ keep_queries: on })}
        label=${t('workspaces.keepQueries')}
      />
      <${Switch}
        checked=${keeps.answers}
        onChange=${(on) => void save.start({ keep_answers: on })}
        label=${t('workspaces.keepAnswers')}
      />
    </div>
    ${save.error && html`<${Failure} error=${save.error} />`}
  `;
}

function toolsOf({ settings }) {
  const on = [
    settings.searchWebProvider && `search_web (${settings.searchWebProvider})`,
    settings.fetchWebProvider && `fetch_url (${settings.fetchWebProvider})`,
  ].filter(Boolean);
  return on.length === 0 ? t('agents.noTools') : on.join(', ');
}

const submit = (start) => (event) => {
  event.preventDefault();
  void start(Object.fromEntries(new FormData(event.target)));
};

function NewWorkspace({ onClose, onSaved }) {
  const tiers = useLoad(async () => Object.keys((await read('/admin/status')).tiers));
  const save = useAction(async (fields) => {
    await write('POST', '/admin/workspaces', fields);
    onSaved();
  });
  return html`
    <${Dialog} title=${t('workspaces.add')} onClose=${onClose}>
      <form class="stack" onSubmit=${submit(save.start)}>
        <${Field} label=${t('name')} id="workspace-name"
          ><input id="workspace-name" name="name" required maxlength="200"
        /><//>
        <${Field} label=${t('tier')} id="workspace-tier" hint=${t('tier.hint')}>
          <select id="workspace-tier" name="tier">
            ${(tiers.data ?? []).map((tier) => html`<option value=${tier}>${tier}</option>`)}
          </select>
        <//>
        ${save.error && html`<${Failure} error=${save.error} />`}
        <div class="row"><button class="main" disabled=${save.busy}>${t('create')}</button></div>
      </form>
    <//>
  `;
}

function NewAgent({ workspace, onClose }) {
  const save = useAction(async ({ name }) => {
    const agent = await write('POST', '/admin/agents', { workspace: workspace.id, name });
    location.hash = `#/agents/${encodeURIComponent(agent.id)}`;
  });
  return html`
    <${Dialog} title=${t('agents.addTo', { name: workspace.name })} onClose=${onClose}>
      <form class="stack" onSubmit=${submit(save.start)}>
        <${Field} label=${t('name')} id="agent-name"
          ><input id="agent-name" name="name" required maxlength="200"
        /><//>
        ${save.error && html`<${Failure} error=${save.error} />`}
        <div class="row"><button class="main" disabled=${save.busy}>${t('create')}</button></div>
      </form>
    <//>
  `;
}
