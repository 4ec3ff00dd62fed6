// How the providers do, by the attempts that were really made.
import { html } from '../dom.js';
import { moment, number, second, t } from '../i18n.js';
import { Badge, Said } from '../parts.js';

const HEALTH_KINDS = { unknown: '', ok: 'good', degraded: 'warn', down: 'bad' };

export const HealthBadge = ({ health }) =>
  html`<${Badge} kind=${HEALTH_KINDS[health.state]}>${t(`health.${health.state}`)}<//>`;

/** Numbers of the attempts behind the badge, and the keys that rest. */
export function HealthFacts({ provider: { health, cooldowns, left: remaining } }) {
  const { attempts, failures, lastGoodAt, p95Ms } = health;
  const facts = [
    lastGoodAt ? t('health.lastGood', { time: second(lastGoodAt) }) : attempts > 0 && t('health.noGood'),
    attempts > 0 &&
      t('health.errorRate', { percent: number(Math.round((1_000 * failures) / attempts) / 10) }),
    p95Ms !== undefined && t('health.p95', { ms: number(Math.round(p95Ms)) }),
    ...remaining.map(({ key, left, unit }) =>
      t('health.left', { key, left: number(left), unit: t(`unit.${unit}`) }),
    ),
    ...cooldowns.map(({ key, until }) => t('health.cooldown', { key, until: second(until) })),
  ].filter(Boolean);
  return facts.length > 0 && html`<span class="soft small">${facts.join(' · ')}</span>`;
}

export function ProviderCards({ providers }) {
  /** What we say of it, and what the provider or the gateway gave as the reason. */
  const note = ({ resting, circuits, health, missing }) => {
    const open = circuits.find((circuit) => circuit.state !== 'closed');
    const { attempts: count, failures, reason } = health;
    const said = resting
      ? t('providers.resting', { until: moment(resting.until) })
      : open
        ? t('providers.open', { until: moment(open.retryAt) })
        : t(`health.note.${health.state}`, { count, failures });
    const reasons = [resting?.reason ?? open?.reason ?? reason, missing].filter(Boolean);
    return html`<div class="soft small">
      ${said} ${reasons.map((text) => html`<${Said} text=${text} /> `)}
    </div>`;
  };
  return html`
    <section class="card">
      <h2>${t('overview.providers')}</h2>
      <div class="stack">
        ${providers.map(
          (provider) => html`
            <div class="stack tight">
              <div class="row between">
                <strong>${provider.title}</strong>
                <${HealthBadge} health=${provider.health} />
              </div>
              ${note(provider)}
              <${HealthFacts} provider=${provider} />
            </div>
          `,
        )}
      </div>
    </section>
  `;
}
