// The second factor: setting it up with an authenticator app, its recovery codes, and switching it off.
import { read, remember, write } from '../api.js';
import { html, useState } from '../dom.js';
import { t } from '../i18n.js';
import { Code, Failure, Field, Loaded, useAction, useLoad } from '../parts.js';
import { CodeField, Door } from './sign-in.js';

/** What somebody sees who has to set it up before anything else. */
export const FactorDoor = ({ enter, leave, choices }) => html`
  <${Door} title=${t('settings.factor')} choices=${choices}>
    <p>${t('factor.required')}</p>
    <${Factor} onDone=${async () => enter(remember(await read('/console/session')))} />
    <div class="row"><button class="small" onClick=${leave}>${t('signOut')}</button></div>
  <//>
`;

export function Factor({ onDone = async () => {} }) {
  const loaded = useLoad(() => read('/console/factor'));
  const [codes, setCodes] = useState(/** @type {string[] | undefined} */ (undefined));
  const finish = async () => {
    setCodes(undefined);
    await loaded.reload();
    await onDone();
  };
  if (codes !== undefined)
    return html`
      <div class="notice good" role="status">${t('factor.on')}</div>
      <p>${t('factor.keepCodes')}</p>
      <${Code} text=${codes.join('\n')} label=${t('factor.recovery')} />
      <div class="row"><button class="main" onClick=${finish}>${t('factor.kept')}</button></div>
    `;
  return html`<${Loaded} from=${loaded}
    >${(state) =>
      state.isOn
        ? html`<p>${t('factor.isOn', { left: state.left })}</p>
            <${Proof} label=${t('factor.off')} path="/console/factor/off" onDone=${loaded.reload} />`
        : html`<p class="soft">${t('factor.lead')}</p>
            <ol class="stack">
              <li>
                ${t('factor.add')}
                <p class="mono wrap">${state.secret.match(/.{4}/g).join(' ')}</p>
                <a href=${state.link}>${t('factor.open')}</a>
              </li>
              <li>${t('factor.then')}</li>
            </ol>
            <${Proof}
              label=${t('factor.turnOn')}
              path="/console/factor"
              body=${{ secret: state.secret }}
              onDone=${(answer) => setCodes(answer.codes)}
            />`}<//
  >`;
}

/** The password and a code of the app. */
function Proof({ label, path, body = {}, onDone }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const prove = useAction(async () => {
    const answer = await write('POST', path, { ...body, password, code });
    await onDone(answer);
  });
  const submit = (event) => {
    event.preventDefault();
    void prove.start();
  };
  return html`
    <form class="stack" onSubmit=${submit}>
      <div class="fields">
        <${CodeField} code=${code} setCode=${setCode} />
        <${Field} label=${t('password')} id="factor-password"
          ><input
            id="factor-password"
            type="password"
            autocomplete="current-password"
            required
            value=${password}
            onInput=${(event) => setPassword(event.target.value)}
        /><//>
      </div>
      ${prove.error && html`<${Failure} error=${prove.error} />`}
      <div class="row"><button class="main" disabled=${prove.busy}>${label}</button></div>
    </form>
  `;
}
