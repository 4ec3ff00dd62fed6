// What the agent page and the help say about a tool.
import { html } from './dom.js';
import { money, t } from './i18n.js';
import { Badge } from './parts.js';

/** Whether a call of this choice may be charged or counted. */
export const mayCost = ({ price, reach }) => price > 0 || reach.some((one) => one.price > 0);

/** The cost of a provider, in the words of its tier. */
export function costText({ price, reach }, { callsFree, beyond }) {
  if (price === 0 && mayCost({ price, reach })) {
    const prices = reach.map((one) => `${one.title} ${one.price === 0 ? t('cost.none') : money(one.price)}`);
    return t('cost.auto', { prices: prices.join(', ') });
  }
  if (price === 0) return t('cost.free');
  return t(beyond === 'charge' ? 'cost.paid' : 'cost.blocked', { price: money(price), limit: callsFree });
}

export const ToolState = ({ tool }) =>
  tool.state === 'on'
    ? html`<${Badge} kind="good">${t('tools.available')}<//>`
    : html`<${Badge} kind=${tool.state === 'off' ? '' : 'warn'}>${t('tools.unavailable')}<//>`;
