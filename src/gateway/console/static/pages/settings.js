// How the gateway is set up, whether its providers answer, who changed what, and one's own password.
import { read, remember, run, write } from '../api.js';
import { html, useState } from '../dom.js';
import { deedOf, fixOf } from '../deeds.js';
import { language, moment, t } from '../i18n.js';
import { Badge, Failure, Field, Loaded, Page, Said, Table, Tabs, useAction, useLoad } from '../parts.js';
import { Config } from './config.js';
import { Factor } from './factor.js';
import { HealthBadge, HealthFacts } from './providers.js';
import { People } from './people.js';
import { ProviderKeys } from './provider-keys.js';

const TABS = ['providers', 'config', 'doctor', 'people', 'clients', 'audit', 'password', 'factor'];
/** What somebody sees who has roles in workspaces only. */
const IN_WORKSPACES = ['people', 'password', 'factor'];

export function Settings({ id, session }) {
  const tabs = session.role === null ? IN_WORKSPACES : TABS;
  const chosen = tabs.includes(id) ? id : tabs[0];
  const go = (tab) => {
    location.hash = `#/settings/${tab}`;
  };
  const View = {
    providers: Providers,
    config: Config,
    doctor: Doctor,
    people: People,
    clients: Clients,
    audit: Audit,
    password: Password,
    factor: Factor,
  }[chosen];
  return html`
    <${Page} title=${t('nav.settings')} lead=${t('settings.lead')}>
      <section class="card stack">
        <${Tabs}
          label=${t('nav.settings')}
          tabs=${tabs.map((tab) => [tab, t(`settings.${tab}`)])}
          chosen=${chosen}
          onChoose=${go}
        />
        <${View} session=${session} />
      </section>
    <//>
  `;
}

function Providers({ session }) {
  const loaded = useLoad(async () => (await read('/admin/providers')).providers);
  const columns = [[t('provider')], [t('settings.can')], [t('settings.keys'), 'number'], [t('state')], ['']];
  const rowOf = (provider) => [
    html`<span class="row"
      ><strong>${provider.title}</strong
      >${provider.priced && html`<${Badge}>${t('settings.priced')}<//>`}</span
    >`,
    provider.can.map((one) => t(`can.${one}`)).join(', '),
    provider.keys === 0 ? '–' : `${provider.keysUsable}/${provider.keys}`,
    html`<div class="stack tight">
      <div><${HealthBadge} health=${provider.health} /></div>
      <${HealthFacts} provider=${provider} />
    </div>`,
    html`<${Test} provider=${provider} onDone=${loaded.reload} />`,
  ];
  return html`
    ${['admin', 'owner'].includes(session.role) && html`<${ProviderKeys} onChanged=${loaded.reload} />`}
    <h2>${t('overview.providers')}</h2>
    <${Loaded} from=${loaded}
      >${(providers) => html`<${Table} columns=${columns} rows=${providers.map(rowOf)} />`}<//
    >
  `;
}

/** Asks this provider one small question. It is not counted against any workspace. */
function Test({ provider, onDone }) {
  const test = useAction(async () => {
    const isSearch = provider.can.includes('search');
    const input = isSearch
      ? { query: 'headgate', max_results: 1, provider: provider.id }
      : { urls: ['https://example.com/'], provider: provider.id };
    const { done, failed } = await run(isSearch ? 'search' : 'extract', { input }, { onProgress() {} });
    await onDone();
    if (failed !== undefined) throw new Error(failed.error);
    const answered = done.output.attempts.at(-1);
    return done.output.cached
      ? t('settings.testCached')
      : t('settings.testGood', { ms: Math.round(answered?.ms ?? 0) });
  });
  return html`
    <div class="stack tight">
      <div>
        <button
          class="small"
          disabled=${test.busy}
          aria-label=${`${t('settings.test')}: ${provider.title}`}
          onClick=${test.start}
        >
          ${test.busy ? t('settings.testing') : t('settings.test')}
        </button>
      </div>
      ${provider.priced && !test.done && !test.error && html`<span class="soft small">${t('settings.testCosts')}</span>`}
      <span role="status" class="small">${test.done}</span>
      ${test.error && html`<${Failure} error=${test.error} />`}
    </div>
  `;
}

function Doctor() {
  const [isOnline, setOnline] = useState(false);
  const loaded = useLoad(async () => (await read(`/admin/doctor?online=${isOnline}`)).findings, [isOnline]);
  const kinds = { ok: 'good', note: '', problem: 'bad' };
  const columns = [[t('state'), 'nowrap'], [t('settings.subject')], [t('description')]];
  const rowOf = (one) => [
    html`<${Badge} kind=${kinds[one.level]}>${t(`doctor.${one.level}`)}<//>`,
    html`<${Said} text=${one.subject} />`,
    html`<${Said} text=${one.text} code=${one.code} />`,
  ];
  return html`
    <div class="row">
      <button onClick=${() => (isOnline ? loaded.reload() : setOnline(true))}>${t('settings.online')}</button>
    </div>
    <${Loaded} from=${loaded}
      >${(findings) => html`<${Table} columns=${columns} rows=${findings.map(rowOf)} />`}<//
    >
  `;
}

