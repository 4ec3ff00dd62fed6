// What a new gateway still needs; each step checks itself off.
import { html, useState } from '../dom.js';
import { t } from '../i18n.js';

const STEPS = [
  ['provider', '#/settings/providers'],
  ['key', '#/keys'],
  ['client', '#/keys'],
  ['call', '#/playground'],
];
const HIDDEN = 'headgate-first-steps';

export function FirstSteps({ steps }) {
  const [isHidden, setHidden] = useState(localStorage.getItem(HIDDEN) === 'hidden');
  const open = STEPS.filter(([step]) => !steps[step]);
  if (isHidden || open.length === 0) return undefined;
  const hide = () => {
    localStorage.setItem(HIDDEN, 'hidden');
    setHidden(true);
  };
  return html`
    <section class="card stack" aria-label=${t('first.title')}>
      <header class="row between">
        <h2>
          ${t('first.title')} <span class="soft small">${STEPS.length - open.length}/${STEPS.length}</span>
        </h2>
        <button class="small" onClick=${hide}>${t('first.hide')}</button>
      </header>
      <ol class="steps">
        ${STEPS.map(
          ([step, href]) => html`
            <li class=${steps[step] ? 'done' : ''}>
              <span class="tick" aria-label=${t(steps[step] ? 'first.done' : 'first.open')} role="img"></span>
              <span>
                ${steps[step] ? html`<strong>${t(`first.${step}`)}</strong>` : html`<a href=${href}>${t(`first.${step}`)}</a>`}
                <span class="soft small block">${t(`first.${step}Text`)}</span>
              </span>
            </li>
          `,
        )}
      </ol>
    </section>
  `;
}
