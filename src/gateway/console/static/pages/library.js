// The library: what is in it, adding to it, watching additions, and searching it.
import { read, write } from '../api.js';
import { html, useEffect, useState } from '../dom.js';
import { moment, number, t } from '../i18n.js';
import { Out } from '../markdown.js';
import { Badge, Failure, Field, Loaded, Page, Table, useAction, useLoad } from '../parts.js';

const POLL_MS = 500;

const of = (workspace) => (workspace === '' ? '' : `workspace=${encodeURIComponent(workspace)}&`);

export function Library() {
  const [workspace, setWorkspace] = useState('');
  const workspaces = useLoad(() => read('/admin/workspaces'));
  const loaded = useLoad(async () => {
    const [about, list] = await Promise.all([
      read(`/admin/library?${of(workspace)}`),
      read(`/admin/library/documents?${of(workspace)}limit=50`),
    ]);
    return { ...about, documents: list.documents };
  }, [workspace]);
  const isRunning = loaded.data?.jobs.some((job) => job.state === 'running');
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setTimeout(() => void loaded.reload(), POLL_MS);
    return () => clearTimeout(timer);
  }, [loaded.data]);
  const chooser = html`
    <${Field} label=${t('library.whose')} id="library-workspace">
      <select
        id="library-workspace"
        value=${workspace}
        onChange=${(event) => setWorkspace(event.target.value)}
      >
        <option value="">${t('library.shared')}</option>
        ${(workspaces.data?.workspaces ?? []).map((one) => html`<option value=${one.id}>${one.name}</option>`)}
      </select>
    <//>
  `;
  return html`
    <${Page} title=${t('nav.library')} lead=${t('library.lead')} actions=${chooser}>
      <${Search} workspace=${workspace} />
      <${Loaded} from=${loaded}>
        ${(data) => html`
          <${Add} workspace=${workspace} roots=${data.roots} onStarted=${loaded.reload} />
          ${data.jobs.length > 0 && html`<${Jobs} jobs=${data.jobs} onChanged=${loaded.reload} />`}
          <${Documents} data=${data} workspace=${workspace} onChanged=${loaded.reload} />
        `}
      <//>
    <//>
  `;
}

const submit = (start) => (event) => {
  event.preventDefault();
  void start(Object.fromEntries(new FormData(event.target)));
};

function Search({ workspace }) {
  const search = useAction(async (fields) => {
    const asked = Object.entries(fields).filter(([, value]) => value.trim() !== '');
    return read(`/admin/library/search?${of(workspace)}${new URLSearchParams(asked)}`);
  });
  const answer = search.done;
  return html`
    <section class="card stack">
      <form class="stack" role="search" onSubmit=${submit(search.start)}>
        <div class="fields">
          <${Field} label=${t('library.query')} id="library-query" wide
            ><input id="library-query" name="query" required maxlength="1000"
          /><//>
          <${Field} label=${t('library.package')} id="library-package"
            ><input id="library-package" name="package" maxlength="300"
          /><//>
          <${Field} label=${t('library.domain')} id="library-domain"
            ><input id="library-domain" name="domain" maxlength="300"
          /><//>
        </div>
        ${search.error && html`<${Failure} error=${search.error} />`}
        <div class="row"><button class="main" disabled=${search.busy}>${t('library.search')}</button></div>
      </form>
      ${answer && html`<${Hits} answer=${answer} />`}
    </section>
  `;
}

const Hits = ({ answer }) => html`
  <div class="stack" role="status">
    ${answer.warnings.map((warning) => html`<div class="notice warn">${warning}</div>`)}
    ${answer.guesses.map(({ term, names }) => html`<p class="soft small">${t('library.guessed', { term, names: names.join(', ') })}</p>`)}
    ${answer.hits.length === 0 && html`<p class="empty">${t('library.nothing')}</p>`}
    ${answer.hits.map(
      (hit) => html`
        <article class="hit" key=${hit.id}>
          <h3><${Out} url=${hit.url}>${hit.title}<//></h3>
          <div class="url">${hit.url}</div>
          <p>${hit.snippet}</p>
          <div class="row">
            <${Badge}>${t('library.local')}<//>
            ${hit.version && html`<${Badge}>${hit.package} ${hit.version}<//>`}
          </div>
        </article>
      `,
    )}
  </div>
`;

