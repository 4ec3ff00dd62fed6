// Parts that every page uses.
import { useConnection } from './connection.js';
import { Fragment, html, useCallback, useEffect, useRef, useState } from './dom.js';
import { language, t, textsJa } from './i18n.js';

/**
 * Loads something and keeps it; `reload` asks again without emptying the page, and so does a gateway that comes back.
 * @template T
 * @param {() => Promise<T>} load
 */
export function useLoad(load, dependencies = /** @type {any[]} */ ([])) {
  const [state, setState] = useState(/** @type {{ data?: T, error?: any }} */ ({}));
  const latest = useRef(0);
  const reload = useCallback(async () => {
    const turn = ++latest.current;
    try {
      const data = await load();
      if (turn === latest.current) setState({ data, error: undefined });
    } catch (error) {
      if (turn === latest.current) setState((before) => ({ data: before.data, error }));
    }
  }, dependencies);
  const { isUp } = useConnection();
  useEffect(() => {
    if (isUp || latest.current === 0) void reload();
  }, [reload, isUp]);
  return { ...state, reload };
}

/** Shows what was loaded, that it is loading, or why it failed. What was loaded before stays. */
export function Loaded({ from, children }) {
  const { data, error, reload } = from;
  if (data === undefined && error === undefined)
    return html`<p class="empty" role="status">${t('loading')}</p>`;
  const isSaid = error !== undefined && (data === undefined || error.code !== 'gone');
  return html`<${Fragment}>
    ${isSaid && html`<${Failure} error=${error} retry=${reload} />`} ${data !== undefined && children(data)}
  <//>`;
}

export const Failure = ({ error, retry }) => html`
  <div class="notice bad row between" role="alert">
    <${FailureText} code=${error.code} text=${error.message} />
    ${retry && html`<button class="small" onClick=${retry}>${t('tryAgain')}</button>`}
  </div>
`;

/** What only Japanese pages need, once it has been loaded. */
export function useJapanese(load, isNeeded = true) {
  const [texts, setTexts] = useState(/** @type {any} */ (undefined));
  const isJapanese = isNeeded && language() === 'ja';
  useEffect(() => {
    if (isJapanese) void load().then((found) => setTexts(() => found));
  }, [isJapanese]);
  return { isJapanese, texts };
}

/** What the gateway wrote in English, folded, for those who search for it. */
const Original = ({ text }) => html`
  <details class="small">
    <summary>${t('failed.original')}</summary>
    <span lang="en">${text}</span>
  </details>
`;

/** A failure of the gateway; on a Japanese page by its code, with what the gateway wrote below it. */
export function FailureText({ code, text }) {
  const { isJapanese, texts } = useJapanese(() => textsJa('failures'), code !== undefined && code !== 'gone');
  if (!isJapanese) return html`<span>${text}</span>`;
  return html`<span>${texts?.[code] ?? t('failed')} <${Original} text=${text} /></span>`;
}

const sentences = async () => {
  const [{ SAID_JA, translator }, warnings] = await Promise.all([
    import('./said-ja.js'),
    textsJa('warnings'),
  ]);
  return translator({ ...SAID_JA, ...warnings });
};

/** What the gateway says of its setup, of an answer or of a report, or gives as a reason. What has no Japanese is folded on a Japanese page. */
export function Said({ text, code }) {
  const { isJapanese, texts } = useJapanese(sentences);
  if (!isJapanese || text === '') return withCode(text);
  const found = texts?.(text);
  if (code !== undefined && !found) return html`<${FailureText} code=${code} text=${text} />`;
  return html`${withCode(found?.said ?? '')} ${texts && !found?.isWhole && html`<${Original} text=${text} />`}`;
}

/** What stands between backticks is code. */
export const withCode = (text) =>
  text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));

export const Badge = ({ kind = '', children }) => html`<span class=${`badge ${kind}`}>${children}</span>`;

/** One page: its title, what to do on it, its content. */
export const Page = ({ title, lead, actions, children }) => {
  useEffect(() => {
    document.title = `${title} – Headgate`;
  }, [title]);
  return html`
    <div class="page">
      <header>
        <div>
          <h1>${title}</h1>
          ${lead && html`<p>${lead}</p>`}
        </div>
        ${actions && html`<div class="row">${actions}</div>`}
      </header>
      ${children}
    </div>
  `;
};

