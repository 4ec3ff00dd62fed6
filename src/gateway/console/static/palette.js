// ⌘K or Ctrl+K: go to a page, a workspace, an agent, a key or a call by typing.
import { read } from './api.js';
import { html, useEffect, useRef, useState } from './dom.js';
import { t } from './i18n.js';
import { useLoad } from './parts.js';

const SHOWN_MAX = 12;

export function Palette({ pages }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen((before) => !before);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return html`
    <button class="small" onClick=${() => setOpen(true)} aria-keyshortcuts="Control+K Meta+K">
      ${t('palette.open')}<kbd class="soft small"> Ctrl K</kbd>
    </button>
    ${isOpen && html`<${Commands} pages=${pages} onClose=${() => setOpen(false)} />`}
  `;
}

const callsWith = (name, value) =>
  `#/calls/${encodeURIComponent(String(new URLSearchParams({ [name]: value })))}`;

async function loadPlaces() {
  const [{ workspaces }, { agents }, { keys }] = await Promise.all([
    read('/admin/workspaces'),
    read('/admin/agents'),
    read('/admin/keys'),
  ]);
  const id = encodeURIComponent;
  return [
    ...workspaces.map((one) => [one.name, t('workspace'), '#/workspaces', one.id]),
    ...agents.map((one) => [one.name, t('agent'), `#/agents/${id(one.id)}`, one.id]),
    ...keys.map((one) => [one.label, t('group.key'), callsWith('key', one.id), one.id]),
  ];
}

function Commands({ pages, onClose }) {
  const dialog = useRef(/** @type {any} */ (null));
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const places = useLoad(loadPlaces);
  useEffect(() => dialog.current.showModal(), []);
  const found = placesFor(text, [
    ...pages.map((page) => [t(`nav.${page}`), t('palette.page'), `#/${page}`, page]),
    ...(places.data ?? []),
  ]);
  const go = (place) => {
    location.hash = place[2];
    dialog.current.close();
  };
  const press = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter' && found[at]) go(found[at]);
    if (step === undefined) return;
    event.preventDefault();
    setAt((at + step + found.length) % found.length);
  };
  const type = (event) => {
    setText(event.target.value);
    setAt(0);
  };
  return html`
    <dialog class="palette" ref=${dialog} aria-label=${t('palette.open')} onClose=${onClose}>
      <div>
        <input
          role="combobox"
          aria-label=${t('palette.label')}
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant=${`palette-${at}`}
          autocomplete="off"
          placeholder=${t('palette.label')}
          value=${text}
          onInput=${type}
          onKeyDown=${press}
        />
        <ul id="palette-list" role="listbox" aria-label=${t('palette.open')}>
          ${found.map((place, index) => html`<li id=${`palette-${index}`} role="option" aria-selected=${String(index === at)} onClick=${() => go(place)}><span>${place[0]}</span><span class="soft small">${place[1]}</span></li>`)}
        </ul>
      </div>
    </dialog>
  `;
}

/** Places whose name or ID has the words, and the calls in which they are. */
function placesFor(text, places) {
  const words = text.trim().toLowerCase();
  if (words === '') return places.slice(0, SHOWN_MAX);
  const has = (place) => `${place[0]} ${place[3]}`.toLowerCase().includes(words);
  const calls = callsWith(/^[0-9a-f]{8}-|^req_|^rs_/.test(words) ? 'request' : 'text', text.trim());
  return [
    ...places.filter(has).slice(0, SHOWN_MAX),
    [t('palette.calls', { text: text.trim() }), t('nav.calls'), calls, ''],
  ];
}
