// Trying an operation with every parameter, and seeing what a person, a program and a model get.
import { read, run } from '../api.js';
import { html, useRef, useState } from '../dom.js';
import { language, t } from '../i18n.js';
import { CopyAs, playgroundLink } from '../copy-as.js';
import { Failure, Field, Loaded, Page, Switch, Tabs, useLoad } from '../parts.js';
import { Answer } from '../answer.js';
import { ResearchLive } from '../research-live.js';
import { inputOf, SchemaForm, useParameterTexts, valuesOf } from '../schema-form.js';

async function load(session) {
  const [openapi, workspaces, agents, known] = await Promise.all([
    read('/openapi.json'),
    read('/admin/workspaces'),
    read('/admin/agents'),
    session.role === null ? { providers: [] } : read('/admin/providers'),
  ]);
  return {
    providers: known.providers.filter((one) => one.can.length > 0),
    workspaces: workspaces.workspaces,
    agents: agents.agents,
    operations: Object.entries(openapi.paths)
      .filter(([path, { post }]) => isPlayable(path) && post?.requestBody !== undefined)
      .map(([path, { post }]) => {
        const { summary, description, requestBody } = post;
        const { schema } = requestBody.content['application/json'];
        return { name: path.slice(1), title: summary, description, schema };
      }),
  };
}

/** Looking after research has a page of its own, and what is below `/admin/` has other pages. */
const isPlayable = (path) => path !== '/research_session' && path.lastIndexOf('/') === 0;

/** What has no word of its own yet is called as its contract calls it. */
const labelOf = ({ name, title }) => (t(`op.${name}`) === `op.${name}` ? title : t(`op.${name}`));

export function Playground({ id, given, session }) {
  const loaded = useLoad(() => load(session));
  return html`
    <${Page} title=${t('nav.playground')} lead=${t('play.lead')}>
      <${Loaded} from=${loaded}
        >${(data) => html`<${Bench} data=${data} chosen=${id} given=${given} session=${session} />`}<//
      >
    <//>
  `;
}

function Bench({ data, chosen, given, session }) {
  const [name, setName] = useState(
    data.operations.some((one) => one.name === chosen) ? chosen : data.operations[0].name,
  );
  const [values, setValues] = useState(() => valuesOf(parsed(given)));
  const [isFresh, setFresh] = useState(false);
  const [ran, setRan] = useState(/** @type {any} */ (undefined));
  const texts = useParameterTexts();
  const isOperator = session.role !== null;
  const [caller, setCaller] = useState(isOperator ? '' : `workspace ${data.workspaces[0]?.id}`);
  const task = useTask();
  const beside = useTask();
  const operation = data.operations.find((one) => one.name === name);
  const compared = useCompared(operation.schema, values);
  const { other, setOther } = compared;
  const choose = (next) => {
    setName(next);
    if (other === SETTINGS) setOther('');
    setRan(undefined);
    task.clear();
    beside.clear();
  };
  const submit = (event) => {
    event.preventDefault();
    const [kind, id] = caller.split(' ');
    const input = inputOf(operation.schema, values);
    const workspace = data.agents.find((one) => one.id === id)?.workspace;
    const body = {
      fresh: isFresh,
      ...(caller === '' ? {} : { ...(workspace ? { workspace } : {}), [kind]: id }),
    };
    setRan({ name, input });
    remember({ name, input });
    history.replaceState(undefined, '', playgroundLink(name, input));
    void task.start(name, { ...body, input });
    if (other === '') beside.clear();
    else void beside.start(name, { ...body, input: compared.inputBeside(input) });
  };
  return html`
    <section class="card stack">
      <${Tabs}
        label=${t('operation')}
        tabs=${data.operations.map((one) => [one.name, labelOf(one)])}
        chosen=${name}
        onChoose=${choose}
      />
      <p class="soft">${texts.help(operation.description)}</p>
      <form class="stack" onSubmit=${submit}>
        <${SchemaForm} key=${name} schema=${operation.schema} values=${values} onChange=${setValues} />
        <${Options}
          ...${{ data, isOperator, caller, setCaller, other, setOther }}
          hasProvider=${'provider' in operation.schema.properties}
        />
        ${compared.form}
        <${Switch} checked=${isFresh} onChange=${setFresh} label=${t('play.fresh')} />
        <div class="row between">
          <div class="row">
            <button class="main" disabled=${task.isBusy}>
              ${task.isBusy ? t('play.running') : t('play.run')}
            </button>
            ${task.isBusy && html`<button type="button" onClick=${task.cancel}>${t('cancel')}</button>`}
          </div>
          <${Earlier} />
        </div>
      </form>
      ${task.isBusy && html`<${Doing} progress=${task.progress} />`}
      ${task.isBusy && task.events.length > 0 && html`<${ResearchLive} events=${task.events} />`}
    </section>
    <div class="beside">
      ${[task, beside].map((one, at) => html`<${Outcome} key=${at} task=${one} title=${other !== '' && titleOf(other, at, ran)} />`)}
    </div>
    ${
      ran &&
      html`<details class="card">
        <summary>${t('copyAs')}: curl, TypeScript, Python</summary>
        <${CopyAs} operation=${ran.name} input=${ran.input} />
      </details>`
    }
  `;
}