/** How far MCP clients came when they signed in. What they call themselves is text like any other. */
function Clients() {
  const loaded = useLoad(async () => (await read('/admin/handshakes')).handshakes);
  const columns = [[t('when'), 'nowrap'], [t('clients.client')], [t('clients.step')], [t('clients.failure')]];
  const rowOf = (one) => [
    moment(one.updated),
    html`<div>${one.name || '–'}</div>
      <div class="mono small soft wrap">${one.client ?? one.address}</div>`,
    html`<${Badge} kind=${one.failure ? 'bad' : one.step === 'call' ? 'good' : ''}
      >${t(`clients.${one.step}`)}<//
    >`,
    one.failure === null
      ? ''
      : html`<div>${one.failure.error}</div>
          <div class="soft small">${fixOf(one, language())}</div>`,
  ];
  return html`
    <p class="soft">${t('clients.lead')}</p>
    <${Loaded} from=${loaded}
      >${(rows) => html`<${Table} columns=${columns} rows=${rows.map(rowOf)} empty=${t('clients.none')} />`}<//
    >
  `;
}

function Audit() {
  const loaded = useLoad(async () => (await read('/console/api/audit')).entries);
  const columns = [[t('when'), 'nowrap'], [t('settings.who')], [t('settings.did')], [t('settings.from')]];
  return html`<${Loaded} from=${loaded}
    >${(entries) => html`<${Table} columns=${columns} rows=${entries.map((one) => [moment(one.at), one.actor, deedOf(one, language()), one.address])} />`}<//
  >`;
}

function Password() {
  const change = useAction(async (fields) => {
    if (fields.new !== fields.again) throw new Error(t('setup.differ'));
    remember(await write('POST', '/console/password', { old: fields.old, new: fields.new }));
  });
  const submit = (event) => {
    event.preventDefault();
    void change.start(Object.fromEntries(new FormData(event.target)));
  };
  return html`
    <form class="stack" onSubmit=${submit}>
      <div class="fields">
        <${Field} label=${t('settings.old')} id="old"
          ><input id="old" name="old" type="password" autocomplete="current-password" required
        /><//>
        <${Field} label=${t('settings.new')} id="new" hint=${t('setup.hint')}
          ><input id="new" name="new" type="password" autocomplete="new-password" minlength="12" required
        /><//>
        <${Field} label=${t('setup.repeat')} id="again"
          ><input id="again" name="again" type="password" autocomplete="new-password" required
        /><//>
      </div>
      ${change.error && html`<${Failure} error=${change.error} />`}
      ${change.done && html`<div class="notice good" role="status">${t('settings.changed')}</div>`}
      <div class="row"><button class="main" disabled=${change.busy}>${t('settings.change')}</button></div>
    </form>
  `;
}
