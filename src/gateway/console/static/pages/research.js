// Research: begun here, followed while it runs, read when it is done.
import { read, run } from '../api.js';
import { html, useEffect, useState } from '../dom.js';
import { moment, number, t } from '../i18n.js';
import { PHASES } from '../lists.js';
import { Badge, Failure, Loaded, Page, Table, useAction, useLoad } from '../parts.js';
import { Report } from '../report.js';
import { inputOf, SchemaForm } from '../schema-form.js';

const POLL_MS = 1_000;

async function ask(operation, input) {
  const { done, failed } = await run(operation, { input }, { onProgress() {} });
  if (failed !== undefined) throw new Error(failed.error);
  return done.output;
}

export function Research({ id }) {
  return id === undefined ? html`<${Sessions} />` : html`<${Session} id=${id} />`;
}

function Sessions() {
  const loaded = useLoad(async () => {
    const [openapi, list] = await Promise.all([
      read('/openapi.json'),
      ask('research_session', { action: 'list' }),
    ]);
    const { schema } = openapi.paths['/research'].post.requestBody.content['application/json'];
    const { background: _background, ...properties } = schema.properties;
    return { schema: { ...schema, properties }, sessions: list.sessions };
  });
  const [values, setValues] = useState({});
  const start = useAction(async (schema) => {
    const { session } = await ask('research', { ...inputOf(schema, values), background: true });
    location.hash = `#/research/${session.research_id}`;
  });
  const rowOf = (one) => [
    html`<a lang="" href=${`#/research/${one.research_id}`}>${one.original_query}</a>`,
    html`<${Status} session=${one} />`,
    number(one.source_count),
    number(one.finding_count),
    moment(Date.parse(one.created_at)),
  ];
  const columns = [
    [t('report.question')],
    [t('state'), 'nowrap'],
    [t('report.sources'), 'number'],
    [t('report.findings'), 'number'],
    [t('when'), 'nowrap'],
  ];
  return html`
    <${Page} title=${t('nav.research')} lead=${t('research.lead')}>
      <${Loaded} from=${loaded}>
        ${({ schema, sessions }) => html`
          <form class="card stack" onSubmit=${(event) => (event.preventDefault(), void start.start(schema))}>
            <${SchemaForm} schema=${schema} values=${values} onChange=${setValues} />
            ${start.error && html`<${Failure} error=${start.error} />`}
            <div class="row"><button class="main" disabled=${start.busy}>${t('research.start')}</button></div>
          </form>
          <section class="card">
            <h2>${t('research.earlier')}</h2>
            <${Table} columns=${columns} rows=${sessions.map(rowOf)} empty=${t('research.none')} />
          </section>
        `}
      <//>
    <//>
  `;
}

const KINDS = { completed: 'good', running: '', interrupted: 'warn', cancelled: 'warn', failed: 'bad' };
const Status = ({ session }) =>
  html`<${Badge} kind=${KINDS[session.status]}>${t(`research.${session.status}`)}<//>`;

function Session({ id }) {
  const loaded = useLoad(async () => {
    const { session } = await ask('research_session', { action: 'status', research_id: id });
    if (session.status === 'running') return { session };
    const { report } = await ask('research_session', { action: 'report', research_id: id }).catch(() => ({}));
    return { session, report };
  }, [id]);
  const isRunning = loaded.data?.session.status === 'running';
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setTimeout(() => void loaded.reload(), POLL_MS);
    return () => clearTimeout(timer);
    // A question that failed is asked again, too.
  }, [loaded.data, loaded.error]);
  const act = useAction(async (action) => {
    await ask('research_session', { action, research_id: id });
    if (action === 'delete') location.hash = '#/research';
    else await loaded.reload();
  });
  const button = (action) =>
    html`<button class="small" disabled=${act.busy} onClick=${() => act.start(action)}>
      ${t(`research.do.${action}`)}
    </button>`;
  return html`
    <${Loaded} from=${loaded}>
      ${({ session, report }) => html`
        <${Page}
          title=${session.original_query}
          actions=${isRunning ? button('cancel') : html`${session.status !== 'completed' && button('resume')}${button('delete')}`}
        >
          <section class="card stack">
            <div class="row" role="status">
              <${Status} session=${session} />
              <span class="soft small"
                >${t('research.facts', { sources: number(session.source_count), findings: number(session.finding_count), seconds: number(Math.round(session.elapsed_ms / 1_000)), credits: number(session.credits) })}</span
              >
            </div>
            <div class="row">
              ${PHASES.map((phase, at) => html`<${Badge} kind=${at < PHASES.indexOf(session.phase) || session.phase === 'done' ? 'good' : phase === session.phase ? 'warn' : ''}>${t(`phase.${phase}`)}<//>`)}
            </div>
            ${session.failure_error && html`<div class="notice bad">${session.failure_error}</div>`}
            ${act.error && html`<${Failure} error=${act.error} />`}
          </section>
          ${report && html`<section class="card"><${Report} report=${report} /></section>`}
        <//>
      `}
    <//>
  `;
}
