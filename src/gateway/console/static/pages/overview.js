// How the gateway does: what was asked, how it went, what it cost, what needs attention.
import { read, readNames } from '../api.js';
import { Chart } from '../chart.js';
import { html, useEffect, useMemo } from '../dom.js';
import { language, money, moment, number, second, t } from '../i18n.js';
import { Badge, Loaded, Page, useLoad } from '../parts.js';
import { CallTable, isGood, OutcomeBadge } from './calls.js';

const HOUR_MS = 3_600_000;
const BUCKET_MS = 15 * 60_000;
const REFRESH_MS = 15_000;

async function load() {
  const now = Date.now();
  const [status, history, priced, used, accounts, providers, calls, nameOf] = await Promise.all([
    read('/admin/status'),
    read('/console/api/history'),
    read(`/admin/usage?by=hour&from=${now - 48 * HOUR_MS}`),
    read('/admin/usage?by=subscription,provider&window=true'),
    read('/admin/subscriptions'),
    read('/admin/providers'),
    read('/admin/calls?limit=12'),
    readNames(),
  ]);
  return {
    now,
    status,
    minutes: history.minutes,
    hours: priced.usage,
    used: used.usage,
    subscriptions: accounts.subscriptions,
    providers: providers.providers,
    calls: calls.calls,
    nameOf,
  };
}

export function Overview() {
  const loaded = useLoad(load);
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && loaded.reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [loaded.reload]);
  return html`
    <${Page} title=${t('nav.overview')} lead=${t('overview.lead')}>
      <${Loaded} from=${loaded}>
        ${(data) => html`
          <${Figures} data=${data} />
          <div class="grid"><${CallsChart} data=${data} /><${CreditsChart} data=${data} /></div>
          <div class="grid"><${Providers} data=${data} /><${NearLimit} data=${data} /></div>
          <${Outcomes} data=${data} />
          <${Latest} data=${data} />
        `}
      <//>
    <//>
  `;
}

const sum = (rows, of) => rows.reduce((total, row) => total + of(row), 0);
const failuresOf = ({ outcomes }) =>
  sum(Object.entries(outcomes), ([outcome, count]) => (isGood(outcome) ? 0 : count));

function Figures({ data }) {
  const calls = sum(data.minutes, (minute) => minute.calls);
  const failures = sum(data.minutes, failuresOf);
  const charged = sum(data.used, (row) => row.charged);
  const share = calls === 0 ? '–' : `${number(Math.round((1_000 * failures) / calls) / 10)} %`;
  const figures = [
    [t('overview.calls'), number(calls), t('overview.day')],
    [t('overview.failed'), share, t('overview.failedOf', { count: number(failures) })],
    [
      t('overview.charged'),
      money(charged),
      t('overview.credits', { count: number(sum(data.used, (row) => row.credits)) }),
    ],
    [
      t('overview.balance'),
      money(sum(data.subscriptions, (one) => one.balance)),
      t('overview.held', { amount: money(sum(data.subscriptions, (one) => one.reserved)) }),
    ],
  ];
  return html`
    <section class="figures" aria-label=${t('overview.figures')}>
      ${figures.map(
        ([label, value, note]) => html`
          <div class="card figure">
            <div class="label">${label}</div>
            <div class="value">${value}</div>
            <div class="label">${note}</div>
          </div>
        `,
      )}
    </section>
  `;
}

/** The starts of the bars up to now, from a little before the first that is not empty: a young gateway is not shown as a thin line. */
function startsOf(now, first, size, [least, most]) {
  const end = Math.floor(now / size) * size;
  const wanted = Number.isFinite(first) ? Math.ceil((end - first) / size) + 2 : least;
  const count = Math.min(most, Math.max(least, wanted));
  return Array.from({ length: count }, (_, at) => end - (count - 1 - at) * size);
}

function CallsChart({ data }) {
  const { times, series, label } = useMemo(() => {
    const starts = startsOf(data.now, data.minutes[0]?.at, BUCKET_MS, [24, 96]);
    const inBucket = (start) =>
      data.minutes.filter((minute) => minute.at >= start && minute.at < start + BUCKET_MS);
    const all = starts.map((start) => sum(inBucket(start), (minute) => minute.calls));
    const failed = starts.map((start) => sum(inBucket(start), failuresOf));
    return {
      times: starts.map((start) => start / 1_000),
      series: [
        { name: t('overview.callsShort'), colour: '--accent', values: all },
        { name: t('overview.failedShort'), colour: '--bad', values: failed },
      ],
      label: t('overview.callsLabel', { calls: sum(all, (one) => one), failed: sum(failed, (one) => one) }),
    };
  }, [data, language()]);
  return html`
    <section class="card">
      <h2>${t('overview.callsTitle')}</h2>
      <${Chart} times=${times} series=${series} label=${label} />
    </section>
  `;
}

