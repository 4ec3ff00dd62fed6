// How the providers do, by the attempts that were really made.
import { html } from '../dom.js';
import { moment, number, second, t } from '../i18n.js';
import { Badge } from '../parts.js';

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

export function ProviderCards({ providers }) {
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
        ${providers.map(
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
