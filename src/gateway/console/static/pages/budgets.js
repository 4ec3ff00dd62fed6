// Budgets of the workspaces of a subscription, and the webhooks that report what happens to them.
import { read, write } from '../api.js';
import { html, useState } from '../dom.js';
import { money, moment, number, t } from '../i18n.js';
import { LEVELS } from '../lists.js';
import { Badge, Code, Failure, Field, Loaded, Table, useAction, useLoad } from '../parts.js';

const fieldsOf = (event) => {
  event.preventDefault();
  return Object.fromEntries(new FormData(event.target));
};

export function Budgets({ account, names }) {
  const loaded = useLoad(async () => {
    const [{ workspaces }, { budgets }] = await Promise.all([
      read('/admin/workspaces'),
      read('/admin/budgets'),
    ]);
    const own = workspaces.filter((one) => one.subscription === account.id);
    return { own, budgets: budgets.filter((one) => own.some(({ id }) => id === one.workspace)) };
  }, [account.id]);
  const remove = useAction(async (id) => {
    await write('DELETE', `/admin/budgets/${encodeURIComponent(id)}`);
    void loaded.reload();
  });
  return html`
    <p class="soft small">${t('budgets.lead')}</p>
    ${remove.error && html`<${Failure} error=${remove.error} />`}
    <${Loaded} from=${loaded}>
      ${({ own, budgets }) => html`
        ${budgets.length === 0 && html`<p class="empty">${t('budgets.none')}</p>`}
        ${budgets.map((budget) => html`<${BudgetBar} budget=${budget} names=${names} busy=${remove.busy} onRemove=${() => remove.start(budget.id)} />`)}
        ${own.length > 0 && html`<${NewBudget} workspaces=${own} onSaved=${loaded.reload} />`}
      `}
    <//>
  `;
}

const PERIODS = ['day', 'month'];
const CENT = 10_000;

/** Spent and reserved of the limit, and where it leads at this rate. */
function BudgetBar({ budget, names, busy, onRemove }) {
  const { amount, used, reserved, left, forecast, renews, period } = budget;
  const isMoney = budget.unit === 'money';
  const said = (value) => (isMoney ? money(value) : `${number(value)} ${t('credits').toLowerCase()}`);
  const scale = Math.max(amount, used, forecast ?? 0, 1);
  const width = (value) => ({ width: `${(100 * value) / scale}%` });
  const name = `${t(`budgets.${budget.level}`)} · ${names(budget.subject)}`;
  const isBeyond = forecast !== null && forecast > amount;
  const facts = [
    reserved > 0 && t('budgets.reserved', { amount: said(reserved) }),
    left < 0 ? t('budgets.over', { amount: said(-left) }) : t('budgets.leftOf', { amount: said(left) }),
    renews !== null && t('budgets.renewsAt', { time: moment(renews) }),
  ];
  return html`
    <section class="budget stack tight" aria-label=${name}>
      <div class="row between">
        <span class="row tight"
          ><strong>${name}</strong>
          <${Badge} kind=${budget.hard ? 'warn' : ''}
            >${t(budget.hard ? 'budgets.hard' : 'budgets.soft')}<//
          ></span
        >
        <button
          class="small"
          aria-label=${`${t('people.remove')}: ${name}`}
          disabled=${busy}
          onClick=${onRemove}
        >
          ${t('people.remove')}
        </button>
      </div>
      <div
        class=${`bar parts ${left <= 0 ? 'over' : isBeyond ? 'near' : ''}`}
        role="img"
        aria-label=${t('budgets.bar', { spent: said(used - reserved), reserved: said(reserved), limit: said(amount) })}
      >
        <i style=${width(used - reserved)}></i><i class="held" style=${width(reserved)}></i>
        <b style=${{ left: `${(100 * amount) / scale}%` }}></b>
        ${forecast !== null && html`<s style=${{ left: `${(100 * forecast) / scale}%` }}></s>`}
      </div>
      <div class="row between small">
        <span
          >${[t('budgets.spentOf', { spent: said(used - reserved), limit: said(amount) }), `${PERIODS.includes(period) ? t(`budgets.per.${period}`) : period} (${budget.zone})`].join(' · ')}</span
        >
        <span class="soft">${facts.filter(Boolean).join(' · ')}</span>
      </div>
      ${
        forecast !== null &&
        html`<div class="small">
          ${t('budgets.forecast', { amount: said(isMoney ? Math.round(forecast / CENT) * CENT : forecast), time: moment(renews) })}
          ${isBeyond && html` <${Badge} kind=${budget.hard ? 'bad' : 'warn'}>${t('budgets.beyond')}<//>`}
        </div>`
      }
    </section>
  `;
}