function CreditsChart({ data }) {
  const { times, series, label } = useMemo(() => {
    const first = Math.min(...data.hours.map((row) => row.group.hour));
    const hours = startsOf(data.now, first, HOUR_MS, [12, 48]);
    const byHour = new Map(data.hours.map((row) => [row.group.hour, row]));
    const credits = hours.map((hour) => byHour.get(hour)?.credits ?? 0);
    const returned = hours.map((hour) => byHour.get(hour)?.returned ?? 0);
    return {
      times: hours.map((hour) => hour / 1_000),
      series: [
        { name: t('overview.creditsShort'), colour: '--good', values: credits },
        { name: t('overview.returnedShort'), colour: '--warn', values: returned },
      ],
      label: t('overview.creditsLabel', { credits: sum(credits, (one) => one) }),
    };
  }, [data, language()]);
  return html`
    <section class="card">
      <h2>${t('overview.creditsTitle')}</h2>
      <${Chart} times=${times} series=${series} label=${label} />
    </section>
  `;
}

const HEALTH_KINDS = { unknown: '', ok: 'good', degraded: 'warn', down: 'bad' };

export const HealthBadge = ({ health }) =>
  html`<${Badge} kind=${HEALTH_KINDS[health.state]}>${t(`health.${health.state}`)}<//>`;

/** Numbers of the attempts behind the badge, and the keys that rest. */
export function HealthFacts({ provider: { health, cooldowns } }) {
  const { attempts, failures, lastGoodAt, p95Ms } = health;
  const facts = [
    lastGoodAt ? t('health.lastGood', { time: second(lastGoodAt) }) : attempts > 0 && t('health.noGood'),
    attempts > 0 &&
      t('health.errorRate', { percent: number(Math.round((1_000 * failures) / attempts) / 10) }),
    p95Ms !== undefined && t('health.p95', { ms: number(Math.round(p95Ms)) }),
    ...cooldowns.map(({ key, until, reason }) => t('health.cooldown', { key, until: second(until), reason })),
  ].filter(Boolean);
  return facts.length > 0 && html`<span class="soft small">${facts.join(' · ')}</span>`;
}

function Providers({ data }) {
  const note = ({ resting, circuits, health, missing }) => {
    const open = circuits.find((circuit) => circuit.state !== 'closed');
    if (resting) return t('providers.resting', { reason: resting.reason, until: moment(resting.until) });
    if (open) return t('providers.open', { reason: open.reason, until: moment(open.retryAt) });
    const { attempts: count, failures, reason = '' } = health;
    return `${t(`health.note.${health.state}`, { count, failures, reason })} ${missing ?? ''}`;
  };
  return html`
    <section class="card">
      <h2>${t('overview.providers')}</h2>
      <div class="stack">
        ${data.providers.map(
          (provider) => html`
            <div class="stack tight">
              <div class="row between">
                <strong>${provider.title}</strong>
                <${HealthBadge} health=${provider.health} />
              </div>
              <span class="soft small">${note(provider)}</span>
              <${HealthFacts} provider=${provider} />
            </div>
          `,
        )}
      </div>
    </section>
  `;
}

/** Subscriptions that have used priced calls today, the closest to their limit first. */
function NearLimit({ data }) {
  const rows = data.subscriptions
    .map((one) => {
      const used = sum(
        data.used.filter((row) => row.group.subscription === one.id),
        (row) => row.counted,
      );
      const tier = data.status.tiers[one.tier];
      return { ...one, used, limit: tier?.calls_free ?? 0, beyond: tier?.beyond };
    })
    .filter((one) => one.used > 0)
    .sort((a, b) => b.used / b.limit - a.used / a.limit)
    .slice(0, 8);
  // For who pays the end of the allowance is no alarm.
  const kind = ({ used, limit, beyond }) =>
    used >= limit && beyond !== 'charge' ? 'over' : used >= 0.8 * limit ? 'near' : '';
  return html`
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
              <div class=${`bar ${kind(row)}`}>
                <i style=${{ width: `${Math.min(100, (100 * row.used) / Math.max(1, row.limit))}%` }}></i>
              </div>
              ${row.used >= row.limit && html`<span class="small soft">${row.beyond === 'charge' ? t('overview.charges', { count: number(row.used - row.limit), amount: money(row.available) }) : t('overview.blocks')}</span>`}
            </div>
          `,
        )}
      </div>
    </section>
  `;
}

function Outcomes({ data }) {
  const totals = new Map();
  for (const { outcomes } of data.minutes)
    for (const [outcome, count] of Object.entries(outcomes))
      totals.set(outcome, (totals.get(outcome) ?? 0) + count);
  if (totals.size === 0) return undefined;
  return html`
    <section class="card">
      <h2>${t('overview.outcomes')}</h2>
      <div class="row">
        ${[...totals]
          .sort((a, b) => b[1] - a[1])
          .map(([outcome, count]) => html`<${OutcomeBadge} outcome=${outcome}>: ${number(count)}<//>`)}
      </div>
    </section>
  `;
}

function Latest({ data }) {
  return html`
    <section class="card">
      <header>
        <h2>${t('overview.latest')}</h2>
        <a class="small" href="#/calls">${t('overview.allCalls')}</a>
      </header>
      <${CallTable} calls=${data.calls} nameOf=${data.nameOf} />
    </section>
  `;
}
