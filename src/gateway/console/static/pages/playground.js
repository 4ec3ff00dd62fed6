// Trying an operation with every parameter, and seeing what a person, a program and a model get.
import { read, run } from '../api.js';
import { html, useRef, useState } from '../dom.js';
import { t } from '../i18n.js';
import { Failure, Field, Loaded, Page, Tabs, useLoad } from '../parts.js';
import { Answer } from '../answer.js';
import { inputOf, SchemaForm } from '../schema-form.js';

async function load() {
  const [openapi, workspaces, agents] = await Promise.all([
    read('/openapi.json'),
    read('/admin/workspaces'),
    read('/admin/agents'),
  ]);
  return {
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

export function Playground({ id, session }) {
  const loaded = useLoad(load);
  return html`
    <${Page} title=${t('nav.playground')} lead=${t('play.lead')}>
      <${Loaded} from=${loaded}
        >${(data) => html`<${Bench} data=${data} chosen=${id} session=${session} />`}<//
      >
    <//>
  `;
}

function Bench({ data, chosen, session }) {
  const [name, setName] = useState(
    data.operations.some((one) => one.name === chosen) ? chosen : data.operations[0].name,
  );
  const [values, setValues] = useState({});
  const isOperator = session.role !== null;
  const [caller, setCaller] = useState(isOperator ? '' : `workspace ${data.workspaces[0]?.id}`);
  const task = useTask();
  const operation = data.operations.find((one) => one.name === name);
  const choose = (next) => {
    setName(next);
    task.clear();
  };
  const submit = (event) => {
    event.preventDefault();
    const [kind, id] = caller.split(' ');
    const input = inputOf(operation.schema, values);
    void task.start(name, { input, ...(caller === '' ? {} : { [kind]: id }) });
  };
  return html`
    <section class="card stack">
      <${Tabs}
        label=${t('operation')}
        tabs=${data.operations.map((one) => [one.name, labelOf(one)])}
        chosen=${name}
        onChoose=${choose}
      />
      <p class="soft">${operation.description}</p>
      <form class="stack" onSubmit=${submit}>
        <${SchemaForm} key=${name} schema=${operation.schema} values=${values} onChange=${setValues} />
        <div class="row between">
          <div class="row">
            <button class="main" disabled=${task.isBusy}>
              ${task.isBusy ? t('play.running') : t('play.run')}
            </button>
            ${task.isBusy && html`<button type="button" onClick=${task.cancel}>${t('cancel')}</button>`}
          </div>
          <${Field} label=${t('play.as')} id="caller">
            <select id="caller" value=${caller} onChange=${(event) => setCaller(event.target.value)}>
              ${isOperator && html`<option value="">${t('play.nobody')}</option>`}
              ${data.workspaces.map((one) => html`<option value=${`workspace ${one.id}`}>${one.name}</option>`)}
              ${data.agents.map((one) => html`<option value=${`agent ${one.id}`}>${one.name} (${t('agent')})</option>`)}
            </select>
          <//>
        </div>
      </form>
      ${task.isBusy && html`<${Doing} progress=${task.progress} />`}
    </section>
    ${task.result && html`<${Answer} key=${task.turn} operation=${task.operation} result=${task.result} />`}
    ${task.error && html`<${Failure} error=${task.error} />`}
  `;
}

const Doing = ({ progress }) => html`
  <div class="stack tight" role="status">
    <progress
      value=${progress?.total ? progress.done : undefined}
      max=${progress?.total ?? 1}
      aria-label=${t('play.running')}
    ></progress>
    <span class="soft small">${progress?.message ?? t('play.running')}</span>
  </div>
`;

/** One run at a time; a new one or a press on “cancel” ends the one before. */
function useTask() {
  const [state, setState] = useState(/** @type {any} */ ({ isBusy: false, turn: 0 }));
  const controller = useRef(/** @type {AbortController | undefined} */ (undefined));
  const start = async (operation, body) => {
    controller.current?.abort();
    const mine = new AbortController();
    controller.current = mine;
    setState(({ turn }) => ({ isBusy: true, operation, turn: turn + 1 }));
    const onProgress = (progress) => setState((before) => ({ ...before, progress }));
    try {
      const result = await run(operation, body, { signal: mine.signal, onProgress });
      setState((before) => ({ isBusy: false, operation, result, turn: before.turn }));
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
