// Money: balances, what is held, who used what. The ledger has a file of its own.
import { read, readNames, write } from '../api.js';
import { html, useState } from '../dom.js';
import { money, moment, number, t } from '../i18n.js';
import { Failure, Field, Loaded, Page, Table, Tabs, useAction, useLoad } from '../parts.js';
import { Alerts, Budgets } from './budgets.js';
import { Ledger, TopUp } from './ledger.js';

const DAY_MS = 86_400_000;
const GROUPS = ['workspace', 'agent', 'key', 'person', 'provider', 'operation', 'day', 'hour'];

export function Credits({ id }) {
  const accounts = useLoad(async () => (await read('/admin/subscriptions')).subscriptions);
  return html`
    <${Page} title=${t('nav.credits')} lead=${t('credits.lead')}>
      <${Loaded} from=${accounts}>
        ${(all) => {
          const account = all.find((one) => one.id === id) ?? all[0];
          if (account === undefined)
            return html`<section class="card"><p class="empty">${t('credits.none')}</p></section>`;
          return html`<${Account}
            key=${account.id}
            account=${account}
            all=${all}
            reload=${accounts.reload}
          />`;
        }}
      <//>
    <//>
  `;
}

function Account({ account, all, reload }) {
  const [tab, setTab] = useState('ledger');
  const [turn, setTurn] = useState(0);
  const names = useNames();
  const changed = () => {
    setTurn(turn + 1);
    void reload();
  };
  const go = (event) => {
    location.hash = `#/credits/${encodeURIComponent(event.target.value)}`;
  };
  const tabs = ['ledger', 'usage', 'budgets', 'alerts', 'holds', 'doubts'].map((name) => [
    name,
    t(`credits.${name}`),
  ]);
  return html`
    <div class="grid">
      <section class="card stack">
        <${Field} label=${t('subscription')} id="account">
          <select id="account" value=${account.id} onChange=${go}>
            ${all.map((one) => html`<option value=${one.id}>${one.name} (${one.tier})</option>`)}
          </select>
        <//>
        <div class="figures">
          <div class="figure">
            <div class="label">${t('balance')}</div>
            <div class="value">${money(account.balance)}</div>
          </div>
          <div class="figure">
            <div class="label">${t('credits.heldNow')}</div>
            <div class="value">${money(account.reserved)}</div>
          </div>
        </div>
        <p class="soft small">${t('credits.availableText', { amount: money(account.available) })}</p>
      </section>
      <${TopUp} account=${account} onDone=${changed} />
    </div>
    <section class="card stack">
      <${Tabs} label=${t('nav.credits')} tabs=${tabs} chosen=${tab} onChoose=${setTab} />
      ${tab === 'ledger' && html`<${Ledger} account=${account} turn=${turn} names=${names} />`}
      ${tab === 'usage' && html`<${Usage} account=${account} names=${names} />`}
      ${tab === 'budgets' && html`<${Budgets} account=${account} names=${names} />`}
      ${tab === 'alerts' && html`<${Alerts} />`}
      ${tab === 'holds' && html`<${Holds} account=${account} names=${names} />`}
      ${tab === 'doubts' && html`<${Doubts} account=${account} names=${names} />`}
    </section>
  `;
}

/** Ids of agents, workspaces and keys as the names people gave them. */
function useNames() {
  const loaded = useLoad(readNames);
  return (id) => loaded.data?.(id) ?? id;
}

