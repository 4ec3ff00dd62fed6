// How a call or an attempt went.
import { html } from './dom.js';
import { t } from './i18n.js';
import { Badge } from './parts.js';

export const isGood = (outcome) => outcome === 'ok' || outcome === 'empty';

export const OutcomeBadge = ({ outcome, children }) => {
  const kind = isGood(outcome) ? 'good' : outcome === 'partial' || outcome === 'degraded' ? 'warn' : 'bad';
  return html`<${Badge} kind=${kind}>${t(`outcome.${outcome}`)}${children}<//>`;
};
