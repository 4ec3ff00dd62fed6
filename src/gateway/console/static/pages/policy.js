// What may be read and who may be asked: the rules by level, what they refused, and a try.
import { read, readNames, write } from '../api.js';
import { html } from '../dom.js';
import { t } from '../i18n.js';
import { Badge, Failure, Field, Loaded, Page, Table, useAction, useLoad } from '../parts.js';
import { CallTable } from './calls.js';

const LISTS = ['allow', 'deny', 'operations', 'providers', 'admit', 'canaries'];
/** Rules with a few modes, the usual one first. */
const MODES = {
  fetch: ['any', 'admitted', 'strict'],
  approvals: ['client', 'console'],
  secrets: ['report', 'redact', 'block'],
  robots: ['walk', 'all', 'off'],
  signals: ['report', 'refuse'],
  hidden: ['strip', 'flag', 'refuse'],
};
/** Rules with a number; unset is usual. */
const NUMBERS = ['leak_bits_per_domain', 'leak_bits', 'max_pages', 'max_depth'];
const fieldsOf = (event) => {
  event.preventDefault();
  return Object.fromEntries(new FormData(event.target));
};

async function load() {
  const [rules, { approvals }, { workspaces }, { agents }, nameOf, decided] = await Promise.all([
    read('/admin/policies'),
    read('/admin/approvals'),
    read('/admin/workspaces'),
    read('/admin/agents'),
    readNames(),
    read('/admin/calls?policy=*&limit=20'),
  ]);
  return { ...rules, approvals, workspaces, agents, nameOf, calls: decided.calls };
}

export function Policy({ session }) {
  const loaded = useLoad(load);
  const mayChange = session.role === 'admin' || session.role === 'owner';
  return html`
    <${Page} title=${t('nav.policy')} lead=${t('policy.lead')}>
      <${Loaded} from=${loaded}>
        ${(data) => html`
          ${data.approvals.length > 0 && html`<section class="card stack"><${Approvals} ...${data} mayChange=${mayChange} onChange=${loaded.reload} /></section>`}
          <section class="card stack">
            <h2>${t('policy.rules')}</h2>
            <${Rules} ...${data} mayChange=${mayChange} onChange=${loaded.reload} />
          </section>
          <section class="card stack"><${Try} ...${data} /></section>
          ${mayChange && data.workspaces.length > 0 && html`<section class="card stack"><${SetRules} ...${data} onSaved=${loaded.reload} /></section>`}
          <section class="card stack">
            <h2>${t('policy.decided')}</h2>
            <${CallTable} calls=${data.calls} nameOf=${data.nameOf} withPolicy />
          </section>
        `}
      <//>
    <//>
  `;
}

function Approvals({ approvals, nameOf, mayChange, onChange }) {
  const decide = useAction(async ({ code, approve }) => {
    await write('POST', `/admin/approvals/${encodeURIComponent(code)}`, { approve });
    void onChange();
  });
  const button = (code, approve) =>
    html`<button class="small" disabled=${decide.busy} onClick=${() => decide.start({ code, approve })}>
      ${t(approve ? 'policy.approve' : 'policy.refuse')}
    </button>`;
  const rowOf = ({ code, url, reason, agent, key, workspace }) => {
    const caller = agent ?? key ?? workspace;
    return [
      html`<code>${code}</code>`,
      html`<code>${url}</code>`,
      caller === null ? '–' : (nameOf(caller) ?? caller),
      reason,
      mayChange && html`<div class="row">${button(code, true)} ${button(code, false)}</div>`,
    ];
  };
  const columns = [
    [t('policy.code'), 'nowrap'],
    [t('policy.address')],
    [t('policy.for')],
    [t('policy.why')],
    [''],
  ];
  return html`
    <h2>${t('policy.waiting')}</h2>
    <p class="soft small">${t('policy.approvalsLead')}</p>
    ${decide.error && html`<${Failure} error=${decide.error} />`}
    <${Table} columns=${columns} rows=${approvals.map(rowOf)} empty="" />
  `;
}

function Rules({ operator, policies, nameOf, mayChange, onChange }) {
  const remove = useAction(async (id) => {
    await write('DELETE', `/admin/policies/${encodeURIComponent(id)}`);
    void onChange();
  });
  const all = [{ level: 'operator', subject: undefined, rules: operator }, ...policies];
  const rowOf = ({ level, subject, rules }) => [
    html`${t(`policy.${level}`)}${subject && html` · ${nameOf(subject) ?? subject}`}`,
    html`<${Badge} kind=${rules.mode === 'report' ? 'warn' : ''}
      >${t(`policy.${rules.mode ?? 'enforce'}`)}<//
    >`,
    ...LISTS.map((name) => (rules[name] ?? []).join(', ') || '–'),
    ...Object.entries(MODES).map(([name, [usual]]) => t(`policy.${name}.${rules[name] ?? usual}`)),
    ...NUMBERS.map((name) => rules[name] ?? '–'),
    subject === undefined
      ? html`<code>[policy]</code>`
      : mayChange &&
        html`<button class="small" disabled=${remove.busy} onClick=${() => remove.start(subject)}>
          ${t('people.remove')}
        </button>`,
  ];
  const columns = [
    [t('policy.level'), 'nowrap'],
    [t('policy.mode')],
    ...LISTS.map((name) => [t(`policy.${name}`)]),
    ...[...Object.keys(MODES), ...NUMBERS].map((name) => [t(`policy.${name}`)]),
    [''],
  ];
  return html`
    ${remove.error && html`<${Failure} error=${remove.error} />`}
    <${Table} columns=${columns} rows=${all.map(rowOf)} empty="" />
  `;
}