function Usage({ account, names }) {
  const [by, setBy] = useState('workspace');
  const [days, setDays] = useState(7);
  const loaded = useLoad(async () => {
    const from = Date.now() - days * DAY_MS;
    return (await read(`/admin/usage?by=${by}&subscription=${encodeURIComponent(account.id)}&from=${from}`))
      .usage;
  }, [account.id, by, days]);
  const nameOf = ({ group }) =>
    by === 'hour'
      ? moment(group.hour)
      : by === 'day'
        ? new Date(group.day).toISOString().slice(0, 10)
        : (names(group[by]) ?? '–');
  const columns = [
    [t(`group.${by}`)],
    [t('calls'), 'number'],
    [t('freeCalls'), 'number'],
    [t('credits'), 'number'],
    [t('charged'), 'number'],
    [t('returned'), 'number'],
    [t('calls.tokens'), 'number'],
    [t('modelCost'), 'number'],
  ];
  return html`
    <div class="row">
      <label for="by" class="small">${t('groupBy')}</label>
      <select id="by" class="auto" value=${by} onChange=${(event) => setBy(event.target.value)}>
        ${GROUPS.map((group) => html`<option value=${group}>${t(`group.${group}`)}</option>`)}
      </select>
      <label for="days" class="small">${t('period')}</label>
      <select id="days" class="auto" value=${days} onChange=${(event) => setDays(Number(event.target.value))}>
        ${[1, 7, 30, 365].map((count) => html`<option value=${count}>${t('lastDays', { count })}</option>`)}
      </select>
    </div>
    <${Loaded} from=${loaded}>
      ${(rows) => html`<${Table} columns=${columns} rows=${rows.map((row) => [nameOf(row), number(row.calls), number(row.free), number(row.credits), money(row.charged), number(row.returned), number(row.tokensIn + row.tokensOut), money(row.modelCost)])} empty=${t('credits.noUsage')} />`}
    <//>
  `;
}

function Holds({ account, names }) {
  const loaded = useLoad(
    async () => (await read(`/admin/holds?subscription=${encodeURIComponent(account.id)}`)).holds,
    [account.id],
  );
  const columns = [
    [t('when'), 'nowrap'],
    [t('description')],
    [t('credits'), 'number'],
    [t('amount'), 'number'],
    [t('expires'), 'nowrap'],
  ];
  const rowOf = (hold) => [
    moment(hold.created),
    [hold.category, hold.provider, names(hold.agent)].filter(Boolean).join(' · '),
    number(hold.credits),
    money(hold.amount),
    moment(hold.expires),
  ];
  return html`
    <div class="row"><button class="small" onClick=${loaded.reload}>${t('refresh')}</button></div>
    <${Loaded} from=${loaded}
      >${(holds) => html`<${Table} columns=${columns} rows=${holds.map(rowOf)} empty=${t('credits.noHolds')} />`}<//
    >
  `;
}

/** Requests of which nobody knows whether the provider did the work; the operator says what its bill says. */
function Doubts({ account, names }) {
  const loaded = useLoad(
    async () => (await read(`/admin/in-doubt?subscription=${encodeURIComponent(account.id)}`)).requests,
    [account.id],
  );
  const resolve = useAction(async ({ id, credits }, billed) => {
    await write(
      'POST',
      `/admin/in-doubt/${encodeURIComponent(id)}`,
      billed ? { billed, credits } : { billed },
    );
    void loaded.reload();
  });
  const columns = [
    [t('when'), 'nowrap'],
    [t('description')],
    [t('credits'), 'number'],
    [t('amount'), 'number'],
    [''],
  ];
  const rowOf = (request) => [
    moment(request.asked),
    [request.category, request.provider, names(request.agent ?? request.workspace), request.reason]
      .filter(Boolean)
      .join(' · '),
    number(request.credits),
    money(request.amount),
    html`<div class="row">
      <button class="small" onClick=${() => resolve.start(request, true)}>${t('credits.billed')}</button>
      <button class="small" onClick=${() => resolve.start(request, false)}>${t('credits.notBilled')}</button>
    </div>`,
  ];
  return html`
    <p class="soft small">${t('credits.doubtsLead')}</p>
    ${resolve.error && html`<${Failure} error=${resolve.error} />`}
    <${Loaded} from=${loaded}
      >${(requests) => html`<${Table} columns=${columns} rows=${requests.map(rowOf)} empty=${t('credits.noDoubts')} />`}<//
    >
  `;
}
