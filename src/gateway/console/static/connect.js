// Configuration to copy, for the clients that people have.
import { read } from './api.js';
import { html, useState } from './dom.js';
import { t } from './i18n.js';
import { Code, Loaded, Tabs, useLoad } from './parts.js';

const KEY = 'YOUR-KEY';

/** For MCP clients that only start programs, and for programs that do not speak MCP; the gateway knows what others need. */
const programs = (origin, url) => [
  {
    id: 'stdio',
    title: 'stdio',
    text: JSON.stringify(
      {
        mcpServers: {
          headgate: {
            command: 'headgate',
            args: ['mcp', '--gateway', url],
            env: { HEADGATE_API_KEY: KEY },
          },
        },
      },
      null,
      2,
    ),
  },
  {
    id: 'tavily',
    title: 'Tavily',
    text: [
      '# Python',
      `TavilyClient(api_key="${KEY}", api_base_url="${origin}").search("…")`,
      '',
      '// JavaScript',
      `tavily({ apiKey: "${KEY}", apiBaseURL: "${origin}" }).search("…")`,
    ].join('\n'),
  },
  ...applications(origin),
  {
    id: 'curl',
    title: 'curl',
    text: [
      `curl ${origin}/search \\`,
      `  -H 'authorization: Bearer ${KEY}' \\`,
      "  -H 'content-type: application/json' \\",
      `  -d '{"query":"tidal mills"}'`,
      '',
      `curl ${origin}/r/https://example.com/ -H 'authorization: Bearer ${KEY}'`,
    ].join('\n'),
  },
];

/** For applications that know the API of another service, which the gateway speaks. */
const applications = (origin) => [
  {
    id: 'searxng',
    title: 'SearXNG',
    text: [
      '# mcp-searxng',
      `SEARXNG_URL=${origin.replace('://', `://headgate:${KEY}@`)}`,
      '',
      '# Open WebUI',
      `SEARXNG_QUERY_URL=${origin.replace('://', `://headgate:${KEY}@`)}/search?q=<query>`,
      '',
      '# LibreChat',
      `SEARXNG_INSTANCE_URL=${origin}`,
      `SEARXNG_API_KEY=${KEY}`,
      '',
      '# LobeChat ([server] key_in_path = true)',
      `SEARXNG_URL=${origin}/key/${KEY}`,
      '',
      '# Perplexica ([server] key_in_path = true)',
      `SEARXNG_API_URL=${origin}/key/${KEY}`,
    ].join('\n'),
  },
  {
    id: 'firecrawl',
    title: 'Firecrawl',
    text: [
      '// JavaScript',
      `new Firecrawl({ apiKey: "${KEY}", apiUrl: "${origin}" }).scrape("…")`,
      '',
      '# Open WebUI, LibreChat',
      `FIRECRAWL_API_BASE_URL=${origin}`,
      `FIRECRAWL_BASE_URL=${origin}`,
      `FIRECRAWL_API_KEY=${KEY}`,
    ].join('\n'),
  },
  {
    id: 'open-webui',
    title: 'Open WebUI',
    text: [
      `EXTERNAL_WEB_SEARCH_URL=${origin}/open-webui/search`,
      `EXTERNAL_WEB_SEARCH_API_KEY=${KEY}`,
      `EXTERNAL_WEB_LOADER_URL=${origin}/open-webui/loader`,
      `EXTERNAL_WEB_LOADER_API_KEY=${KEY}`,
    ].join('\n'),
  },
];

export function Connect({ apiKey, agent }) {
  const { origin } = location;
  const url = agent === undefined ? `${origin}/mcp` : `${origin}/mcp/agents/${encodeURIComponent(agent)}`;
  const loaded = useLoad(() => read(`/console/api/connect?url=${encodeURIComponent(url)}`), [url]);
  return html`<${Loaded} from=${loaded}>
    ${({ clients, local }) =>
      html`<${Ways}
        ways=${[...clients, ...programs(origin, url)]}
        local=${agent === undefined ? local : null}
        apiKey=${apiKey ?? KEY}
        agent=${agent}
      />`}
  <//>`;
}

function Ways({ ways, local, apiKey, agent }) {
  const [chosen, setChosen] = useState('claude');
  const { id, title, file, text, command } = ways.find((way) => way.id === chosen);
  const filled = (template) => template.replaceAll(KEY, apiKey);
  const isProgram = id !== 'stdio' && programs('', '').some((program) => program.id === id);
  return html`
    <div class="stack">
      <${Tabs}
        label=${t('connect.title')}
        tabs=${ways.map((way) => [way.id, way.title])}
        chosen=${chosen}
        onChoose=${setChosen}
      />
      ${command && html`<${Code} text=${filled(command)} label=${`${title} ${t('connect.command')}`} />`}
      ${id === 'stdio' && html`<p class="soft small">${t('connect.stdio')}</p>`}
      ${file && html`<p class="soft small">${t('connect.file')} <code>${file}</code></p>`}
      <${Code} text=${filled(text)} label=${`${title} ${t('connect.title')}`} />
      ${agent !== undefined && isProgram && html`<p class="soft small">${t('connect.notAgent')}</p>`}
      ${local && html`<p class="soft small">${t('connect.local')} <code>${local}</code></p>`}
    </div>
  `;
}
