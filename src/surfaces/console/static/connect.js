// Configuration to copy, for the clients that people have.
import { html, useState } from './dom.js';
import { t } from './i18n.js';
import { Code, Tabs } from './parts.js';

const json = (value) => JSON.stringify(value, null, 2);

/** What each client needs to reach this gateway with this key, as an agent when one is given. */
export function snippets({ origin, key, agent }) {
  const url = agent === undefined ? `${origin}/mcp` : `${origin}/mcp/agents/${encodeURIComponent(agent)}`;
  const headers = { Authorization: `Bearer ${key}` };
  return {
    Claude: [
      `claude mcp add --transport http headgate ${url} --header "Authorization: Bearer ${key}"`,
      '',
      '# .mcp.json',
      json({ mcpServers: { headgate: { type: 'http', url, headers } } }),
    ].join('\n'),
    Cursor: `// ~/.cursor/mcp.json\n${json({ mcpServers: { headgate: { url, headers } } })}`,
    'VS Code': `// .vscode/mcp.json\n${json({ servers: { headgate: { type: 'http', url, headers } } })}`,
    Tavily: [
      '# Python',
      `TavilyClient(api_key="${key}", api_base_url="${origin}").search("…")`,
      '',
      '// JavaScript',
      `tavily({ apiKey: "${key}", apiBaseURL: "${origin}" }).search("…")`,
    ].join('\n'),
    curl: [
      `curl ${origin}/search \\`,
      `  -H 'authorization: Bearer ${key}' \\`,
      "  -H 'content-type: application/json' \\",
      `  -d '{"query":"tidal mills"}'`,
    ].join('\n'),
  };
}

export function Connect({ apiKey, agent }) {
  const [client, setClient] = useState('Claude');
  const all = snippets({ origin: location.origin, key: apiKey ?? t('connect.key'), agent });
  return html`
    <div class="stack">
      <${Tabs}
        label=${t('connect.title')}
        tabs=${Object.keys(all).map((name) => [name, name])}
        chosen=${client}
        onChoose=${setClient}
      />
      <${Code} text=${all[client]} label=${`${client} ${t('connect.title')}`} />
      ${agent !== undefined && (client === 'Tavily' || client === 'curl') && html`<p class="soft small">${t('connect.notAgent')}</p>`}
    </div>
  `;
}
