// Every tool an agent can have: whether it has it and why, its parameters, its price, an example.
import { html } from './dom.js';
import { t } from './i18n.js';
import { costText, mayCost, ToolState } from './tool-parts.js';
import { Code, Dialog, Table } from './parts.js';

export const ToolsHelp = ({ data, onClose }) => html`
  <${Dialog} title=${t('tools.help')} onClose=${onClose}>
    <p class="soft">${t('tools.lead', { name: data.agent.name })}</p>
    ${data.tools.map((tool) => html`<${Tool} key=${tool.name} tool=${tool} data=${data} />`)}
  <//>
`;

function Tool({ tool, data }) {
  const choice = tool.choices.find((one) => one.id === tool.provider);
  const required = new Set(tool.parameters.required ?? []);
  const rows = Object.entries(tool.parameters.properties ?? {}).map(([name, schema]) => [
    html`<code>${name}</code>`,
    schema.type ?? '',
    required.has(name) ? t('yes') : t('no'),
    schema.description ?? '',
  ]);
  return html`
    <section class="stack">
      <div class="row between">
        <h3><code>${tool.name}</code></h3>
        <${ToolState} tool=${tool} />
      </div>
      <p>${condition(tool, choice)}</p>
      <p class="soft">${tool.description}</p>
      <p>
        <strong>${t('tools.price')}</strong>${' '}
        ${choice ? costText(choice, data) : tool.choices.map((one) => `${one.title}: ${costText(one, data)}`).join(' ')}
      </p>
      <p>
        <strong>${t('tools.limit')}</strong>${' '}
        ${choice && !mayCost(choice) ? t('tools.noLimit') : t(data.beyond === 'charge' ? 'tools.limitPaid' : 'tools.limitText', { limit: data.callsFree, used: data.used })}
      </p>
      <${Table}
        columns=${[[t('parameter')], [t('type')], [t('required')], [t('description')]]}
        rows=${rows}
      />
      <${Code}
        text=${JSON.stringify(tool.example, null, 2)}
        label=${t('tools.example', { tool: tool.name })}
      />
    </section>
  `;
}

function condition(tool, choice) {
  const title = choice?.title ?? tool.provider;
  if (tool.state === 'on') return t('tools.on', { provider: title });
  if (tool.state === 'off') return t(tool.name === 'search_web' ? 'tools.searchOff' : 'tools.fetchOff');
  return t('tools.missing', { provider: title, reason: tool.missing ?? '' });
}
