// Money: balances, top-ups, the ledger with its running balance, what is held, who used what.
import { read, readNames, write } from '../api.js';
import { html, useState } from '../dom.js';
import { digitsOf, money, moment, number, t } from '../i18n.js';
import { Badge, Failure, Field, Loaded, Page, Table, Tabs, useAction, useLoad } from '../parts.js';
import { Alerts, Budgets } from './budgets.js';

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

function TopUp({ account, onDone }) {
  const add = useAction(async (fields) => {
    const amount = Math.round(Number(fields.amount) * 1_000_000);
    const note = fields.note.trim();
    const booked = await write('POST', `/admin/subscriptions/${encodeURIComponent(account.id)}/top-up`, {
      amount,
      ...(note === '' ? {} : { note }),
    });
    onDone();
    return { amount, balance: booked.balance };
  });
  const submit = (event) => {
    event.preventDefault();
    void add.start(Object.fromEntries(new FormData(event.target)));
  };
  return html`
    <section class="card stack">
      <h2>${t('credits.topUp')}</h2>
      <form class="stack" onSubmit=${submit}>
        <div class="fields">
          <${Field} label=${t('credits.amount')} id="amount" hint=${t('credits.amountHint')}
            ><input id="amount" name="amount" type="number" step="0.000001" required
          /><//>
          <${Field} label=${t('note')} id="note"><input id="note" name="note" maxlength="200" /><//>
        </div>
        ${add.error && html`<${Failure} error=${add.error} />`}
        ${add.done && html`<div class="notice good" role="status">${t('credits.added', { amount: money(add.done.amount), balance: money(add.done.balance) })}</div>`}
        <div class="row"><button class="main" disabled=${add.busy}>${t('credits.add')}</button></div>
      </form>
    </section>
  `;
}

function Ledger({ account, turn, names }) {
  const [pages, setPages] = useState([undefined]);
  const [filter, setFilter] = useState('');
  const base = `/admin/ledger?subscription=${encodeURIComponent(account.id)}&limit=100`;
  const loaded = useLoad(async () => {
    const parts = await Promise.all(
      pages.map((before) => read(before === undefined ? base : `${base}&before=${before}`)),
    );
    return { entries: parts.flatMap((part) => part.entries), next: parts.at(-1).next };
  }, [account.id, pages, turn]);
  const csv = `/console/api/ledger.csv?subscription=${encodeURIComponent(account.id)}`;
  return html`
    <div class="row between">
      <div class="row">
        <label for="filter" class="small">${t('filter')}</label
        ><input
          id="filter"
          class="auto"
          type="search"
          value=${filter}
          onInput=${(event) => setFilter(event.target.value)}
          placeholder=${t('credits.filterHint')}
        />
      </div>
      <a class="button" href=${csv} download>${t('credits.csv')}</a>
    </div>
    <${Loaded} from=${loaded}>
      ${({ entries, next }) => html`
        <${LedgerTable} names=${names} entries=${entries.filter((entry) => matches(entry, filter))} />
        <p class="soft small">${checkText(entries, next)}</p>
        ${next && html`<div class="row"><button onClick=${() => setPages([...pages, next])}>${t('more')}</button></div>`}
      `}
    <//>
  `;
}

const matches = (entry, filter) =>
  JSON.stringify(Object.values(entry)).toLowerCase().includes(filter.trim().toLowerCase());

function LedgerTable({ entries, names }) {
  const digits = digitsOf(entries.flatMap((entry) => [entry.amount, entry.balance]));
  const rows = entries.map((entry) => [
    moment(entry.at),
    html`<${Badge} kind=${entry.amount < 0 ? '' : 'good'}>${t(`ledger.${entry.kind}`)}<//>`,
    [entry.category, entry.provider, names(entry.agent ?? entry.workspace), entry.note]
      .filter(Boolean)
      .join(' · ') || entry.reference,
    money(entry.amount, digits),
    money(entry.balance, digits),
  ]);
  const columns = [
    [t('when'), 'nowrap'],
    [t('kind'), 'nowrap'],
    [t('description')],
    [t('amount'), 'number'],
    [t('balance'), 'number'],
  ];
  return html`<${Table} columns=${columns} rows=${rows} empty=${t('credits.noEntries')} />`;
}

/** Says on the page whether each balance is the one before plus the amount. */
function checkText(entries, next) {
  const before = (at) => entries[at + 1]?.balance ?? (next === undefined ? 0 : undefined);
  const isWrong = entries.some(
    (entry, at) => before(at) !== undefined && before(at) + entry.amount !== entry.balance,
  );
  const total = entries.reduce((sum, entry) => sum + entry.amount, 0);
  return isWrong
    ? t('credits.wrong')
    : t('credits.right', { count: number(entries.length), total: money(total) });
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
