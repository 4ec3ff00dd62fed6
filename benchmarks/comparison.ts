import { providers } from '../src/providers/index.ts';
import { type Figures, numberIn, rowsIn, shown, textIn } from './view.ts';

const searchers = providers.filter(({ search }) => search !== undefined);

/** What cannot be measured, read from each project's documentation and code at the version that is measured (November 2026). */
const FACTS: Record<string, { key: string; providers: string }> = {
  'headgate, default': {
    key: 'no',
    providers: `${searchers.length} and a local library, with fallback and merging`,
  },
  'duckduckgo-mcp-server': { key: 'no', providers: '1' },
  'exa-mcp-server': { key: 'yes', providers: '1' },
  'tavily-mcp': { key: 'for all but search and extract', providers: '1' },
  '@brave/brave-search-mcp-server': { key: 'yes', providers: '1' },
  'mcp-searxng': { key: 'no, an own instance', providers: '1, itself over many engines' },
  'firecrawl-mcp': { key: 'for all but scrape, search and interact', providers: '1' },
};

/** The README's table: the servers of the start-up benchmark that there are facts about, quickest first. */
export function comparison(figures: Figures, measuredOn: string): string {
  const rows = rowsIn(figures, 'servers')
    .filter((row) => textIn(row, 'name') in FACTS)
    .sort((a, b) => numberIn(a, 'cpu_ms') - numberIn(b, 'cpu_ms'))
    .map((row) => {
      const name = textIn(row, 'name');
      const facts = FACTS[name];
      const isOurs = name.startsWith('headgate');
      return [
        isOurs ? `**Headgate ${textIn(row, 'version')}**` : `${name} ${textIn(row, 'version')}`,
        `${shown(numberIn(row, 'cpu_ms'))} ms, ${shown(numberIn(row, 'wall_ms'))} ms`,
        `${shown(numberIn(row, 'list_tokens'))} (${numberIn(row, 'tools')})`,
        `${shown(numberIn(row, 'megabytes'))} MB, ${numberIn(row, 'packages')}${isOurs ? ' ¹' : ''}`,
        facts?.key ?? '',
        facts?.providers ?? '',
      ];
    });
  const head = [
    'MCP server',
    'start-up: CPU, wall',
    'tokens of its tools (tools)',
    'on disk, packages',
    'needs a key',
    'providers',
  ];
  return `${[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')}

Spawn to the answer to \`tools/list\`, median; bare \`node -e 0\` takes ${shown(numberIn(figures, 'node_ms'))} ms of wall time there; \`npm run benchmark -- startup\`, ${measuredOn}. ¹ Without the optional \`libsql\` and \`unpdf\`.`;
}
