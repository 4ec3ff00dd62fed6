// One call: how it went step by step, what it cost, what was decided, and how to make it again.
import { CopyAs, playgroundLink } from '../copy-as.js';
import { html } from '../dom.js';
import { money, ms, number, second, t } from '../i18n.js';
import { isGood, OutcomeBadge } from '../outcome.js';
import { Dialog, Said } from '../parts.js';

/** Operations and tools by what the playground calls them, and the parameter that the log keeps. */
const AGAIN = {
  search: ['search', (query) => ({ query })],
  web_search: ['search', (query) => ({ query })],
  search_web: ['search', (query) => ({ query })],
  answer: ['answer', (query) => ({ query })],
  research: ['research', (query) => ({ query })],
  extract: ['extract', (query) => ({ urls: query.split(/\s+/) })],
  web_fetch: ['extract', (query) => ({ urls: query.split(/\s+/) })],
  fetch_url: ['extract', (query) => ({ urls: query.split(/\s+/) })],
  crawl: ['crawl', (query) => ({ url: query })],
  map: ['map', (query) => ({ url: query })],
};

export function CallDetails({ call, nameOf, onClose }) {
  const facts = [
    [t('when'), second(call.at)],
    [t('calls.request'), html`<code>${call.request}</code>`],
    [t('operation'), html`<code>${call.operation}</code> ${t(`surface.${call.surface}`)}`],
    [t('outcome'), html`<${OutcomeBadge} outcome=${call.outcome} /> ${call.code ?? ''}`],
    [t('group.workspace'), nameOf(call.workspace)],
    [t('group.agent'), nameOf(call.agent)],
    [t('group.key'), nameOf(call.key)],
    [t('calls.person'), call.person],
    [t('duration'), ms(call.ms)],
    [t('calls.cache'), t(call.cached ? 'yes' : 'no')],
    [t('credits'), number(call.credits)],
    [t('charged'), money(call.charged)],
    [t('calls.tokens'), call.tokens > 0 ? number(call.tokens) : undefined],
    [t('calls.policy'), call.policy ?? t('calls.noPolicy')],
  ].filter(([, value]) => value);
  const text = (label, value) =>
    value &&
    html`<h3>${label}</h3>
      <pre class="lead" tabindex="0" role="region" aria-label=${label}>${value}</pre>`;
  return html`
    <${Dialog} title=${t('calls.details')} onClose=${onClose}>
      <div class="stack">
        <dl class="facts">
          ${facts.map(
            ([name, value]) =>
              html`<dt>${name}</dt>
                <dd>${value}</dd>`,
          )}
        </dl>
        <${Waterfall} call=${call} />
        ${text(t('calls.query'), call.query)} ${text(t('calls.answer'), call.answer)}
        <${Again} call=${call} />
      </div>
    <//>
  `;
}

/**
 * The attempts below each other, on the time of the whole call. Where the log does not say when they began, as in replays and in older rows,
 * they are one after the other where they fit, else side by side.
 */
function Waterfall({ call: { attempts, ms: whole } }) {
  if (attempts.length === 0) return html`<p class="soft">${t('play.noAttempts')}</p>`;
  const total = attempts.reduce((sum, attempt) => sum + attempt.ms, 0);
  const isKnown = attempts.every((attempt) => attempt.at !== undefined);
  const isSerial = !isKnown && total <= whole * 1.1 + 5;
  const ends = attempts.map((attempt) => (attempt.at ?? 0) + attempt.ms);
  const scale = 100 / Math.max(1, whole, ...ends, isSerial ? total : 0);
  let start = 0;
  return html`
    <h3>${t('calls.attempts')}</h3>
    <div class="fall">
      ${attempts.map((attempt) => {
        const left = isSerial ? start : (attempt.at ?? 0);
        start += attempt.ms;
        return html`
          <span><strong>${attempt.provider}</strong> <span class="soft">${attempt.key ?? ''}</span></span>
          <span class="track" aria-hidden="true"
            ><i
              class=${isGood(attempt.outcome) ? '' : 'bad'}
              style=${{ left: `${left * scale}%`, width: `${attempt.ms * scale}%` }}
            ></i
          ></span>
          <span class="small"><${OutcomeBadge} outcome=${attempt.outcome} /> ${ms(attempt.ms)}</span>
          ${(attempt.reason || attempt.why) && html`<div class="why soft small"><${Said} text=${[attempt.reason, attempt.why].filter(Boolean).join(' ')} /></div>`}
        `;
      })}
    </div>
  `;
}

function Again({ call }) {
  const [operation, inputOf] = AGAIN[call.operation] ?? [];
  if (operation === undefined) return undefined;
  if (!call.query) return html`<p class="soft small">${t('calls.notKept')}</p>`;
  const input = inputOf(call.query);
  return html`
    <div class="row"><a class="button" href=${playgroundLink(operation, input)}>${t('calls.again')}</a></div>
    <${CopyAs} operation=${operation} input=${input} />
  `;
}
