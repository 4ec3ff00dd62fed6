// How the gateway does: what was asked, how it went, what it cost, what needs attention.
import { read } from '../api.js';
import { Spark, Stack } from '../chart.js';
import { html, useState } from '../dom.js';
import { ms, money, number, percent, second, span, t } from '../i18n.js';
import { CALL_GROUPS } from '../lists.js';
import { useLive } from '../live.js';
import { Badge, Loaded, Page, useLoad } from '../parts.js';
import { CallTable } from './calls.js';
import { FirstSteps } from './first-steps.js';
import { ProviderCards } from './providers.js';

const HOUR_MS = 3_600_000;
const SPANS = { '1h': 1, '6h': 6, '24h': 24, '7d': 168, '30d': 720, '90d': 2_160 };

/** `24h`, or two moments as `from-to`. */
const rangeOf = (id) => (id in SPANS || /^\d+-\d+$/.test(id ?? '') ? id : '24h');

const queryOf = (range, by) => {
  const [from, to] = range.split('-');
  const time = range in SPANS ? `span=${SPANS[range] * HOUR_MS}` : `from=${from}&to=${to}`;
  return `${time}&by=${by}&zone=${-new Date().getTimezoneOffset()}`;
};

export function Overview({ id }) {
  const [range, setRange] = useState(rangeOf(id));
  const [by, setBy] = useState('provider');
  const [picked, setPicked] = useState(/** @type {any} */ (undefined));
  const loaded = useLoad(() => read(`/console/api/overview?${queryOf(range, by)}`), [range, by]);
  useLive(loaded.reload, range in SPANS);
  const choose = (next) => {
    setRange(next);
    setPicked(undefined);
    history.replaceState(undefined, '', `#/overview/${next}`);
  };
  const nameOf = (value) => (value ? (loaded.data?.names[value] ?? value) : undefined);
  return html`
    <${Page}
      title=${t('nav.overview')}
      lead=${t('overview.lead')}
      actions=${html`<${Range} range=${range} choose=${choose} />`}
    >
      <${Loaded} from=${loaded}>
        ${(data) => html`
          <${FirstSteps} steps=${data.first} />
          ${data.since > data.from && html`<p class="soft small">${t('overview.since', { time: second(data.since) })}</p>`}
          <${SharedState} shared=${data.shared} />
          <${Figures} data=${data} />
          <${Calls}
            data=${data}
            by=${by}
            setBy=${setBy}
            picked=${picked}
            setPicked=${setPicked}
            nameOf=${nameOf}
          />
          <div class="grid">
            <${ProviderCards} providers=${data.providers} /><${NearLimit} rows=${data.near} />
          </div>
        `}
      <//>
    <//>
  `;
}

