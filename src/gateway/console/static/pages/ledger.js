// The ledger of a subscription, searched by the gateway, and the form that books into it.
import { read, write } from '../api.js';
import { html, useState } from '../dom.js';
import { digitsOf, money, moment, number, second, t } from '../i18n.js';
import { LEDGER_KINDS, LEDGER_SORTS } from '../lists.js';
import { Badge, Dialog, Failure, Field, Loaded, Table, useAction, useLoad } from '../parts.js';

/** Sums above this must be typed a second time. */
const TYPED_AGAIN_FROM = 1_000_000_000;
const DAY_MS = 86_400_000;

const millionthsOf = (text) => Math.round(Number(text) * 1_000_000);
/** A name for a booking, so that one that is sent twice is booked once. */
const newReference = () =>
  `console_${[...crypto.getRandomValues(new Uint8Array(10))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;

export function TopUp({ account, onDone }) {
  const [asked, setAsked] = useState(/** @type {any} */ (undefined));
  const [turn, setTurn] = useState(0);
  const [done, setDone] = useState(/** @type {any} */ (undefined));
  const submit = (event) => {
    event.preventDefault();
    const { amount, note } = /** @type {Record<string, string>} */ (
      Object.fromEntries(new FormData(event.target))
    );
    setDone(undefined);
    setAsked({ amount: millionthsOf(amount), note: note.trim(), reference: newReference() });
  };
  const booked = (result) => {
    setAsked(undefined);
    setDone(result);
    setTurn(turn + 1);
    onDone();
  };
  return html`
    <section class="card stack">
      <h2>${t('credits.topUp')}</h2>
      <form class="stack" key=${turn} onSubmit=${submit}>
        <div class="fields">
          <${Field} label=${t('credits.amount')} id="amount" hint=${t('credits.amountHint')}
            ><input id="amount" name="amount" type="number" step="0.000001" required
          /><//>
          <${Field} label=${t('note')} id="note"><input id="note" name="note" maxlength="200" /><//>
        </div>
        ${asked?.amount === 0 && html`<${Failure} error=${new Error(t('credits.zero'))} />`}
        ${done && html`<div class="notice good" role="status">${t('credits.added', { amount: money(done.amount), balance: money(done.balance) })}</div>`}
        <div class="row"><button class="main">${t('credits.add')}</button></div>
      </form>
      ${asked && asked.amount !== 0 && html`<${Confirm} asked=${asked} account=${account} onClose=${() => setAsked(undefined)} onBooked=${booked} />`}
    </section>
  `;
}

/** The balance before and after. A large sum is typed again. */
function Confirm({ asked: { amount, note, reference }, account, onClose, onBooked }) {
  const [again, setAgain] = useState('');
  const book = useAction(async () => {
    const { balance } = await write('POST', `/admin/subscriptions/${encodeURIComponent(account.id)}/top-up`, {
      amount,
      reference,
      ...(note === '' ? {} : { note }),
    });
    onBooked({ amount, balance });
  });
  const isLarge = Math.abs(amount) >= TYPED_AGAIN_FROM;
  const isTyped = !isLarge || millionthsOf(again || 'no') === amount;
  const after = account.balance + amount;
  const submit = (event) => {
    event.preventDefault();
    void book.start();
  };
  return html`
    <${Dialog}
      title=${t(amount < 0 ? 'credits.confirmTake' : 'credits.confirmAdd', { name: account.name })}
      onClose=${onClose}
    >
      <form class="stack" onSubmit=${submit}>
        <dl class="change">
          <dt>${t('credits.before')}</dt>
          <dd>${money(account.balance)}</dd>
          <dt>${t(`ledger.${amount < 0 ? 'correction' : 'grant'}`)}</dt>
          <dd>${money(amount)}</dd>
          <dt class="sum">${t('credits.after')}</dt>
          <dd class="sum">${money(after)}</dd>
        </dl>
        ${note !== '' && html`<p class="soft">${t('note')}: ${note}</p>`}
        ${after < 0 && html`<p class="notice warn">${t('credits.below')}</p>`}
        ${
          isLarge &&
          html`<${Field}
            label=${t('credits.again')}
            id="amount-again"
            hint=${t('credits.againHint', { amount: money(TYPED_AGAIN_FROM) })}
            ><input
              id="amount-again"
              inputmode="decimal"
              autocomplete="off"
              required
              value=${again}
              onInput=${(event) => setAgain(event.target.value)}
          /><//>`
        }
        ${book.error && html`<${Failure} error=${book.error} />`}
        <div class="row">
          <button class="main" disabled=${book.busy || !isTyped}>${t('credits.confirm')}</button>
          <button type="button" onClick=${onClose}>${t('cancel')}</button>
        </div>
      </form>
    <//>
  `;
}

export function Ledger({ account, turn, names }) {
  const [pages, setPages] = useState([undefined]);
  const [filter, setFilter] = useState(/** @type {Record<string, string>} */ ({}));
  const query = queryOf(account, filter);
  const sort = filter['sort'] ?? 'newest';
  const loaded = useLoad(async () => {
    const parts = await Promise.all(
      pages.map((before) =>
        read(
          `/admin/ledger?${query}&sort=${sort}&limit=100${before === undefined ? '' : `&before=${before}`}`,
        ),
      ),
    );
    return {
      entries: parts.flatMap((part) => part.entries),
      end: /** @type {any} */ (parts.at(-1)),
      query,
      sort,
    };
  }, [String(query), sort, pages, turn]);
  const change = (fields) => {
    setPages([undefined]);
    setFilter(fields);
  };
  return html`
    <${LedgerFilters} change=${change} csv=${`/console/api/ledger.csv?${query}`} />
    <${Loaded} from=${loaded}>
      ${({ entries, end, query: asked, sort: order }) => html`
        <${LedgerTable} names=${names} entries=${entries} />
        <p class="soft small">${checkText(entries, end.next, { query: asked, sort: order })}</p>
        ${end.searchedTo && html`<p class="soft small" role="status">${t('calls.searchedTo', { time: second(end.searchedTo) })}</p>`}
        ${end.next && html`<div class="row"><button onClick=${() => setPages([...pages, end.next])}>${t(end.searchedTo ? 'calls.further' : 'more')}</button></div>`}
      `}
    <//>
  `;
}

/** The filter as the gateway reads it: days become the moments at which they begin and end here. */
function queryOf(account, { kind = '', text = '', from = '', to = '' }) {
  const start = (day) => new Date(`${day}T00:00`).getTime();
  const fields = {
    subscription: account.id,
    kind,
    text: text.trim(),
    from: from && start(from),
    to: to && start(to) + DAY_MS,
  };
  return new URLSearchParams(
    Object.entries(fields)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => [name, String(value)]),
  );
}

function LedgerFilters({ change, csv }) {
  const submit = (event) => {
    event.preventDefault();
    change(Object.fromEntries(new FormData(event.currentTarget)));
  };
  const send = (event) => event.target.form.requestSubmit();
  /** @param {any} [first] */
  const select = (id, label, options, first) => html`
    <${Field} label=${label} id=${`ledger-${id}`}>
      <select id=${`ledger-${id}`} name=${id} onChange=${send}>
        ${first && html`<option value="">${first}</option>`}
        ${options.map(([value, text]) => html`<option value=${value}>${text}</option>`)}
      </select>
    <//>
  `;
  const day = (id, label) => html`
    <${Field} label=${label} id=${`ledger-${id}`}
      ><input id=${`ledger-${id}`} name=${id} type="date" onChange=${send}
    /><//>
  `;
  return html`
    <form class="stack" role="search" aria-label=${t('filter')} onSubmit=${submit}>
      <div class="fields narrow">
        <${Field} label=${t('ledger.text')} id="filter"
          ><input
            id="filter"
            name="text"
            type="search"
            maxlength="200"
            placeholder=${t('credits.filterHint')}
        /><//>
        ${select(
          'kind',
          t('kind'),
          LEDGER_KINDS.map((one) => [one, t(`ledger.${one}`)]),
          t('all'),
        )}
        ${day('from', t('ledger.from'))} ${day('to', t('ledger.to'))}
        ${select(
          'sort',
          t('ledger.sort'),
          LEDGER_SORTS.map((one) => [one, t(`sort.${one}`)]),
        )}
      </div>
      <div class="row">
        <button class="main">${t('filter')}</button>
        <button type="reset" onClick=${() => change({})}>${t('calls.reset')}</button>
        <a class="button" href=${csv} download>${t('credits.csv')}</a>
      </div>
    </form>
  `;
}

function LedgerTable({ entries, names }) {
  const digits = digitsOf(entries.flatMap((entry) => [entry.amount, entry.balance]));
  const rows = entries.map((entry) => [
    moment(entry.at),
    html`<${Badge} kind=${entry.amount < 0 ? '' : 'good'}>${t(`ledger.${entry.kind}`)}<//>`,
    [entry.category, entry.provider, names(entry.agent ?? entry.workspace), entry.note]
      .filter(Boolean)
      .join(' · ') || '–',
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

/** Says on the page whether each balance is the one before plus the amount; of a selection only its sum. */
function checkText(entries, next, { query, sort }) {
  const sums = {
    count: number(entries.length),
    total: money(entries.reduce((sum, entry) => sum + entry.amount, 0)),
  };
  if (sort !== 'newest' || [...query].length > 1) return t('credits.selected', sums);
  const before = (at) => entries[at + 1]?.balance ?? (next === undefined ? 0 : undefined);
  const isWrong = entries.some(
    (entry, at) => before(at) !== undefined && before(at) + entry.amount !== entry.balance,
  );
  return isWrong ? t('credits.wrong') : t('credits.right', sums);
}
