// The door: signing in, and choosing the first password with a setup link.
import { write } from '../api.js';
import { html, useState } from '../dom.js';
import { t } from '../i18n.js';
import { Failure, Field, useAction } from '../parts.js';

export const Door = ({ title, choices, children }) => html`
  <div class="door">
    <main class="card stack">
      <div class="brand"><img src="/console/icon.svg" alt="" />Headgate</div>
      <h1>${title}</h1>
      ${children}
      <div class="row soft small">${choices}</div>
    </main>
  </div>
`;

export function SignIn({ place, session, enter, choices }) {
  const [name, setName] = useState('admin');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const signIn = useAction(async () =>
    enter(await write('POST', '/console/sign-in', { name, password, ...(code !== '' && { code }) })),
  );
  const isCodeNeeded = signIn.error?.code === 'second_factor_needed';
  const [asksCode, setAsksCode] = useState(false);
  if (isCodeNeeded && !asksCode) setAsksCode(true);
  const provider = session.provider && html`<${Provider} name=${session.provider} place=${place} />`;
  if (session.needsSetup || session.passwords === false) {
    return html`
      <${Door} title=${t(session.needsSetup ? 'welcome' : 'signIn')} choices=${choices}>
        ${provider} ${session.needsSetup && html`<p>${t('setup.look')}</p>`}
        <p class="soft small">
          ${t(session.needsSetup ? 'setup.again' : 'rescue')} <code>headgate console</code>
        </p>
      <//>
    `;
  }
  return html`
    <${Door} title=${t('signIn')} choices=${choices}>
      ${provider}
      <form class="stack" onSubmit=${submit(signIn.start)}>
        <${NameField} name=${name} setName=${setName} />
        <${Field} label=${t('password')} id="password">
          <input
            id="password"
            type="password"
            autocomplete="current-password"
            required
            value=${password}
            onInput=${into(setPassword)}
          />
        <//>
        ${asksCode && html`<${CodeField} code=${code} setCode=${setCode} hint=${t('factor.codeHint')} />`}
        ${((!isCodeNeeded && signIn.error) || session.error) && html`<${Failure} error=${signIn.error ?? session.error} />`}
        <button class="main" disabled=${signIn.busy}>${signIn.busy ? t('signingIn') : t('signIn')}</button>
      </form>
      <p class="soft small">${t('lost')} <code>headgate console</code></p>
    <//>
  `;
}

/** The way to the identity provider, and why the last attempt did not work. */
const Provider = ({ name, place }) => html`
  ${place[0] === 'refused' && html`<p class="notice" role="alert">${t(`refused.${place[1]}`, { name })}</p>`}
  <a class="button" href=${`/console/oidc?to=${place[0] === 'consent' ? place.join('/') : ''}`}
    >${t('signInWith', { name })}</a
  >
`;

export function SetUp({ token, enter, choices }) {
  const [name, setName] = useState('admin');
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const setUp = useAction(async () => {
    if (password !== again) throw new Error(t('setup.differ'));
    const entered = await write('POST', '/console/setup', { token, name, password });
    enter(entered.csrf === undefined ? {} : entered);
    location.hash = '#/overview';
  });
  return html`
    <${Door} title=${t('welcome')} choices=${choices}>
      <p class="soft">${t('setup.choose')}</p>
      <form class="stack" onSubmit=${submit(setUp.start)}>
        <${NameField} name=${name} setName=${setName} />
        <${Field} label=${t('password')} id="password" hint=${t('setup.hint')}>
          <input
            id="password"
            type="password"
            autocomplete="new-password"
            minlength="12"
            maxlength="200"
            required
            value=${password}
            onInput=${into(setPassword)}
          />
        <//>
        <${Field} label=${t('setup.repeat')} id="again">
          <input
            id="again"
            type="password"
            autocomplete="new-password"
            required
            value=${again}
            onInput=${into(setAgain)}
          />
        <//>
        ${setUp.error && html`<${Failure} error=${setUp.error} />`}
        <button class="main" disabled=${setUp.busy}>${t('setup.save')}</button>
      </form>
    <//>
  `;
}

export const CodeField = ({ code, setCode, hint }) => html`
  <${Field} label=${t('factor.code')} id="code" hint=${hint}>
    <input
      id="code"
      autocomplete="one-time-code"
      required
      maxlength="40"
      value=${code}
      onInput=${into(setCode)}
    />
  <//>
`;

const NameField = ({ name, setName }) => html`
  <${Field} label=${t('name')} id="name">
    <input id="name" autocomplete="username" required value=${name} onInput=${into(setName)} />
  <//>
`;

const into = (set) => (event) => set(event.target.value);
const submit = (start) => (event) => {
  event.preventDefault();
  void start();
};
