// One agent: its web tools, what they cost, and how to connect it.
import { read, write } from '../api.js';
import { Connect } from '../connect.js';
import { html, useState } from '../dom.js';
import { money, t } from '../i18n.js';
import { Manage } from '../life.js';
import { Badge, Failure, Loaded, Page, Said, Switch, useAction, useLoad } from '../parts.js';
import { costText, ToolState } from '../tool-parts.js';
import { ToolsHelp } from '../tools-help.js';

export function Agent({ id }) {
  const loaded = useLoad(() => read(`/console/api/agents/${encodeURIComponent(id)}`), [id]);
  const [isHelpOpen, setHelpOpen] = useState(false);
  return html`
    <${Loaded} from=${loaded}>
      ${(data) => html`
        <${Page}
          title=${data.agent.name}
          lead=${t('agent.lead', { id: data.agent.id })}
          actions=${html`<button onClick=${() => setHelpOpen(true)}>${t('tools.help')}</button>
            <${Manage}
              kind="agent"
              id=${data.agent.id}
              name=${data.agent.name}
              reload=${loaded.reload}
              onGone=${() => (location.hash = '#/workspaces')}
            />`}
        >
          <${Allowance} data=${data} />
          <div class="grid">
            ${data.tools.map((tool) => html`<${ToolSection} key=${tool.name} tool=${tool} data=${data} reload=${loaded.reload} />`)}
          </div>
          <section class="card">
            <h2>${t('connect.title')}</h2>
            <p class="soft">
              ${t('connect.lead')}${' '}
              <a href=${`#/keys/${encodeURIComponent(data.agent.id)}`}>${t('keys.add')}</a>
            </p>
            <${Connect} agent=${data.agent.id} />
          </section>
          ${isHelpOpen && html`<${ToolsHelp} data=${data} onClose=${() => setHelpOpen(false)} />`}
        <//>
      `}
    <//>
  `;
}

const Allowance = ({ data }) => html`
  <div class=${`notice ${data.used >= data.callsFree ? 'warn' : ''}`}>
    ${t(data.beyond === 'charge' ? 'agent.paid' : 'agent.free', {
      tier: data.account.tier,
      used: data.used,
      limit: data.callsFree,
      amount: money(data.account.available),
    })}
  </div>
`;

function ToolSection({ tool, data, reload }) {
  const [provider, setProvider] = useState(tool.provider);
  const usable = tool.choices.find((choice) => choice.missing === null);
  const save = useAction(async () => {
    await write('PATCH', `/admin/agents/${encodeURIComponent(data.agent.id)}`, {
      settings: { [tool.setting]: provider },
    });
    await reload();
  });
  const choose = (chosen) => {
    save.clear();
    setProvider(chosen);
  };
  const section = tool.name === 'search_web' ? 'search' : 'fetch';
  const isChanged = provider !== tool.provider;
  return html`
    <section class="card stack" aria-label=${t(`agent.${section}`)}>
      <header class="row between">
        <h2>${t(`agent.${section}`)}</h2>
        <${ToolState} tool=${tool} />
      </header>
      <p class="soft">${t(`agent.${section}.intro`)}</p>
      <${Switch}
        label=${t('agent.enable', { tool: tool.name })}
        checked=${provider !== null}
        onChange=${(isOn) => choose(isOn ? (tool.provider ?? usable?.id ?? tool.choices[0].id) : null)}
      />
      ${provider !== null && html`<${Choices} tool=${tool} data=${data} provider=${provider} choose=${choose} />`}
      ${save.error && html`<${Failure} error=${save.error} />`}
      <div class="row">
        <button class="main" disabled=${save.busy || !isChanged} onClick=${save.start}>
          ${save.busy ? t('saving') : t(`agent.${section}.save`)}
        </button>
        <span role="status" class="small">
          ${save.done && !isChanged ? html`<span class="badge good">${t('saved')}</span>` : isChanged ? html`<span class="badge warn">${t('unsaved')}</span>` : ''}
        </span>
      </div>
    </section>
  `;
}

const usableFirst = (choices) => [
  ...choices.filter((choice) => choice.missing === null),
  ...choices.filter((choice) => choice.missing !== null),
];

const Choices = ({ tool, data, provider, choose }) => html`
  <fieldset class="choices">
    <legend>${t('provider')}</legend>
    ${usableFirst(tool.choices).map(
      (choice) => html`
        <label class="choice" key=${choice.id}>
          <input
            type="radio"
            name=${tool.setting}
            value=${choice.id}
            checked=${choice.id === provider}
            onChange=${() => choose(choice.id)}
          />
          <span class="row"
            ><strong>${choice.title}</strong
            >${choice.missing !== null && html`<${Badge} kind="warn">${t('notSetUp')}<//>`}</span
          >
          <span class="text"
            >${costText(choice, data)}
            ${choice.missing !== null && html`<${Said} text=${choice.missing} />`}</span
          >
        </label>
      `,
    )}
    ${!tool.choices.some((choice) => choice.id === provider) && html`<div class="notice warn">${t('agent.unknown', { provider })}</div>`}
  </fieldset>
`;