function Range({ range, choose }) {
  const [isOwn, setOwn] = useState(!(range in SPANS));
  const change = (event) => {
    setOwn(event.target.value === 'own');
    if (event.target.value !== 'own') choose(event.target.value);
  };
  const submit = (event) => {
    event.preventDefault();
    const { from, to } = /** @type {Record<string, string>} */ (
      Object.fromEntries(new FormData(event.target))
    );
    const [start, end] = [from, to].map((text) => new Date(text).getTime());
    if (start < end) choose(`${start}-${end}`);
  };
  const fieldOf = (at) => {
    const moment = range in SPANS ? Date.now() - (at === 0 ? 24 * HOUR_MS : 0) : Number(range.split('-')[at]);
    return new Date(moment - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  };
  return html`
    <select class="auto" aria-label=${t('period')} value=${isOwn ? 'own' : range} onChange=${change}>
      ${Object.keys(SPANS).map((one) => html`<option value=${one}>${t(`range.${one}`)}</option>`)}
      <option value="own">${t('range.own')}</option>
    </select>
    ${
      isOwn &&
      html`<form class="row" onSubmit=${submit}>
        <input
          class="auto"
          type="datetime-local"
          name="from"
          aria-label=${t('ledger.from')}
          required
          value=${fieldOf(0)}
        />
        <input
          class="auto"
          type="datetime-local"
          name="to"
          aria-label=${t('ledger.to')}
          required
          value=${fieldOf(1)}
        />
        <button>${t('range.show')}</button>
      </form>`
    }
  `;
}

const share = (part, whole) => (whole > 0 ? part / whole : undefined);

/**
 * Each figure: how it is found, how it is written, and whether more of it is good.
 * @type {[string, (sums: any) => number | undefined, (value: any) => string, number][]}
 */
const FIGURES = [
  ['calls', ({ calls }) => calls, number, 0],
  ['failed', ({ failed, calls }) => share(failed, calls), percent, -1],
  ['p50', ({ p50 }) => p50, ms, -1],
  ['p95', ({ p95 }) => p95, ms, -1],
  ['cached', ({ cached, calls }) => share(cached, calls), percent, 1],
  ['credits', ({ credits }) => credits, number, 0],
  ['charged', ({ charged }) => charged, money, 0],
];

/** Nothing for a gateway that is alone by its setup. */
const SharedState = ({ shared }) =>
  shared.state === 'local'
    ? ''
    : html`<p class=${shared.state === 'lost' ? 'notice' : 'soft small'}>
        ${t(`overview.${shared.state}`, { count: number(shared.gateways) })}
      </p>`;

function Figures({ data }) {
  return html`
    <section class="figures" aria-label=${t('overview.figures')}>
      ${FIGURES.map(
        ([id, of, write, better]) => html`
          <div class="card figure">
            <div class="label">${t(`figure.${id}`)}</div>
            <div class="value">${of(data.now) === undefined ? '–' : write(of(data.now))}</div>
            <${Change}
              now=${of(data.now)}
              before=${data.before && of(data.before)}
              better=${better}
              isShare=${write === percent}
            />
            <${Spark} values=${data.steps.map((step) => of(step) ?? 0)} />
          </div>
        `,
      )}
      <div class="card figure">
        <div class="label">${t('overview.balance')}</div>
        <div class="value">${money(data.balance)}</div>
        <div class="label">${t('overview.held', { amount: money(data.held) })}</div>
      </div>
    </section>
  `;
}

/** The change against the time before: of shares in points, else in percent. */
function Change({ now, before, better, isShare }) {
  if (now === undefined || before === undefined || (!isShare && before === 0))
    return html`<div class="label" title=${t('change.none')}>–</div>`;
  const change = isShare ? now - before : now / before - 1;
  const rounded = Math.round(change * 1_000) / 10;
  const kind = rounded === 0 || better === 0 ? '' : Math.sign(rounded) === better ? 'up' : 'worse';
  const sign = rounded > 0 ? '+' : rounded < 0 ? '−' : '±';
  return html`
    <div class=${`label ${kind}`} title=${t('change.title')}>
      ${sign}${number(Math.abs(rounded))} ${t(isShare ? 'change.points' : 'change.percent')}
    </div>
  `;
}

const OUTCOME_KINDS = { partial: 's6', degraded: 's1', timeout: 's2', rate_limit: 's4', quota: 's5' };
/** Outcomes have colours that mean something; names have the next one of the list. */
const kindOf = (by, name, at) =>
  name === undefined
    ? 's7'
    : by !== 'outcome'
      ? `s${at}`
      : name === 'ok'
        ? 'sgood'
        : name === 'empty'
          ? 's3'
          : (OUTCOME_KINDS[name] ?? 'sbad');

function Calls({ data, by, setBy, picked, setPicked, nameOf }) {
  const series = data.stacks.map(({ name, values }, at) => ({
    id: name,
    name: wordOf(data.by, name, nameOf),
    kind: kindOf(data.by, name, at),
    values,
  }));
  const pickStep = (step) => {
    const start = data.from + step * data.stepMs;
    setPicked({ ...picked, from: start, to: Math.min(start + data.stepMs, data.to) });
  };
  const pickName = (id) =>
    setPicked(picked?.[data.by] === id ? { ...picked, [data.by]: undefined } : { ...picked, [data.by]: id });
  return html`
    <section class="card stack">
      <header class="row between">
        <h2>${t('overview.callsTitle')}</h2>
        <div class="row tight" role="group" aria-label=${t('groupBy')}>
          ${CALL_GROUPS.map((group) => html`<button class="small chip" aria-pressed=${String(group === by)} onClick=${() => setBy(group)}>${t(group === 'outcome' ? 'outcome' : `group.${group}`)}</button>`)}
        </div>
      </header>
      <${Stack}
        from=${data.from}
        to=${data.to}
        stepMs=${data.stepMs}
        series=${series}
        label=${t('overview.callsLabel', { calls: number(data.now.calls), failed: number(data.now.failed) })}
        onPick=${pickStep}
      />
      <div class="row tight">
        ${series.map((one) =>
          one.id === undefined || one.id === null
            ? html`<span class="small legend"><i class=${`dot ${one.kind}`}></i>${one.name}</span>`
            : html`<button
                class="small chip legend"
                aria-pressed=${String(picked?.[data.by] === one.id)}
                onClick=${() => pickName(one.id)}
              >
                <i class=${`dot ${one.kind}`}></i>${one.name}
              </button>`,
        )}
      </div>
      <${Latest} data=${data} picked=${picked} clear=${() => setPicked(undefined)} nameOf=${nameOf} />
    </section>
  `;
}

const wordOf = (by, name, nameOf) =>
  name === undefined
    ? t('overview.others')
    : name === null
      ? t('overview.none')
      : by === 'outcome'
        ? t(`outcome.${name}`)
        : nameOf(name);

/** The newest calls of the range, or of what was picked in the chart. */
function Latest({ data, picked, clear, nameOf }) {
  const filter = new URLSearchParams(
    Object.entries(picked ?? {})
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
  const isPicked = String(filter) !== '';
  const found = useLoad(
    async () => (isPicked ? (await read(`/admin/calls?limit=12&${filter}`)).calls : undefined),
    [String(filter)],
  );
  const calls = (isPicked ? found.data : undefined) ?? data.calls;
  const words = [
    picked?.from && span(picked.from, picked.to),
    ...CALL_GROUPS.map((group) => picked?.[group] && wordOf(group, picked[group], nameOf)),
  ].filter(Boolean);
  return html`
    <header class="row between">
      <div class="row">
        <h2>${t('overview.latest')}</h2>
        ${isPicked && html`<${Badge}>${words.join(' · ')}<//><button class="small" onClick=${clear}>${t('calls.reset')}</button>`}
      </div>
      <a class="small" href=${`#/calls/${encodeURIComponent(String(filter))}`}>${t('overview.allCalls')}</a>
    </header>
    <${CallTable} calls=${calls} nameOf=${nameOf} />
  `;
}

/** For who pays the end of the allowance is no alarm. */
const limitKind = ({ used, limit, beyond }) =>
  used >= limit && beyond !== 'charge' ? 'over' : used >= 0.8 * limit ? 'near' : '';

const NearLimit = ({ rows }) => html`
  <section class="card">
    <h2>${t('overview.near')}</h2>
    ${rows.length === 0 && html`<p class="empty">${t('overview.noneNear')}</p>`}
    <div class="stack">
      ${rows.map(
        (row) => html`
          <div class="stack tight">
            <div class="row between">
              <a href=${`#/credits/${encodeURIComponent(row.id)}`}>${row.name}</a>
              <span class="small"
                >${t('overview.usedOf', { used: Math.min(row.used, row.limit), limit: row.limit })}</span
              >
            </div>
            <div class=${`bar ${limitKind(row)}`}>
              <i style=${{ width: `${Math.min(100, (100 * row.used) / Math.max(1, row.limit))}%` }}></i>
            </div>
            ${row.used >= row.limit && html`<span class="small soft">${row.beyond === 'charge' ? t('overview.charges', { count: number(row.used - row.limit), amount: money(row.available) }) : t('overview.blocks')}</span>`}
          </div>
        `,
      )}
    </div>
  </section>
`;
