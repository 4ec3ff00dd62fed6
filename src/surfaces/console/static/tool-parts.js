// What the agent page and the help say about a tool.
import { html } from './dom.js';
import { money, t } from './i18n.js';
import { Badge } from './parts.js';

/** The cost of a provider, in the words of its tier. */
export function costText({ price, isAuto }, { callsFree, beyond }) {
  if (isAuto) return t('cost.auto');
  if (price === 0) return t('cost.free');
  return t(beyond === 'charge' ? 'cost.paid' : 'cost.blocked', { price: money(price), limit: callsFree });
}

export const ToolState = ({ tool }) =>
  tool.state === 'on'
    ? html`<${Badge} kind="good">${t('tools.available')}<//>`
    : html`<${Badge} kind=${tool.state === 'off' ? '' : 'warn'}>${t('tools.unavailable')}<//>`;