const choice = (form, id, label, options, none) => html`
  <${Field} label=${label} id=${`${form}-${id}`}>
    <select id=${`${form}-${id}`} name=${id}>
      ${none !== undefined && html`<option value="">${none}</option>`}
      ${options.map(({ id: value, name }) => html`<option value=${value}>${name}</option>`)}
    </select>
  <//>
`;

function Try({ workspaces, agents }) {
  const run = useAction(async ({ text, workspace, agent }) => {
    const query = new URLSearchParams({
      text: text.trim(),
      ...(workspace && { workspace }),
      ...(agent && { agent }),
    });
    return read(`/admin/policies/test?${query}`);
  });
  const { done } = run;
  return html`
    <form class="stack" onSubmit=${(event) => run.start(fieldsOf(event))}>
      <h2>${t('policy.try')}</h2>
      <div class="fields">
        <${Field} label=${t('policy.text')} id="policy-text"
          ><input id="policy-text" name="text" required maxlength="2048" placeholder="https://example.com/"
        /><//>
        ${choice('try', 'workspace', t('workspace'), workspaces, '–')}
        ${choice('try', 'agent', t('agent'), agents, '–')}
      </div>
      ${run.error && html`<${Failure} error=${run.error} />`}
      ${
        done &&
        html`<p role="status">
          <${Badge} kind=${done.verdict === 'allow' ? 'good' : 'bad'}
            >${t(`policy.verdict.${done.verdict}`)}<//
          >
          ${done.rule && html` <code>${done.level}.${done.rule}</code>`}
          ${done.isReported && html` ${t('policy.report')}`} ${done.isRedacted && t('policy.secrets.redact')}
          ${Object.entries(done.bounds ?? {}).map(
            ([name, value]) => html` · ${t(`policy.${name}`)}: ${value}`,
          )}
          ${done.providers && html` ${t('policy.to', { providers: done.providers.join(', ') || '–' })}`}
        </p>`
      }
      <div class="row"><button disabled=${run.busy}>${t('policy.try')}</button></div>
    </form>
  `;
}

function SetRules({ workspaces, agents, onSaved }) {
  const save = useAction(async ({ workspace, agent, mode, ...given }) => {
    const rules = Object.fromEntries(
      LISTS.map((name) => [
        name,
        given[name].split(name === 'canaries' ? ',' : /[,\s]+/).flatMap((one) => one.trim() || []),
      ]),
    );
    const modes = Object.fromEntries(Object.keys(MODES).map((name) => [name, given[name]]));
    const numbers = Object.fromEntries(
      NUMBERS.flatMap((name) => (given[name] === '' ? [] : [[name, Number(given[name])]])),
    );
    await write('POST', '/admin/policies', {
      workspace,
      ...(agent && { agent }),
      rules: { ...rules, ...modes, ...numbers, mode },
    });
    void onSaved();
  });
  return html`
    <form class="stack" onSubmit=${(event) => save.start(fieldsOf(event))}>
      <h2>${t('policy.set')}</h2>
      <p class="soft small">${t('policy.setLead')}</p>
      <div class="fields">
        ${choice('rules', 'workspace', t('workspace'), workspaces, undefined)}
        ${choice('rules', 'agent', t('agent'), agents, t('policy.whole'))}
        ${LISTS.map(
          (name) =>
            html`<${Field} label=${t(`policy.${name}`)} id=${`policy-${name}`}
              ><input id=${`policy-${name}`} name=${name} maxlength="4000"
            /><//>`,
        )}
        ${Object.entries(MODES).map(
          ([name, modes]) =>
            html`<${Field} label=${t(`policy.${name}`)} id=${`policy-${name}`}>
              <select id=${`policy-${name}`} name=${name}>
                ${modes.map((mode) => html`<option value=${mode}>${t(`policy.${name}.${mode}`)}</option>`)}
              </select>
            <//>`,
        )}
        ${NUMBERS.map(
          (name) =>
            html`<${Field} label=${t(`policy.${name}`)} id=${`policy-${name}`}
              ><input id=${`policy-${name}`} name=${name} type="number" min="0"
            /><//>`,
        )}
        <${Field} label=${t('policy.mode')} id="policy-mode">
          <select id="policy-mode" name="mode">
            ${['enforce', 'report'].map((mode) => html`<option value=${mode}>${t(`policy.${mode}`)}</option>`)}
          </select>
        <//>
      </div>
      ${save.error && html`<${Failure} error=${save.error} />`}
      <div class="row"><button class="main" disabled=${save.busy}>${t('policy.set')}</button></div>
    </form>
  `;
}
