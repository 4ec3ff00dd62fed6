// Consent: a client asks to use the gateway on behalf of the person who is signed in.
import { read, write } from '../api.js';
import { html, useState } from '../dom.js';
import { t } from '../i18n.js';
import { Failure, Field, Loaded, useAction, useLoad } from '../parts.js';
import { Door } from './sign-in.js';

export function Consent({ id, session, choices }) {
  const loaded = useLoad(() => read(`/console/consent/${id}`), [id]);
  return html`
    <${Door} title=${t('consent.title')} choices=${choices}>
      <${Loaded} from=${loaded}>
        ${(asked) => html`<${Decision} id=${id} asked=${asked} session=${session} />`}
      <//>
    <//>
  `;
}

function Decision({ id, asked, session }) {
  const [workspace, setWorkspace] = useState(asked.workspaces[0]?.id ?? '');
  const [scopes, setScopes] = useState(asked.scopes);
  const decide = useAction(async (allow) => {
    const body = allow ? { allow, workspace, scopes } : { allow };
    const { redirect } = await write('POST', `/console/consent/${id}`, body);
    location.assign(redirect);
  });
  const toggle = (scope) =>
    setScopes(asked.scopes.filter((one) => (one === scope ? !scopes.includes(one) : scopes.includes(one))));
  return html`
    <p>${t('consent.asks', { client: asked.client.name, person: session.name })}</p>
    <dl class="facts small">
      <dt>${t('consent.client')}</dt>
      <dd class="mono">${asked.client.id}</dd>
      <dt>${t('consent.returnsTo')}</dt>
      <dd class="mono">${asked.client.returnsTo}</dd>
      ${
        asked.agent &&
        html`<dt>${t('agent')}</dt>
          <dd>${asked.agent.name}</dd>`
      }
    </dl>
    <p class="soft small">${t('consent.check')}</p>
    <${Field} label=${t('workspace')} id="workspace" hint=${t('consent.pays')}>
      <select id="workspace" value=${workspace} onChange=${(event) => setWorkspace(event.target.value)}>
        ${asked.workspaces.map((one) => html`<option value=${one.id}>${one.name}</option>`)}
      </select>
    <//>
    <fieldset class="stack">
      <legend>${t('consent.may')}</legend>
      ${asked.scopes.map(
        (scope) =>
          html`<label class="row"
            ><input type="checkbox" checked=${scopes.includes(scope)} onChange=${() => toggle(scope)} />
            ${t(`scope.${scope}`)}</label
          >`,
      )}
    </fieldset>
    ${decide.error && html`<${Failure} error=${decide.error} />`}
    ${asked.workspaces.length === 0 && html`<p class="notice">${t('consent.noWorkspace')}</p>`}
    <div class="row">
      <button
        class="main"
        disabled=${decide.busy || scopes.length === 0 || workspace === ''}
        onClick=${() => decide.start(true)}
      >
        ${t('consent.allow')}
      </button>
      <button disabled=${decide.busy} onClick=${() => decide.start(false)}>${t('consent.deny')}</button>
    </div>
  `;
}