function NewBudget({ workspaces, onSaved }) {
  const [level, setLevel] = useState('workspace');
  const save = useAction(async ({ workspace, subject, unit, amount, period, hours, zone, hard }) => {
    await write('POST', '/admin/budgets', {
      workspace,
      level,
      ...(level === 'workspace' ? {} : { subject: subject.trim() }),
      unit,
      amount: Math.round(Number(amount) * (unit === 'money' ? 1_000_000 : 1)),
      period: period === 'rolling' ? `${hours}h` : period,
      zone: zone.trim(),
      hard: hard === 'hard',
    });
    void onSaved();
  });
  const [period, setPeriod] = useState('month');
  /** @param {any} [change] */
  const choice = (id, names, label, change) => html`
    <${Field} label=${label} id=${`budget-${id}`}>
      <select id=${`budget-${id}`} name=${id} onChange=${change}>
        ${names.map(([value, text]) => html`<option value=${value}>${text}</option>`)}
      </select>
    <//>
  `;
  const texts = (prefix, values) => values.map((value) => [value, t(`${prefix}${value}`)]);
  return html`
    <form class="stack" onSubmit=${(event) => save.start(fieldsOf(event))}>
      <h2>${t('budgets.set')}</h2>
      <div class="fields">
        ${choice(
          'workspace',
          workspaces.map(({ id, name }) => [id, name]),
          t('workspace'),
        )}
        ${choice('level', texts('budgets.', LEVELS), t('budgets.for'), (event) => setLevel(event.target.value))}
        ${
          level !== 'workspace' &&
          html`<${Field} label=${t('budgets.subject')} id="budget-subject"
            ><input id="budget-subject" name="subject" required maxlength="200"
          /><//>`
        }
        <${Field} label=${t('amount')} id="budget-amount"
          ><input id="budget-amount" name="amount" type="number" min="0" step="0.000001" required
        /><//>
        ${choice('unit', texts('budgets.unit.', ['credits', 'money']), t('budgets.unit'))}
        ${choice('period', texts('budgets.per.', ['month', 'day', 'rolling']), t('period'), (event) => setPeriod(event.target.value))}
        ${
          period === 'rolling' &&
          html`<${Field} label=${t('budgets.hours')} id="budget-hours"
            ><input id="budget-hours" name="hours" type="number" min="1" max="2160" required
          /><//>`
        }
        <${Field} label=${t('budgets.zone')} id="budget-zone"
          ><input
            id="budget-zone"
            name="zone"
            required
            value=${Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC'}
        /><//>
        ${choice('hard', texts('budgets.', ['hard', 'soft']), t('kind'))}
      </div>
      ${save.error && html`<${Failure} error=${save.error} />`}
      <div class="row"><button class="main" disabled=${save.busy}>${t('budgets.set')}</button></div>
    </form>
  `;
}

export function Alerts() {
  const loaded = useLoad(async () => (await read('/admin/webhooks')).webhooks);
  const add = useAction(async ({ url, format }) => {
    const made = await write('POST', '/admin/webhooks', { url: url.trim(), format });
    void loaded.reload();
    return made;
  });
  const act = useAction(async (method, id, what) => {
    await write(
      method,
      `/admin/webhooks/${encodeURIComponent(id)}${what}`,
      what === '/replay' ? {} : undefined,
    );
    void loaded.reload();
  });
  const button = (method, id, what, text) =>
    html`<button class="small" disabled=${act.busy} onClick=${() => act.start(method, id, what)}>
      ${text}
    </button>`;
  const columns = [[t('alerts.url')], [t('alerts.format')], [t('state')], ['']];
  const rowOf = ({ id, url, format, disabled, reason }) => [
    url,
    format,
    html`<${Badge} kind=${disabled === null ? 'good' : 'bad'}
      >${disabled === null ? t('alerts.on') : (reason ?? '')}<//
    >`,
    html`<div class="row">
      ${button('POST', id, '/test', t('alerts.test'))} ${button('POST', id, '/replay', t('alerts.replay'))}
      ${button('DELETE', id, '', t('people.remove'))}
    </div>`,
  ];
  return html`
    <p class="soft small">${t('alerts.lead')}</p>
    ${act.error && html`<${Failure} error=${act.error} />`}
    ${act.done && html`<div class="notice good" role="status">${t('alerts.done')}</div>`}
    <${Loaded} from=${loaded}
      >${(webhooks) => html`<${Table} columns=${columns} rows=${webhooks.map(rowOf)} empty=${t('alerts.none')} />`}<//
    >
    <form class="stack" onSubmit=${(event) => add.start(fieldsOf(event))}>
      <h2>${t('alerts.add')}</h2>
      <div class="fields">
        <${Field} label=${t('alerts.url')} id="webhook-url"
          ><input id="webhook-url" name="url" type="url" required maxlength="2048"
        /><//>
        <${Field} label=${t('alerts.format')} id="webhook-format">
          <select id="webhook-format" name="format">
            <option value="standard">Standard Webhooks (CloudEvents)</option>
            <option value="slack">Slack</option>
          </select>
        <//>
      </div>
      ${add.error && html`<${Failure} error=${add.error} />`}
      ${
        add.done &&
        html`<p>${t('alerts.once')}</p>
          <${Code} text=${add.done.secret} label=${t('alerts.secret')} />`
      }
      <div class="row"><button class="main" disabled=${add.busy}>${t('alerts.add')}</button></div>
    </form>
  `;
}