/** Who it is counted for, and which other provider is asked the same. */
const Options = ({ data, isOperator, caller, setCaller, other, setOther, hasProvider }) => html`
  <div class="fields">
    <${Field} label=${t('play.as')} id="caller">
      <select id="caller" value=${caller} onChange=${(event) => setCaller(event.target.value)}>
        ${isOperator && html`<option value="">${t('play.nobody')}</option>`}
        ${data.workspaces.map((one) => html`<option value=${`workspace ${one.id}`}>${one.name}</option>`)}
        ${data.agents.map((one) => html`<option value=${`agent ${one.id}`}>${one.name} (${t('agent')})</option>`)}
      </select>
    <//>
    <${Field} label=${t('play.beside')} id="beside">
      <select id="beside" value=${other} onChange=${(event) => setOther(event.target.value)}>
        <option value="">${t('play.alone')}</option>
        <option value=${SETTINGS}>${t('play.settings')}</option>
        ${hasProvider && data.providers.map((one) => html`<option value=${one.id}>${one.title}</option>`)}
      </select>
    <//>
  </div>
`;

/** What the same question is asked beside: another provider, or other settings, which begin as a copy. */
function useCompared(schema, values) {
  const [other, choose] = useState('');
  const [second, setSecond] = useState({});
  const required = new Set(schema.required ?? []);
  const only = (fields, isWanted) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => isWanted(name)));
  const options = { properties: only(schema.properties, (name) => !required.has(name)) };
  return {
    other,
    setOther: (next) => {
      if (next === SETTINGS) setSecond(values);
      choose(next);
    },
    inputBeside: (input) =>
      other === SETTINGS
        ? { ...inputOf(options, second), ...only(input, (name) => required.has(name)) }
        : { ...input, provider: other },
    form:
      other === SETTINGS &&
      html`<fieldset class="stack">
        <legend>${t('play.second')}</legend>
        <${SchemaForm} prefix="second-" schema=${options} values=${second} onChange=${setSecond} />
      </fieldset>`,
  };
}

/** The choice of other settings, which no provider is called. */
const SETTINGS = '*';
const titleOf = (other, at, ran) =>
  other === SETTINGS
    ? t(at === 0 ? 'play.first' : 'play.second')
    : at === 0
      ? (ran?.input.provider ?? 'auto')
      : other;

const Outcome = ({ task, title }) => html`
  ${(task.result || task.error) && title && html`<h2>${title}</h2>`}
  ${task.result && html`<${Answer} key=${task.turn} operation=${task.operation} result=${task.result} workspace=${task.body.workspace} />`}
  ${task.error && html`<${Failure} error=${task.error} />`}
`;

const RUNS = 'headgate-runs';
const RUNS_MAX = 20;
const parsed = (json, otherwise = {}) => {
  try {
    return JSON.parse(json) ?? otherwise;
  } catch {
    return otherwise;
  }
};
const runs = () => parsed(sessionStorage.getItem(RUNS), []);
/** Runs are kept until the tab is closed, on this device only. */
const remember = (run) => {
  const rest = runs().filter((one) => JSON.stringify(one) !== JSON.stringify(run));
  sessionStorage.setItem(RUNS, JSON.stringify([run, ...rest].slice(0, RUNS_MAX)));
};

/** Earlier runs of this tab, to load again. */
function Earlier() {
  const list = runs();
  const [isCopied, setCopied] = useState(false);
  const share = () => navigator.clipboard.writeText(location.href).then(() => setCopied(true));
  if (list.length === 0) return undefined;
  return html`
    <div class="row">
      <button type="button" onClick=${share}>${t(isCopied ? 'copied' : 'play.share')}</button>
      <select
        class="earlier"
        aria-label=${t('play.earlier')}
        onChange=${(event) => (location.hash = playgroundLink(list[event.target.value].name, list[event.target.value].input))}
      >
        <option value="">${t('play.earlier')}</option>
        ${list.map(({ name, input }, at) => html`<option value=${at}>${`${name}: ${Object.values(input)[0]}`.slice(0, 60)}</option>`)}
      </select>
    </div>
  `;
}

const Doing = ({ progress }) => html`
  <div class="stack tight" role="status">
    <progress
      value=${progress?.total ? progress.done : undefined}
      max=${progress?.total ?? 1}
      aria-label=${t('play.running')}
    ></progress>
    ${
      progress?.message && language() === 'en'
        ? html`<span class="soft small">${progress.message}</span>`
        : html`<span class="soft small">${t('play.running')}</span>`
    }
  </div>
`;

const EVENTS_MAX = 300;

/** One run at a time; a new one or a press on “cancel” ends the one before. */
function useTask() {
  const [state, setState] = useState(/** @type {any} */ ({ isBusy: false, turn: 0 }));
  const controller = useRef(/** @type {AbortController | undefined} */ (undefined));
  const start = async (operation, body) => {
    controller.current?.abort();
    const mine = new AbortController();
    controller.current = mine;
    setState(({ turn }) => ({ isBusy: true, operation, body, events: [], turn: turn + 1 }));
    const onProgress = (progress) =>
      setState((before) => ({
        ...before,
        progress,
        events: [...before.events, ...(progress.event ? [progress.event] : [])].slice(-EVENTS_MAX),
      }));
    try {
      const result = await run(operation, body, { signal: mine.signal, onProgress });
      setState((before) => ({ isBusy: false, operation, body, result, turn: before.turn }));
    } catch (error) {
      if (controller.current !== mine) return;
      const shown = mine.signal.aborted ? new Error(t('play.cancelled')) : error;
      setState((before) => ({ isBusy: false, operation, error: shown, turn: before.turn }));
    }
  };
  const clear = () => {
    controller.current?.abort();
    controller.current = undefined;
    setState(({ turn }) => ({ isBusy: false, turn }));
  };
  return { ...state, start, clear, cancel: () => controller.current?.abort() };
}