export function Field({ label, hint, id, wide, children }) {
  return html`
    <div class=${`field ${wide ? 'wide' : ''}`}>
      <label for=${id}>${label}</label>
      ${children} ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    </div>
  `;
}

/**
 * Something that takes a while when pressed; it says so, and what went wrong is shown beside it.
 * @param {(...given: any[]) => Promise<any>} action
 */
export function useAction(action) {
  const [state, setState] = useState(/** @type {any} */ ({ busy: false }));
  const start = async (...given) => {
    setState({ busy: true, error: undefined, done: undefined });
    try {
      const done = (await action(...given)) ?? true;
      setState({ busy: false, error: undefined, done });
      return done;
    } catch (error) {
      setState({ busy: false, error, done: undefined });
      return undefined;
    }
  };
  return { ...state, start, clear: () => setState({ busy: false, error: undefined, done: undefined }) };
}

/** A dialog that opens when it is put on the page. Escape and the button close it. */
export function Dialog({ title, onClose, children }) {
  const element = useRef(/** @type {any} */ (null));
  useEffect(() => {
    if (!element.current.open) element.current.showModal();
  }, []);
  return html`
    <dialog ref=${element} aria-label=${title} onClose=${onClose}>
      <div>
        <header>
          <h2>${title}</h2>
          <button class="small" onClick=${() => element.current.close()}>${t('close')}</button>
        </header>
        ${children}
      </div>
    </dialog>
  `;
}

/** Text to copy. Without permission for the clipboard it is selected instead. */
export function Code({ text, label }) {
  const [copied, setCopied] = useState(false);
  const place = useRef(/** @type {any} */ (null));
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      getSelection()?.selectAllChildren(place.current);
    }
    setCopied(true);
  };
  return html`
    <div class="code lead">
      <pre ref=${place} tabindex="0" role="region" aria-label=${label}>${text}</pre>
      <button class="small copy" onClick=${copy} aria-label=${`${t('copy')}: ${label}`}>
        ${copied ? t('copied') : t('copy')}
      </button>
    </div>
  `;
}

export const Switch = ({ checked, onChange, label }) => html`
  <label class="switch">
    <input
      type="checkbox"
      role="switch"
      checked=${checked}
      onChange=${(event) => onChange(event.target.checked)}
    />
    <span class="track"></span>
    <span>${label}</span>
  </label>
`;

/** Tabs for the keyboard too: arrows move between them. */
export function Tabs({ tabs, chosen, onChoose, label }) {
  const list = useRef(/** @type {any} */ (null));
  // On a phone they are a strip, wider than the screen.
  useEffect(() => {
    const middle = (element) => element.getBoundingClientRect().left + element.offsetWidth / 2;
    const tab = list.current.querySelector('[aria-selected=true]');
    if (tab) list.current.scrollLeft += middle(tab) - middle(list.current);
  }, [chosen]);
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const index = tabs.findIndex(([id]) => id === chosen);
    onChoose(tabs[(index + step + tabs.length) % tabs.length][0]);
    event.currentTarget.children[(index + step + tabs.length) % tabs.length].focus();
  };
  return html`
    <div class="tabs" ref=${list} role="tablist" aria-label=${label} onKeyDown=${move}>
      ${tabs.map(
        ([id, name]) => html`
          <button
            role="tab"
            key=${id}
            aria-selected=${String(id === chosen)}
            tabindex=${id === chosen ? 0 : -1}
            onClick=${() => onChoose(id)}
          >
            ${name}
          </button>
        `,
      )}
    </div>
  `;
}

/** A table that scrolls by itself when it is wide. */
export const Table = ({ columns, rows, empty }) =>
  rows.length === 0
    ? html`<p class="empty">${empty ?? t('nothingYet')}</p>`
    : html`
        <div class="scroll" tabindex="0" role="region" aria-label=${t('table')}>
          <table role="table">
            <thead>
              <tr role="row">
                ${columns.map(([name, kind]) => html`<th scope="col" role="columnheader" class=${kind ?? ''}>${name || html`<span class="unseen">${t('actions')}</span>`}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${rows.map(
                (cells) =>
                  html`<tr role="row">
                    ${cells.map((cell, at) => html`<td role="cell" data-label=${columns[at][0]} class=${columns[at][1] ?? ''}><div>${cell}</div></td>`)}
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>
      `;
