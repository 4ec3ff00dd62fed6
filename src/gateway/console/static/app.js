// The console's frame: who is here, where they are, in which language and light.
import { gone, read, remember, whenSignedOut, write } from './api.js';
import { askNow, useConnection } from './connection.js';
import { html, render, useEffect, useState } from './dom.js';
import { chooseLanguage, dictionaryOf, language, languages, second, t } from './i18n.js';
import { Icon } from './icons.js';
import { listen } from './live.js';
import { SetUp, SignIn } from './pages/sign-in.js';
import { Palette } from './palette.js';
import { Loaded, Page, useLoad } from './parts.js';
import { chooseTheme, theme } from './theme.js';

const PAGES = [
  'overview',
  'calls',
  'workspaces',
  'keys',
  'credits',
  'policy',
  'playground',
  'research',
  'library',
  'snapshots',
  'settings',
];
/** What somebody sees who has roles in workspaces only. */
const IN_WORKSPACES = ['workspaces', 'calls', 'keys', 'playground', 'settings'];
/** Pages that are not in the navigation: where they belong, and their file. */
const INNER = { agents: ['workspaces', 'agent'] };

/** The files of pages, once they have been loaded. @type {Record<string, any>} */
const modules = {};
const load = async (file) => {
  modules[file] ??= await import(`./pages/${file}.js`).catch(() => Promise.reject(gone()));
};

/** A page, whose file is loaded when it is first opened. */
function Lazy({ file, name = file[0].toUpperCase() + file.slice(1), ...given }) {
  const loaded = useLoad(() => load(file), [file]);
  const View = modules[file]?.[name];
  return View ? html`<${View} ...${given} />` : html`<${Loaded} from=${loaded}>${() => undefined}<//>`;
}

/** `#/agents/id` as its parts. */
const placeOf = () => location.hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);

function usePlace() {
  const [place, setPlace] = useState(placeOf);
  useEffect(() => {
    const move = () => setPlace(placeOf());
    addEventListener('hashchange', move);
    return () => removeEventListener('hashchange', move);
  }, []);
  return place;
}

function App() {
  const place = usePlace();
  const [session, setSession] = useState(/** @type {any} */ (undefined));
  const [look, setLook] = useState(0);
  const enter = (found) => setSession(remember(found));
  const { isUp } = useConnection();
  useEffect(() => {
    whenSignedOut(() => setSession({}));
    if (session?.csrf === undefined) read('/console/session').then(enter, (error) => setSession({ error }));
  }, [isUp]);
  const redraw = () => setLook(look + 1);
  if (session === undefined) return html`<p class="door">${t('loading')}</p>`;
  const choices = html`<${Choices} redraw=${redraw} />`;
  if (place[0] === 'setup')
    return html`<${SetUp} token=${place[1] ?? ''} enter=${enter} choices=${choices} />`;
  if (session.csrf === undefined)
    return html`<${SignIn} place=${place} session=${session} enter=${enter} choices=${choices} />`;
  const leave = () => write('POST', '/console/sign-out', {}).then(() => setSession({}));
  if (session.isLimited)
    return html`<${Lazy} file="factor" name="FactorDoor" enter=${enter} leave=${leave} choices=${choices} />`;
  if (place[0] === 'consent')
    return html`<${Lazy} file="consent" id=${place[1] ?? ''} session=${session} choices=${choices} />`;
  return html`<${Frame}
    place=${place}
    session=${session}
    leave=${leave}
    choices=${choices}
    enter=${enter}
  />`;
}

function Frame({ place, session, leave, choices, enter }) {
  useEffect(listen, []);
  const pages = PAGES.filter((id) => session.role !== null || IN_WORKSPACES.includes(id));
  const [name, argument] = place[0] === '' ? [pages[0]] : place;
  const [section, file] = INNER[name] ?? (pages.includes(name) ? [name, name] : []);
  useEffect(() => {
    // The rest comes when nothing else is to be done, so that it is there at once, also while the gateway is gone.
    const ahead = setTimeout(() => {
      const languagesToo = languages.map(([id]) => dictionaryOf(id));
      void Promise.allSettled([...pages.map(load), load('agent'), ...languagesToo]);
    }, 1_000);
    return () => clearTimeout(ahead);
  }, []);
  useEffect(() => {
    scrollTo(0, 0);
    showCurrent();
  }, [name, argument]);
  return html`
    <a class="skip" href="#main" onClick=${toMain}>${t('skip')}</a>
    <${Gone} />
    <div class="frame">
      <div class="side">
        <a class="brand" href="#/"><img src="/console/icon.svg" alt="" /><span>Headgate</span></a>
        <nav aria-label=${t('navigation')}>
          ${pages.map(
            (id) =>
              html`<a href=${`#/${id}`} aria-current=${id === section ? 'page' : undefined}
                ><${Icon} of=${id} />${t(`nav.${id}`)}</a
              >`,
          )}
        </nav>
        <div class="foot">
          <${Palette} pages=${pages} />
          ${choices}
          <span class="who soft small">${t('signedInAs', { name: session.name })}</span>
          <button class="small" onClick=${leave}>${t('signOut')}</button>
        </div>
      </div>
      <main id="main" tabindex="-1">
        ${
          file === undefined
            ? html`<${Unknown} />`
            : html`<${Lazy}
                key=${place.join('/')}
                file=${file}
                id=${argument}
                given=${place[2]}
                session=${session}
                enter=${enter}
              />`
        }
      </main>
    </div>
  `;
}

/** What is shown while the gateway does not answer. */
function Gone() {
  const { isUp, answeredAt } = useConnection();
  if (isUp) return undefined;
  return html`
    <div class="gone row between" role="alert">
      <span><strong>${t('gone.title')}</strong> ${t('gone.kept', { time: second(answeredAt) })}</span>
      <button class="small" onClick=${askNow}>${t('gone.now')}</button>
    </div>
  `;
}

const Unknown = () => html`
  <${Page} title=${t('unknown.title')} lead=${t('unknown.text', { address: location.hash })}>
    <section class="card"><a href="#/">${t('unknown.home')}</a></section>
  <//>
`;

/**
 * On a phone the sections are a strip, wider than the screen, which is scrolled to the one that is open. Not by `scrollIntoView`: browsers go on from
 * there with the next Tab, past the skip link.
 */
function showCurrent() {
  const strip = document.querySelector('nav');
  const current = strip?.querySelector('[aria-current]')?.getBoundingClientRect();
  if (!strip || !current) return;
  const { left, width } = strip.getBoundingClientRect();
  strip.scrollLeft += current.left - left - (width - current.width) / 2;
}

/** The skip link moves the focus itself: the address belongs to the pages. */
const toMain = (event) => {
  event.preventDefault();
  document.getElementById('main')?.focus();
};

function Choices({ redraw }) {
  const choose = (set) => async (event) => {
    await set(event.target.value);
    redraw();
  };
  return html`
    <select aria-label=${t('language')} value=${language()} onChange=${choose(chooseLanguage)}>
      ${languages.map(([id, name]) => html`<option value=${id}>${name}</option>`)}
    </select>
    <select aria-label=${t('theme')} value=${theme()} onChange=${choose(chooseTheme)}>
      ${['system', 'light', 'dark'].map((id) => html`<option value=${id}>${t(`theme.${id}`)}</option>`)}
    </select>
  `;
}

// The page is loaded while the gateway is still asked who is here.
const first = placeOf()[0] || PAGES[0];
if (PAGES.includes(first)) void load(first).catch(() => {});

render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById('app')));