function Add({ workspace, roots, onStarted }) {
  const add = useAction(async ({ source, depth, limit }) => {
    await write('POST', '/admin/library/add', {
      source,
      ...(workspace === '' ? {} : { workspace }),
      ...(depth === '' ? {} : { depth: Number(depth) }),
      ...(limit === '' ? {} : { limit: Number(limit) }),
    });
    await onStarted();
  });
  const hint = roots.length === 0 ? t('library.noRoots') : t('library.roots', { roots: roots.join(', ') });
  return html`
    <section class="card stack">
      <h2>${t('library.add')}</h2>
      <form class="stack" onSubmit=${submit(add.start)}>
        <div class="fields">
          <${Field} label=${t('library.source')} id="library-source" hint=${hint} wide>
            <input
              id="library-source"
              name="source"
              required
              maxlength="2048"
              placeholder="https://example.com/docs/"
              aria-describedby="library-source-hint"
            />
          <//>
          <${Field} label=${t('library.depth')} id="library-depth"
            ><input id="library-depth" name="depth" type="number" min="1" max="5"
          /><//>
          <${Field} label=${t('library.limit')} id="library-limit"
            ><input id="library-limit" name="limit" type="number" min="1" max="5000"
          /><//>
        </div>
        ${add.error && html`<${Failure} error=${add.error} />`}
        <div class="row"><button class="main" disabled=${add.busy}>${t('library.add')}</button></div>
      </form>
    </section>
  `;
}

const KINDS = { running: '', done: 'good', failed: 'bad', cancelled: 'warn' };

function Jobs({ jobs, onChanged }) {
  const cancel = useAction(async (id) => {
    await write('DELETE', `/admin/library/jobs/${encodeURIComponent(id)}`);
    await onChanged();
  });
  return html`
    <section class="card stack" aria-label=${t('library.jobs')}>
      <h2>${t('library.jobs')}</h2>
      ${cancel.error && html`<${Failure} error=${cancel.error} />`}
      ${jobs.map((job) => html`<${Job} key=${job.id} job=${job} onCancel=${() => cancel.start(job.id)} />`)}
    </section>
  `;
}

function Job({ job, onCancel }) {
  const { done, total, message } = job.progress;
  return html`
    <div class="stack" role="status">
      <div class="row between">
        <span class="mono breakable">${job.source}</span>
        <span class="row">
          <${Badge} kind=${KINDS[job.state]}>${t(`library.${job.state}`)}<//>
          ${job.state === 'running' && html`<button class="small" onClick=${onCancel} aria-label=${`${t('cancel')}: ${job.source}`}>${t('cancel')}</button>`}
        </span>
      </div>
      ${
        job.state === 'running' &&
        html`<progress aria-label=${job.source} value=${done} max=${total ?? Math.max(done, 1)}></progress>
          <p class="soft small breakable">
            ${number(done)}${total ? ` / ${number(total)}` : ''} ${message ?? ''}
          </p>`
      }
      ${job.error && html`<div class="notice bad">${job.error}</div>`}
      ${job.report && html`<${Report} report=${job.report} />`}
    </div>
  `;
}

const Report = ({ report }) => html`
  <p class="small">
    ${t('library.report', { added: number(report.added + report.replaced), unchanged: number(report.unchanged), problems: number(report.problemsTotal) })}
  </p>
  ${
    report.problems.length > 0 &&
    html`<details>
      <summary>${t('library.problems', { count: number(report.problemsTotal) })}</summary>
      <ul>
        ${report.problems.slice(0, 100).map(({ path, message }) => html`<li class="breakable"><span class="mono small">${path}</span>: ${message}</li>`)}
      </ul>
    </details>`
  }
`;

function Documents({ data, workspace, onChanged }) {
  const { stats, documents } = data;
  const remove = useAction(async (id) => {
    await write('POST', '/admin/library/remove', { ids: [id], ...(workspace === '' ? {} : { workspace }) });
    await onChanged();
  });
  const rows = documents.map((one) => [
    html`<span class="breakable"
      ><${Out} url=${one.url}>${one.title}<//><br /><span class="mono small soft">${one.url}</span></span
    >`,
    number(one.chars),
    moment(one.addedAt),
    html`<button
      class="small"
      disabled=${remove.busy}
      onClick=${() => remove.start(one.id)}
      aria-label=${`${t('library.remove')}: ${one.title}`}
    >
      ${t('library.remove')}
    </button>`,
  ]);
  const columns = [[t('library.document')], [t('library.chars'), 'number'], [t('when'), 'nowrap'], ['']];
  return html`
    <section class="card stack">
      <h2>${t('library.contents')}</h2>
      <p class="soft">
        ${t('library.stats', { documents: number(stats.documents), packages: number(stats.packages), megabytes: number(Math.round(stats.bytes / 1e5) / 10) })}
      </p>
      ${stats.damaged.length > 0 && html`<div class="notice bad">${t('library.damaged', { names: stats.damaged.join(', ') })}</div>`}
      ${remove.error && html`<${Failure} error=${remove.error} />`}
      <${Table} columns=${columns} rows=${rows} empty=${t('library.empty')} />
    </section>
  `;
}
